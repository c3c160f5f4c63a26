"""``railwise fabric deploy --air``: a fabric as virtual machines, for as long as a command runs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from railwise.lab.air import Air, Exposed

KEY = "AIR_API_KEY"
_EXPOSED = re.compile(r"([^/\s]+)/([^:\s]+):([0-9]{1,5})")


@click.command("deploy", context_settings={"ignore_unknown_options": True})
@click.argument("path", metavar="FABRIC")
@click.argument("run", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option("--air", is_flag=True, help="Deploy to NVIDIA Air.")
@click.option("--url", default="", metavar="URL", help="Its API; default: NVIDIA's.")
@click.option("--key-file", metavar="FILE", help=f"The key stands in this file; default: the variable {KEY}.")
@click.option("--expose", multiple=True, metavar="NODE/INTERFACE:PORT", help="Make a port reachable from outside.")
@click.option(
    "--minutes", type=click.FloatRange(0.01, 600), default=30.0, show_default=True, help="So long each step may take."
)
@click.option("--poll", type=click.FloatRange(0.01, 60), default=5.0, show_default=True, help="Seconds between looks.")
@click.option("--keep", is_flag=True, help="Do not delete the simulation in the end.")
def deploy(path: str, run: tuple[str, ...], *, air: bool, keep: bool, **how: object) -> int:
    """Simulate FABRIC with the switches' own systems, run COMMAND, and take everything down again.

    COMMAND finds the simulation's id in RAILWISE_AIR_SIMULATION, and in RAILWISE_AIR_SERVICES a JSON file that says
    where each exposed port is reached. The exit code is COMMAND's.
    """
    import asyncio

    from railwise.cli.errors import HintedError
    from railwise.cli.sources import read_sources
    from railwise.formats.fabric.air import air_text
    from railwise.formats.fabric.forms import read_wiring
    from railwise.lab.air import DEFAULT_URL, AirError

    if not air:
        raise HintedError("deploy where?", "--air is the one place there is; `railwise fabric serve` needs none")
    if not run and not keep:
        raise HintedError("a simulation that nobody uses would be deleted at once", "give -- COMMAND, or --keep")
    ((name, data),) = read_sources([path])
    manifest = air_text(read_wiring(data, name)).encode()
    exposed = [_exposed(one) for one in _texts(how["expose"])]
    key = _key(how["key_file"])
    minutes, poll = (float(str(how[one])) for one in ("minutes", "poll"))
    try:
        return asyncio.run(
            _run(str(how["url"] or DEFAULT_URL), key, manifest, (run, exposed, minutes * 60, poll, keep))
        )
    except AirError as error:
        raise HintedError(str(error), error.hint) from None


async def _run(
    url: str, key: str, manifest: bytes, how: tuple[tuple[str, ...], list[Exposed], float, float, bool]
) -> int:
    import asyncio
    import signal

    from railwise.lab.air import connected, simulated

    run, exposed, seconds, poll, keep = how
    this = asyncio.current_task()
    if this is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    async with connected(url, key, poll) as air:
        click.echo("importing the fabric", err=True)
        async with simulated(air, manifest, seconds, keep=keep) as simulation:
            click.echo(f"simulation {simulation} runs", err=True)
            code = await _command(air, simulation, run, exposed)
    click.echo(f"simulation {simulation} {'is kept' if keep else 'is deleted'}", err=True)
    return code


async def _command(air: Air, simulation: str, run: tuple[str, ...], exposed: list[Exposed]) -> int:
    """Run the command and return its exit code."""
    import asyncio
    import json
    import tempfile

    from railwise.cli.errors import HintedError

    places = await air.expose(simulation, exposed) if exposed else {}
    for port, place in places.items():
        click.echo(f"{port} is reached at {place}", err=True)
    if not run:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        services = Path(folder) / "services.json"
        services.write_text(json.dumps(places, indent=2) + "\n", encoding="utf-8")
        told = {"RAILWISE_AIR_SIMULATION": simulation, "RAILWISE_AIR_SERVICES": str(services)}
        environment = {name: value for name, value in os.environ.items() if name != KEY} | told
        try:
            process = await asyncio.create_subprocess_exec(*run, env=environment)
        except OSError as error:
            raise HintedError(f"cannot run {run[0]}: {error.strerror}", "write the command after --") from None
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _exposed(text: str) -> Exposed:
    from railwise.cli.errors import HintedError
    from railwise.lab.air import Exposed

    match = _EXPOSED.fullmatch(text)
    if match is None or not 0 < int(match[3]) < 65_536:  # noqa: PLR2004 # ports
        raise HintedError(f"--expose {text}: no port", "write NODE/INTERFACE:PORT, such as leaf-1/eth0:9339")
    return Exposed(match[1], match[2], int(match[3]))


def _key(path: object) -> str:
    from railwise.cli.errors import HintedError

    hint = f"put it into the variable {KEY}, or give --key-file FILE"
    if path is None:
        if key := os.environ.get(KEY, ""):
            return key
        raise HintedError("no key for NVIDIA Air", hint)
    try:
        key = Path(str(path)).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HintedError(f"the key cannot be read: {error}", hint) from None
    if not key.isprintable() or not key:
        raise HintedError(f"{path} holds no key", hint)
    return key
