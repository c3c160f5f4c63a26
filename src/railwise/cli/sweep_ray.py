"""Workers of a sweep as actors on a Ray cluster, or on a Ray of this machine alone (``--ray local``).

The runner, with all files in it, goes into Ray's store once; each actor takes it from there and keeps the scenarios it
has made. An actor that dies is replaced, and the run it had in hand is tried again.
"""

from __future__ import annotations

import os
from typing import Any, Final

import railwise
from railwise.cli.errors import HintedError
from railwise.cli.sweep_team import Outcome, attempt
from railwise.model.errors import MissingExtraError
from railwise.twin.sweep import Cell, Runner

LOCAL: Final = "local"
"""The address that starts a Ray here, and stops it at the end."""


class Actor:
    """A worker at the other end."""

    def __init__(self, runner: Runner) -> None:
        """Keep the runner."""
        self._runner = runner

    def version(self) -> str:
        """Return which Railwise lives there."""
        return railwise.__version__

    def live(self, cell: Cell) -> Outcome:
        """Live through a run."""
        return attempt(self._runner, cell)


class RayTeam:
    """So many actors with a runner each; 0: as many as the cluster has CPUs."""

    def __init__(self, runner: Runner, address: str, size: int) -> None:
        """Connect to the cluster at an address and start the actors.

        Raises MissingExtraError where Ray is not installed, HintedError where nothing answers at the address or another
        version of Railwise does.
        """
        self._ray: Final = _connected(address, size)
        self.size: Final = size or max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        self._make: Final = self._ray.remote(num_cpus=1, max_restarts=0)(Actor)
        self._runner: Final = self._ray.put(runner)
        self._actors: Final = [self._make.remote(self._runner) for _ in range(self.size)]
        self._pending: Final[dict[Any, int]] = {}
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def give(self, worker: int, cell: Cell) -> None:
        """Send a run to an actor."""
        self._pending[self._actors[worker].live.remote(cell)] = worker

    def next(self) -> tuple[int, Outcome]:
        """Wait for the first actor that answers or dies."""
        ready, _ = self._ray.wait(list(self._pending), num_returns=1)
        worker = self._pending.pop(ready[0])
        try:
            outcome: Outcome = self._ray.get(ready[0])
        except self._ray.exceptions.RayError as error:
            self._actors[worker] = self._make.remote(self._runner)
            return worker, Outcome({}, f"its Ray actor died ({type(error).__name__})", again=True)
        return worker, outcome

    def close(self) -> None:
        """Leave the cluster; its actors end with that, and a Ray that was started here too."""
        self._ray.shutdown()

    def _check(self) -> None:
        """Refuse to mix the results of two versions."""
        try:
            there = self._ray.get(self._actors[0].version.remote())
        except self._ray.exceptions.RayError as error:
            last = str(error).strip().rpartition("\n")[2]
            raise HintedError(
                f"--ray: no worker starts on the cluster: {last}", "install railwise on all nodes of the cluster"
            ) from None
        if there != railwise.__version__:
            raise HintedError(
                f"--ray: the cluster has railwise {there}, here is {railwise.__version__}",
                "install the same version on all nodes of the cluster",
            )


def _connected(address: str, size: int) -> Any:  # noqa: ANN401 -- Ray ships no complete types
    """Return Ray, connected."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--ray needs Ray: pip install 'railwise[ray]'") from None
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        options |= {"num_cpus": size or os.cpu_count(), "include_dashboard": False}
    else:
        options |= {"address": address}
    try:
        ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        first = str(error).partition("\n")[0]
        raise HintedError(
            f"--ray {address}: {first}", "auto, HOST:6379 or ray://HOST:10001 of a running cluster; local starts one"
        ) from None
    return ray
