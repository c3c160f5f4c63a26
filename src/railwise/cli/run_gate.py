"""``railwise run gate``: in front of the default scheduler, which binds what is let through."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from railwise.cli.operating import Operating, Told, operating_options
from railwise.cli.options import levels_option

if TYPE_CHECKING:
    from railwise.controllers.scheduler import Scheduler
    from railwise.kubeapi.client import Client

ADMISSION = ("auto", "policy", "none")

log = logging.getLogger("railwise.gate")


@click.command("gate")
@click.option("--kubeconfig", default="", metavar="FILE", help="Default: KUBECONFIG, ~/.kube/config, or the pod's own.")
@click.option("--context", default="", metavar="NAME", help="The context of the kubeconfig; default: the current one.")
@levels_option
@click.option(
    "--admission",
    type=click.Choice(ADMISSION),
    default="auto",
    show_default=True,
    help="What puts the gate on new pods: a policy of the API server, or none, where manifests have put it there.",
)
@click.option(
    "--spare", "spared", multiple=True, metavar="NAMESPACE", help="Never hold pods here, whatever its labels say."
)
@click.option(
    "--leader-elect/--no-leader-elect",
    default=True,
    show_default=True,
    help="Take part in an election, so that of several replicas one works.",
)
@click.option("--lease", default="kube-system/railwise-gate", show_default=True, metavar="NAMESPACE/NAME")
@operating_options
def gate(
    *,
    kubeconfig: str,
    context: str,
    levels: str,
    admission: str,
    spared: tuple[str, ...],
    leader_elect: bool,
    lease: str,
    operating: Operating,
) -> int:
    """Decide for pods of the default scheduler, in front of it.

    Pods of namespaces with the label `railwise.dev/gate=enabled` are held by a scheduling gate when they are made. They
    are planned as gangs, by the rules of the annotations `railwise.dev/…`; then each is told its node and let through,
    and the default scheduler binds it. Other namespaces are left alone.
    """
    import asyncio

    from railwise.cli.leading import lease_name
    from railwise.cli.operating import operate
    from railwise.kubeapi.in_cluster import find_access

    if levels:
        from railwise.formats.kubernetes.levels import parse_levels

        parse_levels(levels)
    access = find_access(kubeconfig, context)

    async def make(client: Client, told: Told) -> Scheduler:
        from railwise.controllers.gate_cache import GateCache
        from railwise.controllers.gate_mode import GateMode
        from railwise.controllers.scheduler import Scheduler

        await _admit(client, admission, spared)
        cache = GateCache(levels)
        return Scheduler(client, cache, mode=GateMode(cache), journal=told.journal, metrics=told.metrics)

    return asyncio.run(operate(access, lease_name(lease) if leader_elect else None, operating, make))


async def _admit(client: Client, admission: str, spared: tuple[str, ...]) -> None:
    """See to it that new pods get their gate."""
    from railwise.cli.errors import HintedError
    from railwise.controllers.admission import put_policy, served_version

    if admission == "none":
        return
    version = await served_version(client)
    if not version:
        raise HintedError(
            "the API server has no MutatingAdmissionPolicy", "Kubernetes 1.36 and newer serve it; --admission none"
        )
    await put_policy(client, version, spared)
    log.info("pods of namespaces with railwise.dev/gate=enabled get their gate from an admission policy (%s)", version)
