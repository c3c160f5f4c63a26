"""``railwise fabric``: fabrics are designed, drawn, checked and converted; the work of each command stands beside."""

from __future__ import annotations

import click

from railwise.cli.fabric_act import flap, kill_switch, maintain, miswire, set_cable, stop
from railwise.cli.fabric_convert import convert
from railwise.cli.fabric_deploy import deploy
from railwise.cli.fabric_generate import generate
from railwise.cli.fabric_serve import serve
from railwise.cli.fabric_show import check, show


@click.group("fabric")
def fabric() -> None:
    """Design, draw, check and convert fabrics."""


fabric.add_command(generate)
fabric.add_command(show)
fabric.add_command(check)
fabric.add_command(convert)
fabric.add_command(deploy)
for command in (serve, set_cable, miswire, flap, kill_switch, maintain, stop):
    fabric.add_command(command)
