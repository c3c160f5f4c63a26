"""``railwise schema``: the JSON Schema of a format, so that editors complete and check what is typed."""

from __future__ import annotations

import click

KINDS = ("scenario", "plan", "case", "fabric", "discovery", "sweep")


@click.command("schema")
@click.argument("kind", type=click.Choice(KINDS), default="scenario", metavar=f"[{'|'.join(KINDS)}]")
@click.option("--crds", is_flag=True, help="Print our custom resources instead: pipe it to kubectl apply -f -.")
def command(*, kind: str, crds: bool) -> None:
    """Print the JSON Schema of scenarios (default), plans, policy tests, fabrics, discovery or sweeps.

    For editors with a YAML language server: railwise schema > scenario.schema.json, and as first line of a scenario
    `# yaml-language-server: $schema=scenario.schema.json`.

    With --crds the CustomResourceDefinitions of Queue and Topology, railwise.dev/v1alpha1:
    railwise schema --crds | kubectl apply -f -
    """
    if crds:
        from railwise.formats.document_writer import document_text
        from railwise.formats.kubernetes.dialects.crds import crds as definitions

        click.echo("---\n".join(document_text(one, "yaml") for one in definitions()).rstrip("\n"))
        return
    from railwise.cli.output import print_data
    from railwise.formats.schema import schema_of

    print_data(schema_of(kind), "json")
