"""``railwise discover``: the map of a fabric from what its devices say, once or kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from railwise.discovery.collector import Collector
    from railwise.fabric.fabric_map import Map
    from railwise.formats.discovery.settings import Settings

PLACES = "labels, configmap, kueue, kai, hypernode, slurm=FILE or topograph=FILE"
FORMS = ("table", "wide", "json", "yaml")


@click.command("discover")
@click.option("--config", metavar="FILE", help="A document of kind Discovery: whom to ask, and how.")
@click.option("--lab", metavar="FOLDER", help="Discover the laboratory that runs in FOLDER.")
@click.option("--intent", metavar="FILE", help="How it is meant to be: a Fabric, Air JSON, DOT, containerlab.")
@click.option(
    "--state", metavar="FILE", help="Start from the map in FILE, so that names stay; store the new one there."
)
@click.option("--watch", is_flag=True, help="Go on, and say what changes, until Ctrl-C.")
@click.option("--check", is_flag=True, help="Exit 1 if anything is found to be wrong.")
@click.option("--expect", metavar="FILE", help="Exit 1 if the map differs from the one in FILE, and say where.")
@click.option("--diff", is_flag=True, help="With --state: show only what would change there, and store nothing.")
@click.option(
    "--publish", multiple=True, metavar="PLACE", help=f"Write what differs to {PLACES}; may be given several times."
)
@click.option("--dry-run", is_flag=True, help="With --publish: only say what would be written.")
@click.option("--kubeconfig", default="", metavar="FILE", help="Default: KUBECONFIG, ~/.kube/config, or the pod's own.")
@click.option("--context", default="", metavar="NAME", help="The context of the kubeconfig; default: the current one.")
@click.option("--namespace", default="kube-system", show_default=True, help="Where the ConfigMap goes.")
@click.option("-o", "--output", "form", type=click.Choice(FORMS), default="table", help="wide also lists every link.")
@click.option("--svg", metavar="FILE", help="Also draw the map into an SVG file; - prints the drawing alone.")
def command(*, config: str | None, lab: str | None, state: str | None, form: str, **asked: Any) -> int:  # noqa: ANN401
    """Ask switches, servers and managers how they are cabled, and print the map that follows.

    The document says whom to ask (`railwise schema discovery` lists its fields). Nothing is written anywhere but to the
    file of --state and where --publish says.
    """
    import asyncio
    import os

    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    from railwise.cli import discover_output as output
    from railwise.cli.discover_publish import Places, once, watched
    from railwise.cli.errors import ExitCode, HintedError

    diff, expect, svg = asked["diff"], asked["expect"], asked["svg"]
    if diff and not state:
        raise HintedError("--diff compares with the map of --state", "give --state FILE, or --expect FILE")
    settings, base = read_settings(config, lab)
    before = _stored(state, must=diff)
    collector, _ = collector_for(settings, base, before, asked["intent"], asked["kubeconfig"], asked["context"])
    places = Places(
        tuple(asked["publish"]), asked["kubeconfig"], asked["context"], asked["namespace"], asked["dry_run"]
    )
    if asked["watch"]:
        asyncio.run(watched(collector, places, _teller(collector, before, state, _painter(svg))))
        return ExitCode.OK
    drawn, written = asyncio.run(once(collector, places))
    output.failures(collector)
    if not drawn.devices:
        raise HintedError("nothing was heard of any device", "see the warnings above")
    _painter(svg)(drawn)
    if expect or diff:
        wanted = before if diff else _stored(expect, must=True)
        return output.differences(wanted, drawn)
    if svg != "-" and (not places.names or form in ("json", "yaml")):
        output.show(drawn, form)
    if state:
        output.store(drawn, state)
    return ExitCode.FINDING if not written or (asked["check"] and output.problems(drawn)) else ExitCode.OK


def read_settings(config: str | None, lab: str | None) -> tuple[Settings, Path]:
    """Return what to discover, and the folder in which its files are looked up."""
    from railwise.cli.errors import HintedError
    from railwise.cli.sources import read_sources
    from railwise.formats.discovery.reader import read_discovery_text
    from railwise.formats.discovery.settings import Settings

    if bool(config) == bool(lab):
        hint = "give --config FILE, or --lab FOLDER for a laboratory (`railwise fabric serve` starts one)"
        raise HintedError("whom shall be asked?" if not config else "either --config or --lab", hint)
    if lab:
        return Settings(lab=lab), Path()
    ((name, data),) = read_sources([str(config)])
    return read_discovery_text(data, name), Path(name).parent


def _stored(state: str | None, *, must: bool) -> Map | None:
    from railwise.cli.sources import read_sources
    from railwise.formats.discovery.map_document import read_map

    if not state or (not must and not Path(state).exists()):
        return None
    ((name, data),) = read_sources([state])
    return read_map(data, name)


def collector_for(
    settings: Settings, base: Path, before: Map | None, intent: str | None, kubeconfig: str = "", context: str = ""
) -> tuple[Collector, Callable[[], int]]:
    """Return the collector of a document, and the clock (µs, never backwards) it goes by."""
    import time
    from functools import partial
    from random import Random

    from railwise.cli.sources import read_sources
    from railwise.discovery.assembly import sources_of
    from railwise.discovery.collector import Collector
    from railwise.discovery.tables import Tables
    from railwise.fabric.observations import Inventory
    from railwise.fabric.settling import Patience
    from railwise.formats.fabric.forms import read_wiring
    from railwise.kubeapi.in_cluster import find_access

    meant = None
    path = intent or (str(base / settings.intent) if settings.intent else "")
    if path:
        ((name, data),) = read_sources([path])
        meant = read_wiring(data, name)
    inventory = Inventory(settings.inventory) if settings.inventory else None
    patience = Patience(hold=settings.patience.hold_down, stale=settings.patience.stale_after)
    latest = before.time if before is not None else 0

    def clock() -> int:
        nonlocal latest
        latest = max(latest, time.time_ns() // 1000)
        return latest

    sources = sources_of(settings, base, Random(), partial(find_access, kubeconfig, context))
    return Collector(sources, Tables(settings.speakers), clock, before, meant, inventory, patience), clock


def _painter(svg: str | None) -> Callable[[Map], None]:
    """Return what draws a map into a file, whole or not at all; nothing where none is named."""
    if not svg:
        return lambda _: None
    from railwise.cli.discover_output import replace_file
    from railwise.cli.output import write_file
    from railwise.report.fabric_svg import fabric_svg

    write = write_file if svg == "-" else replace_file
    return lambda drawn: write(svg, fabric_svg(drawn, "The fabric as it is"))


def _teller(
    collector: Collector, before: Map | None, state: str | None, paint: Callable[[Map], None]
) -> Callable[[Map], None]:
    """Return what tells of each new map, draws and stores it."""
    from railwise.cli import discover_output as output

    last = before

    def tell(drawn: Map) -> None:
        nonlocal last
        output.news(last, drawn, collector)
        paint(drawn)
        if state:
            output.store(drawn, state)
        last = drawn

    return tell
