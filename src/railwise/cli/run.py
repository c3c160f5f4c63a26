"""``railwise run``: the live controllers, each as one process that works until it is told to stop."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import levels_option

if TYPE_CHECKING:
    from railwise.controllers.scheduler import Scheduler
    from railwise.kubeapi.client import Client

LOG_LEVELS = ("debug", "info", "warning", "error")


@click.group("run")
def group() -> None:
    """Run a live controller."""


@group.command("scheduler")
@click.option("--kubeconfig", default="", metavar="FILE", help="Default: KUBECONFIG, ~/.kube/config, or the pod's own.")
@click.option("--context", default="", metavar="NAME", help="The context of the kubeconfig; default: the current one.")
@levels_option
@click.option(
    "--scheduler-name", default="railwise", show_default=True, help="Place the pods that name this scheduler."
)
@click.option(
    "--leader-elect/--no-leader-elect",
    default=True,
    show_default=True,
    help="Take part in an election, so that of several replicas one works.",
)
@click.option("--lease", default="kube-system/railwise-scheduler", show_default=True, metavar="NAMESPACE/NAME")
@click.option("--log-level", type=click.Choice(LOG_LEVELS), default="info", show_default=True)
def scheduler(
    *,
    kubeconfig: str,
    context: str,
    levels: str,
    scheduler_name: str,
    leader_elect: bool,
    lease: str,
    log_level: str,
) -> int:
    """Place pods on a live cluster, in place of the default scheduler.

    Pods with `schedulerName: railwise` are placed as gangs, by the rules of the annotations `railwise.dev/…`; all
    others are left alone, and the room they hold is respected.
    """
    import asyncio

    from railwise.cli.errors import HintedError
    from railwise.kubeapi.in_cluster import find_access

    logging.basicConfig(level=log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    namespace, slash, name = lease.partition("/")
    if not (namespace and slash and name) or "/" in name:
        raise HintedError(f"--lease {lease}: is no lease", "as in kube-system/railwise-scheduler")
    if levels:
        from railwise.formats.kubernetes.levels import parse_levels

        parse_levels(levels)
    access = find_access(kubeconfig, context)
    return asyncio.run(_serve(access, scheduler_name, levels, (namespace, name) if leader_elect else None))


async def _serve(access: object, scheduler_name: str, levels: str, lease: tuple[str, str] | None) -> int:
    """Schedule until a signal or the end of our leadership; the exit code says which."""
    import asyncio
    import signal

    from railwise.kubeapi.access import Access
    from railwise.kubeapi.client import connect
    from railwise.kubeapi.election import Election
    from railwise.kubeapi.lease import LeaseStore

    assert isinstance(access, Access)  # noqa: S101 -- the type is only imported when the command runs
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    async with connect(access) as client:
        if lease is None:
            return await _work(client, scheduler_name, levels, [stop])
        waiting = Election(LeaseStore(client, *lease)).held()
        entering = asyncio.create_task(waiting.__aenter__())
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([entering, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not entering.done():
            entering.cancel()
            await asyncio.gather(entering, return_exceptions=True)
            return ExitCode.OK
        leadership = entering.result()
        try:
            fenced = client.fenced(leadership.guard)
            return await _work(fenced, scheduler_name, levels, [stop, leadership.lost])
        finally:
            await waiting.__aexit__(None, None, None)


async def _work(client: Client, scheduler_name: str, levels: str, ends: list[object]) -> int:
    import asyncio

    from railwise.controllers.cache import ClusterCache
    from railwise.controllers.scheduler import Scheduler

    one: Scheduler = Scheduler(client, ClusterCache(scheduler_name, levels))
    working = asyncio.create_task(one.run())
    waits = [asyncio.create_task(end.wait()) for end in ends if isinstance(end, asyncio.Event)]
    await asyncio.wait([working, *waits], return_when=asyncio.FIRST_COMPLETED)
    lost = waits[-1].done() and len(waits) > 1
    for task in waits:
        task.cancel()
    if working.done():
        working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return ExitCode.FINDING if lost else ExitCode.OK
