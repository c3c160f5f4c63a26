"""Reports for tests: short ways to say who hears whom."""

from __future__ import annotations

from railwise.fabric.elements import Event, Fabric
from railwise.fabric.observations import SERVER, SWITCH, Observation, Report, SeenPort, Speaker
from railwise.fabric.telling import tell
from railwise.fabric.wires import Wires

SECOND = 1_000_000


def switch(name: str, *rows: Observation | tuple[str, str, str], source: str = "gnmi", time: int = 0) -> Report:
    """Return what a switch hears: observations, or (port, system name, remote port) in short."""
    return Report(source, Speaker(name, SWITCH, chassis=(f"chassis-{name}",)), time, tuple(map(row, rows)))


def server(
    name: str, *rows: Observation | tuple[str, str, str], nics: tuple[SeenPort, ...] = (), time: int = 0
) -> Report:
    """Return what a server hears, and which NICs it has."""
    return Report("lldpd", Speaker(name, SERVER), time, tuple(map(row, rows)), nics)


def row(one: Observation | tuple[str, str, str]) -> Observation:
    """Return an observation, whatever form it has."""
    return one if isinstance(one, Observation) else Observation(one[0], one[1], remote_port=one[2], port_kind="ifname")


def told(fabric: Fabric, *events: Event, time: int = 0, sources: tuple[str, ...] = ()) -> list[Report]:
    """Return what a fabric tells after some events."""
    wires = Wires(fabric)
    for event in events:
        wires.apply(event)
    return list(tell(wires, time, sources)) if sources else list(tell(wires, time))
