"""What ``railwise discover`` prints: the map, what changed in it, and which sources say nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from railwise.discovery.collector import Collector
    from railwise.fabric.changes import Difference
    from railwise.fabric.fabric_map import Map
    from railwise.fabric.findings import Finding

MOST_FAILURES = 20
"""So many silent sources are named."""


def failures(collector: Collector) -> None:
    """Warn of every source that told nothing."""
    from railwise.cli.errors import warning_line

    silent = list(collector.failures.values())
    for one in silent[:MOST_FAILURES]:
        warning_line(f"{one.source}: {one.reason}")
    if len(silent) > MOST_FAILURES:
        warning_line(f"and {len(silent) - MOST_FAILURES} more sources that tell nothing")


def show(drawn: Map, form: str) -> None:
    """Print a map."""
    from railwise.cli.output import print_data, print_table
    from railwise.formats.discovery.map_document import map_document
    from railwise.report.fabric_findings import findings_table
    from railwise.report.fabric_tables import groups_table, headline, links_table, scale_up_table

    if form in ("json", "yaml"):
        print_data(map_document(drawn), form)
        return
    wide = form == "wide"
    click.echo(headline(drawn) + "\n")
    print_table(groups_table(drawn), wide=wide)
    if drawn.scale_up:
        click.echo()
        print_table(scale_up_table(drawn), wide=wide)
    if wide:
        click.echo()
        print_table(links_table(drawn))
    click.echo()
    if drawn.findings:
        print_table(findings_table(drawn.findings), wide=wide)
    else:
        click.echo("Nothing is found to be wrong.")


def problems(drawn: Map) -> list[Finding]:
    """Return the findings that somebody should look into."""
    from railwise.fabric.findings import PROBLEMS

    return [one for one in drawn.findings if one.kind in PROBLEMS]


def differences(wanted: Map | None, drawn: Map) -> int:
    """Print what is different and return the exit code: 1 if anything is."""
    from railwise.cli.errors import ExitCode
    from railwise.fabric.changes import differences as compare
    from railwise.fabric.fabric_map import Map

    found = compare(wanted or Map(), drawn)
    for one in found:
        click.echo(difference_line(one))
    if not found:
        click.echo("Nothing differs.")
    return ExitCode.FINDING if found else ExitCode.OK


def difference_line(one: Difference) -> str:
    """Return a difference as a line."""
    from railwise.cli.errors import printable
    from railwise.fabric.changes import What

    about = f"{one.subject} {one.detail}".rstrip() if one.what is not What.RAILS else f"{one.subject} dead rails"
    if one.what is What.FINDING:
        return printable(f"{'found' if one.after else 'mended'}: {one.after or one.before} {one.subject}")
    return printable(f"{about}: {one.before or 'nothing'} -> {one.after or 'nothing'}")


def news(last: Map | None, drawn: Map, collector: Collector) -> None:
    """Print what a new map says that the last one did not, with the time of day."""
    import time

    from railwise.fabric.changes import differences as compare
    from railwise.report.fabric_tables import headline

    stamp = time.strftime("%H:%M:%S", time.localtime(drawn.time / 1_000_000))
    if last is None:
        click.echo(f"{stamp} {headline(drawn)}")
        failures(collector)
        for finding in drawn.findings:
            from railwise.report.fabric_findings import finding_text

            click.echo(f"{stamp} {finding.kind.value}: {finding_text(finding)}")
    else:
        for one in compare(last, drawn):
            click.echo(f"{stamp} {difference_line(one)}")
    sys.stdout.flush()


def store(drawn: Map, state: str) -> None:
    """Write a map to a file, whole or not at all."""
    from railwise.formats.discovery.map_document import map_document
    from railwise.formats.document_writer import document_text

    replace_file(state, document_text(map_document(drawn), "json"))


def replace_file(name: str, text: str) -> None:
    """Write a file that others may be reading: they see the old one or the new one, never half of it."""
    path = Path(name)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
