"""``railwise fabric serve``: a laboratory of virtual devices, until somebody ends it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from railwise.cli.durations import duration_of

if TYPE_CHECKING:
    from railwise.lab.running import RunningLab
    from railwise.lab.serving import Listening

LAB = "railwise-lab"
"""The folder of a laboratory, unless told otherwise."""

SHOWN = 20
"""So many switches are listed; all of them stand in lab.json."""


@click.command("serve")
@click.argument("path", metavar="FABRIC")
@click.option(
    "--lab",
    "folder",
    default=LAB,
    show_default=True,
    metavar="FOLDER",
    help="Files, ports and the control socket go there.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The first switch's port, the others follow; 0 (default): any free ones.",
)
@click.option("--tls-key", type=click.Path(path_type=Path), help="The switches' key (PEM); with --tls-cert.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="The switches' certificate (PEM).")
@click.option(
    "--tls-clients", type=click.Path(path_type=Path), help="Only clients with a certificate of this authority."
)
@click.option("--user", default="", help="Ask clients for this user.")
@click.option("--password-file", type=click.Path(path_type=Path), help="The user's password stands in this file.")
@click.option(
    "--speed", type=click.FloatRange(0.001, 1_000_000), default=1.0, help="Play the timeline so many times as fast."
)
@click.option("--detach", is_flag=True, help="Return when everything listens; `railwise fabric stop` ends it.")
@click.option("--for", "lifetime", default="", metavar="TIME", help="End by itself after so long, such as 10m.")
def serve(path: str, *, folder: str, host: str, port: int, speed: float, **more: object) -> None:
    """Start a virtual gNMI switch for each switch of FABRIC, and what managers and servers would tell.

    Switches speak gNMI, each in the dialect of its system; UFM, NetQ and NMX answer over HTTP; what `lldpctl`,
    `ibnetdiscover`, `nvidia-smi` and the KFD driver show lies in files. The fabric's `timeline` plays by itself;
    `railwise fabric set-cable`, `kill-switch`, `flap` and `miswire` act on it meanwhile. Ctrl-C ends it.
    """
    if more["detach"]:
        from railwise.cli.fabric_detach import detach

        detach(Path(folder))
        return
    import asyncio
    import os

    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    from railwise.cli.sources import read_sources
    from railwise.formats.fabric.forms import read_wiring
    from railwise.lab.running import RunningLab

    ((name, data),) = read_sources([path])
    fabric = read_wiring(data, name)
    lab = RunningLab(fabric, Path(folder), _listening(host, port, more))
    asyncio.run(_run(lab, speed, _seconds(str(more["lifetime"]))))


def _seconds(lifetime: str) -> float | None:
    return duration_of("--for", lifetime, "a time such as 10m") / 1_000_000 if lifetime else None


def _listening(host: str, port: int, security: dict[str, object]) -> Listening:
    from railwise.cli.errors import HintedError
    from railwise.lab.gnmi_switch import Access
    from railwise.lab.serving import Certificates, Listening

    key, chain, clients, password = (security[name] for name in ("tls_key", "tls_cert", "tls_clients", "password_file"))
    if (key is None) != (chain is None) or (clients is not None and key is None):
        raise HintedError("a key without its certificate, or the other way round", "give --tls-key and --tls-cert")
    user = str(security["user"])
    if bool(user) != isinstance(password, Path):
        raise HintedError("a user without a password, or the other way round", "give --user and --password-file")
    secret = password.read_text(encoding="utf-8").rstrip("\r\n") if isinstance(password, Path) else ""
    certificates = None
    if isinstance(key, Path) and isinstance(chain, Path):
        certificates = Certificates(key, chain, clients if isinstance(clients, Path) else None)
    return Listening(host, port, Access(user, secret), certificates, password if isinstance(password, Path) else None)


async def _run(lab: RunningLab, speed: float, lifetime: float | None) -> None:
    """Run a laboratory until it is told to end."""
    import asyncio
    import signal

    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await lab.start()
    try:
        _announce(lab)
        timeline = asyncio.create_task(lab.play(speed))
        over = [asyncio.create_task(ended.wait()), asyncio.create_task(lab.ended.wait())]
        await asyncio.wait(over, timeout=lifetime, return_when=asyncio.FIRST_COMPLETED)
        for task in (timeline, *over):
            task.cancel()
    finally:
        await lab.stop()
    click.echo("the laboratory has ended", err=True)


def _announce(lab: RunningLab) -> None:
    from railwise.cli.output import print_table
    from railwise.report.table import Column, row, table

    directory = lab.directory()
    switches = directory["switches"]
    columns: list[Column | str] = ["SWITCH", "GNMI", "SPEAKS"]
    print_table(table(columns, [row(one["name"], one["address"], one["dialect"]) for one in switches[:SHOWN]]))
    if len(switches) > SHOWN:
        click.echo(f"and {len(switches) - SHOWN} more, see {lab.folder / 'lab.json'}")
    option = "" if str(lab.folder) == LAB else f" --lab {lab.folder}"
    cables = lab.laboratory.fabric.cables
    ends = [f"{port.device}/{port.name}" for cable in cables[:2] for port in (cable.a, cable.b)]
    first = f"set-cable{option} {ends[0]} {ends[1]} --down" if ends else f"kill-switch{option} SWITCH"
    second = f"miswire{option} {ends[0]} {ends[2]}" if len(ends) > 2 else first  # noqa: PLR2004 # two cables
    click.echo(
        f"\nManagers (UFM, NetQ, NMX): {directory['managers']}\nFiles of the servers: {lab.folder / 'hosts'}\n\n"
        f"Act on it from another terminal:\n  railwise fabric {first}\n  railwise fabric {second}\nCtrl-C ends it."
    )
    sys.stdout.flush()
