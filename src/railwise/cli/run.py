"""``railwise run``: the live controllers, each as one process that works until it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.operating import Operating, Told, leading_options, operating_options
from railwise.cli.options import access_options, levels_option, settings_option
from railwise.cli.run_agent import agent
from railwise.cli.run_discovery import discovery
from railwise.cli.run_gate import gate

if TYPE_CHECKING:
    from railwise.controllers.scheduler import Scheduler
    from railwise.kubeapi.client import Client


@click.group("run")
def group() -> None:
    """Run a live controller."""


group.add_command(agent)
group.add_command(discovery)
group.add_command(gate)


@group.command("scheduler")
@access_options
@levels_option
@settings_option
@click.option(
    "--scheduler-name", default="railwise", show_default=True, help="Place the pods that name this scheduler."
)
@leading_options("scheduler")
@operating_options
def scheduler(
    *,
    kubeconfig: str,
    context: str,
    levels: str,
    settings: str,
    scheduler_name: str,
    leader_elect: bool,
    lease: str,
    operating: Operating,
) -> int:
    """Place pods on a live cluster, in place of the default scheduler.

    Pods with `schedulerName: railwise` are placed as gangs, by the rules of the annotations `railwise.dev/…`; all
    others are left alone, and the room they hold is respected.
    """
    import asyncio

    from railwise.cli.leading import lease_name, live_policy
    from railwise.cli.operating import operate
    from railwise.kubeapi.in_cluster import find_access

    if levels:
        from railwise.formats.kubernetes.levels import parse_levels

        parse_levels(levels)
    policy = live_policy(settings)
    access = find_access(kubeconfig, context)

    async def make(client: Client, told: Told) -> Scheduler:
        from railwise.controllers.cache import ClusterCache
        from railwise.controllers.scheduler import Scheduler

        cache = ClusterCache(scheduler_name, levels, policy=policy)
        return Scheduler(client, cache, journal=told.journal, metrics=told.metrics)

    return asyncio.run(operate(access, lease_name(lease) if leader_elect else None, operating, make))
