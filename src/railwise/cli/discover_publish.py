"""Publishing from the command line: one map, or every map of a watch, written to a cluster and told line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from railwise.discovery.collector import Collector
    from railwise.fabric.fabric_map import Map

MOST_LINES = 50


class Places(NamedTuple):
    """Where to publish: drivers, how to reach the cluster, the namespace of our objects; whether only to say so."""

    names: tuple[str, ...] = ()
    kubeconfig: str = ""
    context: str = ""
    namespace: str = "kube-system"
    dry_run: bool = False


async def once(collector: Collector, places: Places) -> tuple[Map, bool]:
    """Ask every source once, publish the map, and return it and whether everything could be written."""
    drawn = await collector.once()
    return drawn, await _publish(drawn, places) if places.names and drawn.devices else True


async def watched(collector: Collector, places: Places, news: Any) -> None:  # noqa: ANN401 # takes each map
    """Follow the map, tell ``news`` of each one and publish it."""
    async for drawn in collector.watch():
        news(drawn)
        if places.names:
            await _publish(drawn, places)


async def _publish(drawn: Map, places: Places) -> bool:
    from railwise.discovery.publishing.drivers import drivers, needs_cluster, publish
    from railwise.kubeapi.client import connect
    from railwise.kubeapi.in_cluster import find_access

    if needs_cluster(places.names):
        async with connect(find_access(places.kubeconfig, places.context)) as client:
            results = await publish(drawn, drivers(places.names, client, places.namespace), dry_run=places.dry_run)
    else:
        results = await publish(drawn, drivers(places.names, None, places.namespace), dry_run=places.dry_run)
    well = True
    for _, result in results:
        well = well and not result.failed and not result.passed_over
        _tell("would change " if places.dry_run else "changed ", result.changed)
        _warn(result.passed_over + result.failed)
    return well


def _tell(before: str, lines: list[str]) -> None:
    for line in lines[:MOST_LINES]:
        click.echo(before + line)
    if len(lines) > MOST_LINES:
        click.echo(f"and {len(lines) - MOST_LINES} more")


def _warn(lines: list[str]) -> None:
    from railwise.cli.errors import warning_line

    for line in lines[:MOST_LINES]:
        warning_line(line)
    if len(lines) > MOST_LINES:
        warning_line(f"and {len(lines) - MOST_LINES} more")
