"""``railwise init``: a commented scenario to start from."""

from __future__ import annotations

from pathlib import Path

import click

from railwise.cli.errors import HintedError

DEFAULT_NAME = "scenario.yaml"


@click.command("init")
@click.argument("path", default=DEFAULT_NAME, metavar="[FILE]")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
def command(*, path: str, force: bool) -> None:
    """Write a commented scenario to FILE (default scenario.yaml); - prints it.

    It holds a small cluster, a queue and three workloads, each field with what it means.
    """
    from railwise.cli.starter import STARTER

    if path == "-":
        click.echo(STARTER, nl=False)
        return
    target = Path(path)
    if target.exists() and not force:
        raise HintedError(f"{path}: exists already", "name another file, or overwrite it with --force")
    target.write_text(STARTER, encoding="utf-8")
    click.echo(
        f"wrote {path}\n\nNext:\n  railwise plan {path}\n  railwise why big -f {path}\n  railwise get slots -f {path}"
    )
