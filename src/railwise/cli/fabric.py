"""``railwise fabric``: fabrics are designed, drawn, checked and converted; the work of each command stands beside."""

from __future__ import annotations

import click

from railwise.cli.fabric_convert import convert
from railwise.cli.fabric_generate import generate


@click.group("fabric")
def fabric() -> None:
    """Design, draw, check and convert fabrics."""


fabric.add_command(generate)
fabric.add_command(convert)
