"""``railwise run discovery``: the map of the fabric kept true on a live cluster."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from railwise.cli.discover import PLACES
from railwise.cli.operating import log_options, metrics_option
from railwise.cli.options import access_options

if TYPE_CHECKING:
    from pathlib import Path

    from prometheus_client import CollectorRegistry

    from railwise.discovery.service import DiscoveryService
    from railwise.formats.discovery.settings import Settings
    from railwise.kubeapi.client import Client

USUAL = ("labels", "configmap")


@click.command("discovery")
@click.option("--config", required=True, metavar="FILE", help="A document of kind Discovery: whom to ask, and how.")
@click.option(
    "--publish", multiple=True, default=USUAL, show_default=True, metavar="PLACE", help=f"Keep true: {PLACES}."
)
@click.option("--namespace", default="kube-system", show_default=True, help="Where the ConfigMap and the Lease are.")
@access_options
@click.option(
    "--leader-elect/--no-leader-elect", default=True, show_default=True, help="Of several replicas one works."
)
@click.option("--lease", default="kube-system/railwise-discovery", show_default=True, metavar="NAMESPACE/NAME")
@metrics_option
@log_options
def discovery(
    *,
    config: str,
    publish: tuple[str, ...],
    address: str,
    leader_elect: bool,
    lease: str,
    **where: str,
) -> int:
    """Follow the fabric and publish its map: node labels and a ConfigMap, only what differs.

    Names of groups survive a restart, because the map of the ConfigMap is where the next run starts from. A replica
    that waits for the Lease is ready too: it can take over.
    """
    import asyncio
    import os

    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    from prometheus_client import CollectorRegistry

    from railwise.cli.discover import read_settings
    from railwise.cli.leading import lease_name, serve
    from railwise.cli.operating import leading
    from railwise.kubeapi.in_cluster import find_access
    from railwise.kubeapi.measured import Measured
    from railwise.kubeapi.probes import probes

    access = find_access(where["kubeconfig"], where["context"])
    settings, base = read_settings(config, None)

    async def lead() -> int:
        registry = CollectorRegistry()
        leads = leading(registry)
        working: list[DiscoveryService] = []

        async def work(client: Client) -> None:
            service = await _service(client, settings, base, publish, where, registry)
            working.append(service)
            leads.set(1)
            try:
                await service.run()
            finally:
                leads.set(0)

        async with probes(address, registry, lambda: all(service.ready() for service in working)):
            observer = Measured(logging.getLogger("railwise"), registry)
            return await serve(access, lease_name(lease) if leader_elect else None, work, observer)

    return asyncio.run(lead())


async def _service(
    client: Client,
    settings: Settings,
    base: Path,
    publish: tuple[str, ...],
    where: dict[str, str],
    registry: CollectorRegistry,
) -> DiscoveryService:
    from railwise.cli.discover import collector_for
    from railwise.discovery.metrics import DiscoveryMetrics
    from railwise.discovery.publishing.config_map import stored_map
    from railwise.discovery.publishing.drivers import drivers
    from railwise.discovery.service import DiscoveryService

    before = await stored_map(client, where["namespace"])
    collector, clock = collector_for(settings, base, before, None, where["kubeconfig"], where["context"])
    return DiscoveryService(
        collector, drivers(publish, client, where["namespace"]), DiscoveryMetrics(collector.tables, clock, registry)
    )
