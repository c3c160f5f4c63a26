"""A live controller as a process: signals end it; of several replicas one works, while the Lease is its own."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from railwise.cli.errors import ExitCode, HintedError

if TYPE_CHECKING:
    from railwise.kubeapi.access import Access
    from railwise.kubeapi.client import Client
    from railwise.kubeapi.settings import Observer
    from railwise.model.policy import Policy

LEASE_SECONDS = 15

Work = Callable[["Client"], Awaitable[None]]
"""What the controller does until it is cancelled; the client's writes stop when the leadership ends."""


def lease_name(text: str) -> tuple[str, str]:
    """Return (namespace, name) of ``NAMESPACE/NAME``; an error with a hint for anything else."""
    namespace, slash, name = text.partition("/")
    if not (namespace and slash and name) or "/" in name:
        raise HintedError(f"--lease {text}: is no lease", "as in kube-system/railwise-scheduler")
    return namespace, name


def live_policy(settings: str) -> Policy:
    """Return the policy of a live controller: that of a file, or the usual one if none is named.

    Raises:
        HintedError: the file cannot be read.
        InputError: it says anything but a policy.
    """
    from railwise.cli.sources import read_sources
    from railwise.controllers.cache import LIVE_POLICY

    if not settings:
        return LIVE_POLICY
    from railwise.formats.scenario.live_settings import read_live_policy

    [(source, data)] = read_sources([settings], "a scenario with nothing but spec.policy is expected")
    return read_live_policy(data, source, LIVE_POLICY)


async def serve(
    access: Access,
    lease: tuple[str, str] | None,
    work: Work,
    observer: Observer | None = None,
    valid: int = LEASE_SECONDS,
) -> int:
    """Work until a signal, or until the leadership ends: then the exit code is 1, so that the process is restarted.

    ``observer`` hears of every request; without one trouble is told in the log. ``valid``: seconds for which the Lease
    counts after it was renewed.
    """
    from railwise.kubeapi.client import connect
    from railwise.kubeapi.election import Election, times_for
    from railwise.kubeapi.lease import LeaseStore
    from railwise.kubeapi.told import ToldTrouble

    log = logging.getLogger("railwise")
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    async with connect(access, observer=observer or ToldTrouble(log)) as client:
        if lease is None:
            return await _until(work(client), stop, None)
        tell = partial(log.info, "waits to lead: %s")
        waiting = Election(LeaseStore(client, *lease), times=times_for(valid), tell=tell).held()
        entering = asyncio.ensure_future(waiting.__aenter__())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait([entering, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not entering.done():
            entering.cancel()
            await asyncio.gather(entering, return_exceptions=True)
            return ExitCode.OK
        leadership = entering.result()
        log.info("leads as %s", leadership.identity)
        try:
            code = await _until(work(client.fenced(leadership.guard)), stop, leadership.lost)
            if code != ExitCode.OK:
                log.error("ends: the Lease %s/%s was not renewed in time, or another holds it; start it again", *lease)
            return code
        finally:
            await waiting.__aexit__(None, None, None)


async def _until(work: Awaitable[None], stop: asyncio.Event, lost: asyncio.Event | None) -> int:
    working = asyncio.ensure_future(work)
    ends = [asyncio.ensure_future(event.wait()) for event in (stop, lost) if event is not None]
    await asyncio.wait([working, *ends], return_when=asyncio.FIRST_COMPLETED)
    for task in ends:
        task.cancel()
    if working.done():
        working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return ExitCode.FINDING if lost is not None and lost.is_set() and not stop.is_set() else ExitCode.OK
