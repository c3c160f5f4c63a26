"""``railwise schema``: the JSON Schema of a format, so that editors complete and check what is typed."""

from __future__ import annotations

import click

KINDS = ("scenario", "plan", "case", "fabric", "discovery", "sweep")


@click.command("schema")
@click.argument("kind", type=click.Choice(KINDS), default="scenario", metavar=f"[{'|'.join(KINDS)}]")
def command(*, kind: str) -> None:
    """Print the JSON Schema of scenarios (default), plans, policy tests, fabrics, discovery or sweeps.

    For editors with a YAML language server: railwise schema > scenario.schema.json, and as first line of a scenario
    `# yaml-language-server: $schema=scenario.schema.json`.
    """
    from railwise.cli.output import print_data
    from railwise.formats.schema import schema_of

    print_data(schema_of(kind), "json")
