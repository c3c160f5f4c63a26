"""``railwise fabric show`` and ``check``: what follows from a wiring, and how it differs from what is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode, HintedError, warning_line

if TYPE_CHECKING:
    from railwise.fabric.elements import Fabric
    from railwise.fabric.fabric_map import Map

FORMS = ("table", "wide", "json", "yaml")

_form = click.option("-o", "--output", "form", type=click.Choice(FORMS), default="table", help="wide also lists links.")
_kind = click.option("--from", "kind", default="", metavar="FORM", help="The form of FILE, where it cannot be told.")
_at = click.option("--at", metavar="TIME", help="Let the file's timeline happen until then (10m).")
_svg = click.option("--svg", metavar="FILE", help="Also draw it into an SVG file; - prints the drawing alone.")


@click.command("show")
@click.argument("path", metavar="FILE")
@_form
@_kind
@_at
@_svg
def show(*, path: str, form: str, kind: str, at: str | None, svg: str | None) -> None:
    """Show leaf groups, rails, wider domains and NVLink domains of a fabric, and what is wrong in it.

    FILE is a fabric, or any other form that `railwise fabric convert` reads.
    """
    from railwise.cli.discover_output import show as print_map

    fabric = _fabric(path, kind)
    found = _map(fabric, fabric if fabric.actual or at else None, at)
    if svg != "-":
        print_map(found, form)
    if svg:
        _draw(svg, found, fabric.name)


@click.command("check")
@click.argument("path", metavar="FILE")
@click.option("--actual", metavar="FILE", help="The wiring as it is; default: what FILE itself says under 'actual'.")
@_form
@_kind
@_at
@_svg
def check(*, path: str, actual: str | None, form: str, kind: str, at: str | None, svg: str | None) -> int:
    """Compare the wiring as it is with the wiring as it is meant; exit 1 if anything is wrong.

    FILE says how it is meant: a fabric, NVIDIA Air, PTM topology.dot or containerlab. The wiring as it is comes from
    --actual, in any of these forms or as a map that `railwise discover --state` stored.
    """
    from railwise.cli.discover_output import problems
    from railwise.cli.output import print_data, print_table
    from railwise.report.fabric_findings import findings_table

    intent = _fabric(path, kind)
    found = _actual(actual, intent, at) if actual else _map(intent, intent, at)
    wrong = problems(found)
    if form in ("json", "yaml"):
        print_data(_items(found), form)
    elif wrong:
        print_table(findings_table(tuple(wrong)), wide=form == "wide")
    if form not in ("json", "yaml") and svg != "-":
        counts = f"{len(intent.cables)} cables, {len(intent.servers)} servers"
        click.echo(f"\n{len(wrong)} findings in {counts}." if wrong else f"As it is meant: {counts}.")
    if svg:
        _draw(svg, found, intent.name)
    return ExitCode.FINDING if wrong else ExitCode.OK


def _fabric(path: str, kind: str) -> Fabric:
    """Return the fabric of a file in any form; warnings are printed."""
    from railwise.cli.fabric_convert import FORMS as KNOWN
    from railwise.cli.sources import read_sources
    from railwise.formats.fabric.forms import read_wiring

    if kind and kind not in KNOWN:
        raise HintedError(f"unknown form '{kind}'", f"one of {', '.join(KNOWN)}")
    ((name, data),) = read_sources([path])
    fabric = read_wiring(data, name, kind)
    for warning in fabric.warnings:
        warning_line(warning)
    return fabric


def _map(fabric: Fabric, intent: Fabric | None, at: str | None) -> Map:
    """Return the map of a fabric as it is plugged at a time of its timeline; without intent, wrong is what is odd."""
    from railwise.fabric.mapper import build
    from railwise.fabric.telling import tell
    from railwise.fabric.wires import Wires, expanded
    from railwise.model.quantity import parse_duration

    wires = Wires(fabric)
    if at is not None:
        try:
            now = parse_duration(at)
        except ValueError as error:
            raise HintedError(f"--at: {error}, not '{at}'", "a time such as 90s or 10m") from None
        for event in expanded(fabric.timeline):
            if event.at <= now:
                wires.apply(event)
    return build(tell(wires), None, intent)


def _actual(path: str, intent: Fabric, at: str | None) -> Map:
    """Return the map of another file, judged by the intent."""
    from railwise.cli.sources import read_sources
    from railwise.fabric.mapper import build
    from railwise.formats.discovery.map_document import KIND, read_map
    from railwise.formats.document import load

    ((name, data),) = read_sources([path])
    first = load(data, name)[0].value if KIND.encode() in data[:4096] else None
    if isinstance(first, dict) and first.get("kind") == KIND:
        stored = read_map(data, name)
        return build([], stored, intent, stored.time)
    return _map(_fabric(path, ""), intent, at)


def _items(found: Map) -> dict[str, object]:
    """Return the findings as plain data."""
    from railwise.cli.output import listing
    from railwise.report.fabric_findings import finding_text

    items: list[dict[str, object]] = [
        {
            "kind": one.kind.value,
            "subject": one.subject,
            "ports": list(one.ports),
            "expected": list(one.expected),
            "inferred": one.inferred,
            "facts": dict(one.facts),
            "text": finding_text(one),
        }
        for one in found.findings
    ]
    return listing("FindingList", items)


def _draw(svg: str, found: Map, title: str) -> None:
    from railwise.cli.output import write_file
    from railwise.report.fabric_svg import fabric_svg

    write_file(svg, fabric_svg(found, title))
