"""The entry of the command line: commands that load when they are used, and errors that say how to mend them.

A command is a line in a registry until somebody calls it, so that ``railwise --help`` and completion stay instant
however much the other commands import. Every error that a user can cause ends in ``error:`` and ``hint:`` lines and
exit code 2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

import railwise
from railwise.cli.errors import ExitCode, print_error, print_unexpected
from railwise.model.errors import RailwiseError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("railwise.cli.demo:command", "See four schedulers live through the same day on one small fabric."),
    "init": ("railwise.cli.init:command", "Write a commented scenario to start from."),
    "plan": ("railwise.cli.plan:command", "Decide once: who would go where, and why the rest waits."),
    "why": ("railwise.cli.why:command", "Say why a workload waits, or why a queue is due its share."),
    "defrag": ("railwise.cli.defrag:command", "Propose moves by which the biggest waiting gang starts."),
    "explain": ("railwise.cli.explain:command", "Explain a reason code, or list them all."),
    "get": ("railwise.cli.get:group", "Show topology, nodes, workloads, queues or the slots left."),
    "estimate": ("railwise.cli.estimate:command", "Tell what communication takes, term by term."),
    "simulate": ("railwise.cli.simulate:command", "Let a scenario live in virtual time, under several policies."),
    "fill": ("railwise.cli.fill:command", "See how full a cluster gets when more is asked for than it has."),
    "learn": ("railwise.cli.learn:command", "Learn from history which pods and sizes usually come."),
    "sweep": ("railwise.cli.sweep:command", "Compare policies over seeds and parameters, side by side."),
    "diff": ("railwise.cli.diff:command", "Find where two runs decided differently, and explain it."),
    "test": ("railwise.cli.test_cases:command", "Run policy tests."),
    "discover": ("railwise.cli.discover:command", "Ask switches and servers how they are cabled: the map."),
    "fabric": ("railwise.cli.fabric:fabric", "Design, draw and convert fabrics."),
    "schema": ("railwise.cli.schema:command", "Print the JSON Schema of a format, for editors."),
    "audit": ("railwise.cli.audit:command", "Check a cluster for what would hurt."),
    "snapshot": ("railwise.cli.snapshot:command", "Record a live cluster as a scenario file."),
    "replay": ("railwise.cli.replay:command", "Decide again what a live scheduler decided, from its recording."),
    "run": ("railwise.cli.run:group", "Run a live controller: scheduler, gate, discovery or agent."),
    "dev": ("railwise.cli.dev:group", "Run a Kubernetes cluster of fake GPU nodes on this machine."),
    "completion": ("railwise.cli.completion:command", "Print the completion script of a shell."),
}
"""Name, where the command is, and its line in the help."""

COMPLETION = "_RAILWISE_COMPLETE"
"""The variable by which a shell asks for completions."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called; their help lines stand in ``COMMANDS``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the registry."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; an unknown name is an error with near misses."""
        del ctx
        if cmd_name not in COMMANDS:
            from railwise.cli.suggest import unknown

            raise unknown("command", cmd_name, list(COMMANDS))
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            message = f"{module}:{attribute} is no command"
            raise TypeError(message)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(railwise.__version__, prog_name="railwise", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Railwise finds the right slots for AI workloads, not just free ones.

    Start with `railwise demo`, or `railwise init` and `railwise plan scenario.yaml`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 ok, 1 finding or failed test, 2 usage or input error.

    Args:
        arguments: without the program's name; None: those of the process.
    """
    try:
        result = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; the interpreter must not complain about it when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.BROKEN_PIPE
    except (click.ClickException, RailwiseError, OSError) as error:
        print_error(error)
        return ExitCode.BAD_INPUT
    except Exception as error:  # noqa: BLE001 -- a user never sees a traceback
        print_unexpected(error)
        return ExitCode.INTERNAL
    return result if isinstance(result, int) else ExitCode.OK


def _invoke(arguments: list[str]) -> object:
    """Run a command without the error handling of click's own ``main``, which ends the process by itself."""
    if COMPLETION in os.environ:
        return cli.main(args=arguments, prog_name="railwise", complete_var=COMPLETION)
    with cli.make_context("railwise", arguments) as context:
        return cli.invoke(context)


def main() -> NoReturn:
    """Run the command line and leave the process with its exit code."""
    sys.exit(run())
