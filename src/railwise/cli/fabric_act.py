"""Acting on a running laboratory: cables pulled and moved, switches killed, links that flap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from railwise.cli.durations import duration_of
from railwise.cli.fabric_serve import LAB


def _lab_option(command: Callable[..., None]) -> Callable[..., None]:
    text = "The folder of the laboratory."
    return click.option("--lab", "folder", default=LAB, show_default=True, metavar="FOLDER", help=text)(command)


@click.command("set-cable")
@click.argument("ends", nargs=2, metavar="END END")
@click.option("--down/--up", default=None, help="Pull the cable, or plug it in again.")
@_lab_option
def set_cable(ends: tuple[str, str], *, down: bool | None, folder: str) -> None:
    """Pull the cable between two ends, or plug it in again.

    An END is DEVICE/PORT, SERVER/railN, or a device alone where only one cable fits.
    """
    from railwise.cli.errors import HintedError

    if down is None:
        raise HintedError("which way?", "give --down or --up")
    _send(folder, {"do": "cable", "ends": list(ends), "up": not down})


@click.command("flap")
@click.argument("ends", nargs=2, metavar="END END")
@click.option("--times", type=click.IntRange(1, 1000), default=3, show_default=True, help="So often.")
@click.option("--every", default="2s", show_default=True, help="From one to the next; down for half of it.")
@_lab_option
def flap(ends: tuple[str, str], *, times: int, every: str, folder: str) -> None:
    """Let the link between two ends go down and up again, several times."""
    seconds = duration_of("--every", every, "a time such as 2s or 500ms") / 1_000_000
    _send(folder, {"do": "cable", "ends": list(ends), "times": times, "every": seconds})


@click.command("miswire")
@click.argument("ports", nargs=2, metavar="PORT PORT")
@_lab_option
def miswire(ports: tuple[str, str], *, folder: str) -> None:
    """Let the plugs in two ports change places; one of the ports may be empty.

    So a cable is moved (to a free port) or two are swapped. Doing it again undoes it.
    """
    _send(folder, {"do": "replug", "ends": list(ports)})


@click.command("kill-switch")
@click.argument("name", metavar="SWITCH")
@click.option("--revive", is_flag=True, help="Switch it on again.")
@click.option("--only", type=click.Choice(["telemetry"]), help="Its links stay, it only falls silent.")
@_lab_option
def kill_switch(name: str, *, revive: bool, only: str | None, folder: str) -> None:
    """Switch a switch off, or on again."""
    _send(folder, {"do": only or "switch", "name": name, "up": revive})


@click.command("maintain")
@click.argument("name", metavar="SWITCH")
@click.option("--done", is_flag=True, help="The work is done.")
@_lab_option
def maintain(name: str, *, done: bool, folder: str) -> None:
    """Say that a switch is worked on: nothing new is to be placed below it; its links stay."""
    _send(folder, {"do": "maintenance", "name": name, "up": not done})


@click.command("stop")
@_lab_option
def stop(folder: str) -> None:
    """End a laboratory."""
    _send(folder, {"do": "stop"})


def _send(folder: str, order: dict[str, Any]) -> None:
    from railwise.cli.errors import HintedError
    from railwise.lab.control import send
    from railwise.lab.orders import OrderError
    from railwise.lab.running import SOCKET

    try:
        changed = send(Path(folder) / SOCKET, order)
    except OrderError as error:
        raise HintedError(str(error), error.hint) from None
    except (FileNotFoundError, ConnectionError):
        raise HintedError(f"no laboratory runs in {folder}", "start one with `railwise fabric serve FABRIC`") from None
    click.echo("\n".join(f"changed {port}" for port in changed) or "done")
