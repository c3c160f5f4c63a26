"""``railwise completion``: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(*, shell: str) -> None:
    """Print the completion script of a shell.

    For bash, in ~/.bashrc: eval "$(railwise completion bash)"; for fish: railwise completion fish | source.
    """
    from click.shell_completion import get_completion_class

    from railwise.cli.main import COMPLETION, cli

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(found(cli, {}, "railwise", COMPLETION).source())
