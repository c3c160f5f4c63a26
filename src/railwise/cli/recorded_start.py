"""``railwise simulate --from-snapshot``: a recorded cluster lives on, alone or with what arrives at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from railwise.cli.durations import duration_of
from railwise.cli.errors import HintedError, note_line

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario


class RecordedStart(NamedTuple):
    """A record of a cluster (empty: none), and what is left of running workloads that tell no duration (or empty)."""

    path: str = ""
    remaining: str = ""


def recorded_start_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--from-snapshot`` and ``--remaining``, which come as the ``record`` of ``replay``."""

    @wraps(command)
    def known(*, from_snapshot: str, remaining: str, replay: Any, **rest: Any) -> Any:  # noqa: ANN401 -- click's own
        return command(replay=replay._replace(record=RecordedStart(from_snapshot, remaining)), **rest)

    known = click.option(
        "--remaining",
        default="",
        metavar="DURATION",
        help="For --from-snapshot: what is left of running workloads that tell no duration; default: they never end.",
    )(known)
    return click.option(
        "--from-snapshot",
        default="",
        metavar="FILE",
        help="Begin with a recorded cluster: what runs there holds its places; FILEs or a trace arrive at it.",
    )(known)


def lives_on(scenario: Scenario, start: RecordedStart) -> Scenario:
    """Return a recorded scenario with the time that is left to what runs in it, and say what is not known.

    Raises:
        HintedError: --remaining is no duration.
    """
    from railwise.model.quantity import format_duration
    from railwise.twin.recorded import counts, with_remaining

    running, endless = counts(scenario)
    if not running:
        note_line(f"{start.path}: nothing runs in it")
    elif endless and start.remaining:
        left = format_duration(_remaining(start.remaining))
        note_line(f"{start.path}: running workloads that tell no duration: {endless} of {running}; {left} left of each")
    elif endless:
        note_line(
            f"{start.path}: running workloads that tell no duration and never end: {endless} of {running} "
            "(--remaining 2h lets them)"
        )
    return with_remaining(scenario, _remaining(start.remaining) if start.remaining else 0)


def check_start(start: RecordedStart, cluster: str) -> None:
    """Raise HintedError where options contradict each other."""
    if start.remaining and not start.path:
        raise HintedError("--remaining goes with --from-snapshot", "name the record: --from-snapshot snap.yaml")
    if start.path and cluster:
        raise HintedError("--cluster and --from-snapshot are both a cluster", "leave one of them out")


def arrive(cluster: Scenario, stream: Scenario) -> Scenario:
    """Return the recorded cluster at which a stream arrives.

    Raises:
        HintedError: a name is used by both.
    """
    from railwise.formats.traces.clusters import whole
    from railwise.twin.recorded import arriving

    scenario, twice = arriving(cluster, stream, whole(cluster))
    if twice:
        raise HintedError(
            f"workload '{twice[0]}' is both in the snapshot and in the trace", "rename it in the snapshot"
        )
    return scenario


def _remaining(text: str) -> int:
    hint = "what is left of each from the start, such as 2h or 30m"
    return duration_of("--remaining", text, hint, "nothing is left then")
