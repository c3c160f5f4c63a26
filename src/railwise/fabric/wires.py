"""Which plug sits where, and which links are up, while events change both.

The laboratory of virtual switches and the simulated cluster both need the same answers (who is the neighbour of this
port, and does the link work), so the state of a fabric is kept here once. A link is up when its cable carries light and
the device and the NIC at both ends work; a dead switch keeps its plugs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

from railwise.fabric.elements import Action, Event, Fabric, Port

T = TypeVar("T")


class Link(NamedTuple):
    """A cable where it is plugged in now: its index in the fabric, both ends (None: hangs loose), whether it is up."""

    cable: int
    a: Port | None
    b: Port | None
    up: bool


class Wires:
    """The live state of a fabric's wiring, at first as ``fabric.actual`` leaves it."""

    def __init__(self, fabric: Fabric) -> None:
        """Plug everything in as intended, then let the initial differences happen."""
        self.fabric = fabric
        self._ends: list[Port | None] = [port for cable in fabric.cables for port in (cable.a, cable.b)]
        """Where each plug sits; plugs 2n and 2n + 1 are those of cable n."""

        self._plug: dict[Port, int] = {}
        for index, cable in enumerate(fabric.cables):
            self._plug[cable.a] = 2 * index
            self._plug[cable.b] = 2 * index + 1
        self._dark: set[int] = set()
        self._dead: set[Port] = set()
        self._off: set[str] = set()
        self._maintained: set[str] = set()
        self._silent: set[str] = set()
        for event in fabric.actual:
            self.apply(event)

    def apply(self, event: Event) -> frozenset[Port]:
        """Let one event happen and return the ports whose neighbour or state changed by it.

        A flapping event goes off at once; ``expanded`` makes plain events of it.
        """
        match event.action:
            case Action.CABLE:
                return self._set_cable(event.cable, on=event.on)
            case Action.NIC:
                return self._set_nic(event.ports[0], on=event.on)
            case Action.SWITCH | Action.SERVER:
                return self._set_device(event.device, on=event.on)
            case Action.MAINTENANCE:
                _put(self._maintained, event.device, present=event.on)
            case Action.TELEMETRY:
                _put(self._silent, event.device, present=not event.on)
            case Action.REPLUG:
                return self._replug(event.ports[0], event.ports[1])
        return frozenset()

    def near(self, event: Event) -> frozenset[Port]:
        """Return every port whose neighbour or state an event could change."""
        match event.action:
            case Action.CABLE:
                return frozenset(port for port in self.ends(event.cable) if port is not None)
            case Action.NIC | Action.REPLUG:
                return self._with_peers(list(event.ports))
            case Action.SWITCH | Action.SERVER:
                return self._with_peers(self._plugged(event.device))
        return frozenset()

    def peer(self, port: Port) -> Port | None:
        """Return the port at the other end of what is plugged in here, whether the link is up or not."""
        plug = self._plug.get(port)
        return None if plug is None else self._ends[plug ^ 1]

    def neighbour(self, port: Port) -> Port | None:
        """Return the port at the other end if the link is up."""
        peer = self.peer(port)
        return peer if peer is not None and self.up(port) else None

    def up(self, port: Port) -> bool:
        """Return whether the link at a port is up."""
        plug = self._plug.get(port)
        return plug is not None and self._is_up(plug // 2)

    def cable_at(self, port: Port) -> int | None:
        """Return the index of the cable that is plugged in here."""
        plug = self._plug.get(port)
        return None if plug is None else plug // 2

    def ends(self, cable: int) -> tuple[Port | None, Port | None]:
        """Return where the two plugs of a cable are now."""
        return self._ends[2 * cable], self._ends[2 * cable + 1]

    def links(self) -> Iterator[Link]:
        """Yield every cable, in the order of the fabric."""
        for index in range(len(self._ends) // 2):
            yield Link(index, *self.ends(index), self._is_up(index))

    def runs(self, device: str) -> bool:
        """Return whether a switch or server runs."""
        return device not in self._off

    def maintained(self, switch: str) -> bool:
        """Return whether a switch is in maintenance."""
        return switch in self._maintained

    def tells(self, switch: str) -> bool:
        """Return whether a switch runs and tells about itself."""
        return switch not in self._silent and switch not in self._off

    def _is_up(self, cable: int) -> bool:
        a, b = self.ends(cable)
        if a is None or b is None or cable in self._dark:
            return False
        return not (a in self._dead or b in self._dead or a.device in self._off or b.device in self._off)

    def _set_cable(self, cable: int, *, on: bool) -> frozenset[Port]:
        if on != (cable in self._dark):
            return frozenset()
        _put(self._dark, cable, present=not on)
        return frozenset(port for port in self.ends(cable) if port is not None)

    def _set_nic(self, port: Port, *, on: bool) -> frozenset[Port]:
        if on != (port in self._dead):
            return frozenset()
        _put(self._dead, port, present=not on)
        return self._with_peers([port])

    def _set_device(self, device: str, *, on: bool) -> frozenset[Port]:
        if on != (device in self._off):
            return frozenset()
        _put(self._off, device, present=not on)
        return self._with_peers(self._plugged(device))

    def _replug(self, first: Port, second: Port) -> frozenset[Port]:
        """Let the plugs of two ports change places."""
        before = self._with_peers([first, second])
        plugs = (self._plug.pop(first, None), self._plug.pop(second, None))
        for port, plug in ((second, plugs[0]), (first, plugs[1])):
            if plug is not None and first != second:
                self._plug[port] = plug
                self._ends[plug] = port
            elif plug is not None:
                self._plug[port] = plug
        return before | {first, second} if first != second else frozenset()

    def _plugged(self, device: str) -> list[Port]:
        return [port for port in self._plug if port.device == device]

    def _with_peers(self, ports: list[Port]) -> frozenset[Port]:
        peers = [self.peer(port) for port in ports]
        return frozenset(ports) | {peer for peer in peers if peer is not None}


def expanded(timeline: tuple[Event, ...]) -> list[Event]:
    """Return plain events in order of time, flaps written out; equal times keep the order of the document."""
    plain: list[Event] = []
    for event in timeline:
        if not event.times:
            plain.append(event)
            continue
        for turn in range(event.times):
            start = event.at + turn * event.every
            plain.append(replace(event, at=start, on=False, every=0, times=0))
            plain.append(replace(event, at=start + event.every // 2, on=True, every=0, times=0))
    return sorted(plain, key=lambda event: event.at)


def _put(items: set[T], item: T, *, present: bool) -> None:
    """Add an item to a set or take it out."""
    if present:
        items.add(item)
    else:
        items.discard(item)
