"""The pictures of the page on grouping: small fabrics drawn by the program itself, as they are and with faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.wires import Wires
from railwise.report.fabric_svg import fabric_svg


def _units() -> Fabric:
    design = DESIGNS["rail-optimised"]
    return design.draw(replace(design.usual, units=3, servers=8, rails=8, spines=4))


def _drawn(fabric: Fabric, title: str, *events: Event) -> str:
    wires = Wires(fabric)
    for event in events:
        wires.apply(event)
    return fabric_svg(build(tell(wires), None, fabric), title)


def pictures() -> Iterator[tuple[str, str]]:
    """Yield (file name, SVG) of each picture."""
    units = _units()
    right = {cable.a: cable.b for cable in units.cables}
    faults = (
        Event(0, Action.NIC, ports=(Port("gpu-03", "eth5"),)),
        Event(0, Action.REPLUG, ports=(right[Port("gpu-12", "eth2")], Port("leaf-20", "Ethernet60"))),
        Event(0, Action.REPLUG, ports=(right[Port("gpu-22", "eth6")], right[Port("gpu-22", "eth7")])),
    )
    yield "fabric-units.svg", _drawn(units, "Three units, eight rails")
    yield "fabric-faults.svg", _drawn(units, "A dead NIC, a stray cable, swapped rails", *faults)
    nvl72 = DESIGNS["nvl72"]
    racks = nvl72.draw(replace(nvl72.usual, units=2, servers=2, spines=4))
    yield "fabric-nvl72.svg", _drawn(racks, "Four NVL72 racks on two units of rails")
