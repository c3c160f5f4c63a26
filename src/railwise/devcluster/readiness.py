"""Waiting until a program answers that it is ready, or has ended: then its last words are the error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from railwise.devcluster.commands import HEALTH, Layout
from railwise.devcluster.errors import ControlPlaneError
from railwise.devcluster.processes import Daemon
from railwise.kubeapi.access import Access
from railwise.kubeapi.credentials import FixedCredentials
from railwise.kubeapi.errors import ApiError
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.retry import ONCE
from railwise.kubeapi.settings import Settings
from railwise.kubeapi.transport import Call, Transport

PAUSE = 0.1
ANSWER = 2.0
"""Seconds that one answer may take."""


def wait_until_ready(name: str, daemons: Sequence[Daemon], layout: Layout, patience: float) -> None:
    """Wait until a program says that it is ready; ``daemons`` are those that must not end meanwhile.

    Raises:
        ControlPlaneError: it ended, or is not ready after ``patience`` seconds.
    """
    asyncio.run(_wait(name, daemons, layout, patience))


async def _wait(name: str, daemons: Sequence[Daemon], layout: Layout, patience: float) -> None:
    access, path = _where(name, layout)
    end = time.monotonic() + patience
    async with Transport(access, Settings(timeout=ANSWER)) as transport:
        while True:
            for daemon in daemons:
                _check(daemon, layout.folder.name)
            try:
                await transport.request(Call("GET", path), ONCE)
            except ApiError as error:
                if time.monotonic() >= end:
                    message = f"is not ready after {patience:.0f} s: {error}"
                    raise ControlPlaneError(name, message, f"see {daemons[-1].log}") from None
            else:
                return
            await asyncio.sleep(PAUSE)


def _check(daemon: Daemon, cluster: str) -> None:
    if not daemon.alive():
        message = f"ended while cluster {cluster} was starting:\n{daemon.last_words()}"
        raise ControlPlaneError(daemon.name, message, f"see {daemon.log}")


def _where(name: str, layout: Layout) -> tuple[Access, str]:
    """Return where a program says that it is ready."""
    admin = access_from(merge([layout.kubeconfig("admin")]))
    if name == "kube-apiserver":
        return admin, "/readyz"
    scheme, path = HEALTH[name]
    server = f"{scheme}://127.0.0.1:{layout.ports[name]}"
    return Access(server, FixedCredentials(), authority=admin.authority), path
