"""A fabric as it grows in a real room: units of unequal size, dead NICs, missing cables, plugs in the wrong port.

Whatever groups servers by their cables works on a drawing; the question is whether it works here. Everything follows
from the seed, and what is wrong stands in ``actual``, so that a check can be checked.
"""

from __future__ import annotations

from dataclasses import replace

from railwise.fabric.drawing import Drawing, numbered, rail_nics
from railwise.fabric.elements import Action, Cable, Dialect, Event, Fabric, Port, Role, Server
from railwise.model.splitmix import SplitMix

PERCENT = 100
DEAD_NICS = 2
"""NICs of a hundred that are dead."""

MISSING_CABLES = 1
"""Cables of a hundred to servers that were never laid."""

WRONG_PLUGS = 5
"""Plugs of a hundred in each unit, at most, that sit in the port of another one."""


def irregular(units: int, servers: int, rails: int, spines: int, seed: int) -> Fabric:
    """Return an irregular fabric of ``units`` units with up to ``servers`` servers and ``rails`` rails each."""
    chance = SplitMix(seed)
    drawing = Drawing("irregular", list(Dialect)[chance.below(len(Dialect))], 400_000)
    shapes = [
        (1 + chance.below(servers) if chance.below(3) else servers, max(rails - chance.below(2) * (rails // 2), 1))
        for _ in range(units)
    ]
    names = iter(numbered("gpu-", sum(count for count, _ in shapes)))
    by_unit: list[list[Server]] = []
    for unit, (count, own) in zip(numbered("su-", units), shapes, strict=True):
        mine = [Server(next(names), rail_nics(own, 8, 400_000), 8, "H100-80GB", unit) for _ in range(count)]
        by_unit.append(mine)
        for server in mine:
            drawing.server(server)
    leaf_names = iter(numbered("leaf-", sum(own for _, own in shapes)))
    leaves = []
    for (_, own), mine in zip(shapes, by_unit, strict=True):
        for rail in range(own):
            leaf = drawing.switch(next(leaf_names), Role.LEAF, unit=mine[0].unit, rail=rail)
            leaves.append(leaf)
            for server in mine:
                if chance.below(PERCENT) >= MISSING_CABLES:
                    drawing.plug(server.name, server.nics[rail].name, leaf)
    above = [drawing.switch(name, Role.SPINE) for name in numbered("spine-", spines)]
    for leaf in leaves:
        for spine in above:
            drawing.cable(leaf, spine)
    fabric = drawing.finished()
    return replace(fabric, actual=(*_dead(fabric, chance), *_misplugged(fabric, by_unit, chance)))


def _dead(fabric: Fabric, chance: SplitMix) -> list[Event]:
    return [
        Event(0, Action.NIC, on=False, ports=(Port(server.name, nic.name),))
        for server in fabric.servers
        for nic in server.nics
        if chance.below(PERCENT) < DEAD_NICS
    ]


def _misplugged(fabric: Fabric, by_unit: list[list[Server]], chance: SplitMix) -> list[Event]:
    """Return swaps of plugs at leaves, each cable moved once at most."""
    down = [cable for cable in fabric.cables if cable.a.device.startswith("gpu-")]
    unit_of = {server.name: index for index, mine in enumerate(by_unit) for server in mine}
    by_index: list[list[Cable]] = [[] for _ in by_unit]
    for cable in down:
        by_index[unit_of[cable.a.device]].append(cable)
    moved: set[Port] = set()
    events = []
    for mine in by_index:
        for _ in range(chance.below(1 + len(mine) * WRONG_PLUGS // PERCENT)):
            first = mine[chance.below(len(mine))].b
            second = down[chance.below(len(down))].b
            if first.device != second.device and not moved & {first, second}:
                moved |= {first, second}
                events.append(Event(0, Action.REPLUG, on=True, ports=(first, second)))
    return events
