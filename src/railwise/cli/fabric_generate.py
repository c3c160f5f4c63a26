"""``railwise fabric generate``: a fabric drawn to one of the usual designs, at any size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from railwise.fabric.designs import Design
    from railwise.fabric.elements import Fabric

NAMES = ("rail-optimised", "fat-tree", "nvl72", "dgx-superpod", "two-tier-ethernet", "irregular")
DIALECTS = ("sonic", "cumulus", "openconfig", "infiniband")
MOST_SERVERS = 100_000
MOST_CABLES = 1_000_000


@click.command("generate")
@click.argument("design", type=click.Choice(NAMES), metavar="DESIGN")
@click.option("--units", type=click.IntRange(1, 10_000), help="Units (pods, racks) of the fabric.")
@click.option("--servers", type=click.IntRange(1, 10_000), help="Servers of a unit; nvl72: racks of a unit.")
@click.option("--rails", type=click.IntRange(1, 64), help="NICs of a server for compute.")
@click.option("--spines", type=click.IntRange(1, 1024), help="Spines; fat-tree: of a pod; dgx-superpod: of 4 units.")
@click.option("--gpus", type=click.IntRange(0, 1024), help="GPUs of a server.")
@click.option("--storage", type=click.IntRange(0, 1024), help="Storage leaves, for one further NIC of each server.")
@click.option("--dialect", type=click.Choice(DIALECTS), help="How the switches speak; default sonic.")
@click.option("--seed", type=click.IntRange(0), help="Of irregular: the same seed makes the same fabric.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Write the fabric to FILE; - (default) prints it.")
def generate(*, design: str, output: str, dialect: str | None, **numbers: int | None) -> None:
    """Draw a fabric to a design: rail-optimised, fat-tree, nvl72, dgx-superpod, two-tier-ethernet or irregular.

    Sizes that are not given are the design's usual ones. The file is meant to be read and edited.
    """
    from railwise.cli.errors import HintedError
    from railwise.cli.output import write_file
    from railwise.fabric.designs import DESIGNS
    from railwise.fabric.elements import Dialect
    from railwise.formats.fabric.writer import fabric_text

    chosen = DESIGNS[design]
    _check(design, chosen, numbers, dialect)
    changes: dict[str, Any] = {key: value for key, value in numbers.items() if value is not None}
    size = replace(chosen.usual, **changes, dialect=Dialect(dialect or chosen.usual.dialect))
    servers = size.units * size.servers * (18 if design == "nvl72" else 1)
    if servers > MOST_SERVERS or servers * size.rails + size.units * size.rails * size.spines > MOST_CABLES:
        raise HintedError(f"{servers} servers are too many", f"at most {MOST_SERVERS} servers, {MOST_CABLES} cables")
    fabric = chosen.draw(size)
    write_file(output, fabric_text(fabric))
    if output != "-":
        click.echo(f"wrote {output}: {_counts(fabric)}\n\nNext:\n  railwise fabric show {output}")


def _check(design: str, chosen: Design, numbers: dict[str, int | None], dialect: str | None) -> None:
    """Refuse options that the design does not heed."""
    from railwise.cli.errors import HintedError

    given = {name for name, value in numbers.items() if value is not None} | ({"dialect"} if dialect else set())
    for name in sorted(given & set(chosen.fixed)):
        raise HintedError(f"--{name} means nothing to {design}", f"{design}: {chosen.about}")


def _counts(fabric: Fabric) -> str:
    down = f"{len(fabric.servers)} servers, {len(fabric.switches)} switches, {len(fabric.cables)} cables"
    return f"{down}, {len(fabric.domains)} NVLink domains" if fabric.domains else down
