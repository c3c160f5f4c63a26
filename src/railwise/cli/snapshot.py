"""``railwise snapshot``: a live cluster as a scenario file, from which the same plan comes out offline."""

from __future__ import annotations

import click

from railwise.cli.asked import Cluster, Inputs, context_options
from railwise.cli.options import levels_option

_FORMS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


@click.command("snapshot")
@click.option(
    "-o", "--output", "out", default="-", metavar="FILE", help="FILE.yaml or FILE.json; default: to standard output."
)
@context_options
@levels_option
def command(*, out: str, cluster: Cluster, levels: str) -> None:
    """Record a live cluster as a scenario: nodes, what runs, what waits since when, and queues.

    Without --context the current one of the kubeconfig is read. Nothing is changed there. The file is written as a
    whole or not at all, and every command that takes a scenario takes it.
    """
    from pathlib import Path

    from railwise.cli.errors import HintedError, note_line
    from railwise.cli.whole_file import check_writable, write_whole
    from railwise.formats.scenario.writer import scenario_text

    path = Path(out)
    form = "yaml" if out == "-" else _FORMS.get(path.suffix, "")
    if not form:
        raise HintedError(f"-o {out}: is neither YAML nor JSON", "name a file that ends in .yaml or .json")
    if out != "-":
        check_writable(path, "-o")
    asked = Inputs((), levels, cluster if cluster.meant() else cluster._replace(context=""))
    look = asked.look
    if look is None:
        return
    text = scenario_text(look.scenario, form)
    if out == "-":
        click.echo(text, nl=False)
        return
    write_whole(path, text.encode())
    count = len(look.scenario.workloads)
    note_line(f"{out}: {len(look.scenario.nodes)} nodes and {count} workloads")
    for name, lack in look.waiting.items():
        note_line(f"{name} is left out: {lack.there} of its pods are there, not all that it needs")
