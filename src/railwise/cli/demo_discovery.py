"""The demo's first act: the cluster's fabric discovered over real gNMI from virtual switches, and a cable moved."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from railwise.fabric.changes import Difference
    from railwise.fabric.elements import Fabric, Port
    from railwise.fabric.fabric_map import Map
    from railwise.model.scenario import Scenario

PATIENCE: Final = 60.0
"""Seconds that each step may take."""


class Discovered(NamedTuple):
    """The map that was discovered, what changed in it when a cable was moved, and from where to where that was."""

    drawn: Map
    moved: tuple[Port, Port, Port]
    changes: list[Difference]


def discovered(scenario: Scenario) -> Discovered:
    """Serve the scenario's fabric, discover it, move the cable of the last node to the first rack, and see it follow.

    Raises OSError where no ports can be opened, TimeoutError where nothing follows within a minute.
    """
    import os

    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    return asyncio.run(_discover(_fabric(scenario)))


def told(found: Discovered) -> list[str]:
    """Return what happened when the cable was moved."""
    from railwise.fabric.changes import What
    from railwise.fabric.fabric_map import LEAF_GROUP

    nic, here, there = found.moved
    places = [one for one in found.changes if one.what is What.PLACE]
    mine = next(one for one in places if one.subject == nic.device and one.detail == LEAF_GROUP)
    others = len({one.subject for one in places} - {nic.device})
    rest = "No other label changes." if not others else f"{others} other nodes change theirs."
    return [
        f"Somebody moves the cable of {nic.device} from {here.device} to {there.device} and tells nobody.",
        f"Within seconds its label says {mine.after} instead of {mine.before}. {rest}",
    ]


def _fabric(scenario: Scenario) -> Fabric:
    """Return a fabric with a cable for each branch of the topology, and a free port on every switch."""
    from railwise.formats.fabric.tree import fabric_of_tree, tree_of_scenario

    fabric = fabric_of_tree(tree_of_scenario(scenario))
    return replace(fabric, switches=tuple(replace(one, ports=(*one.ports, _FREE)) for one in fabric.switches))


_FREE: Final = "Ethernet1020"


async def _discover(fabric: Fabric) -> Discovered:
    from railwise.discovery.assembly import sources_of, with_laboratory
    from railwise.discovery.collector import Collector
    from railwise.discovery.tables import Tables
    from railwise.fabric.changes import differences
    from railwise.fabric.elements import Action, Event, Port
    from railwise.formats.discovery.settings import Settings
    from railwise.lab.running import RunningLab
    from railwise.lab.serving import Listening

    with tempfile.TemporaryDirectory() as folder:
        lab = RunningLab(fabric, Path(folder), Listening())
        await lab.start()
        try:
            settings = replace(with_laboratory(Settings(lab=folder), Path()), lab="", files=())
            sources = sources_of(settings, Path(), Random(0))
            maps = aiter(Collector(sources, Tables({}), lambda: time.time_ns() // 1000).watch())
            async with asyncio.timeout(PATIENCE):
                before = await anext(maps)
            server = fabric.servers[-1].name
            here = next(edge.other(port) for port, edge in before.edges.items() if port.device == server)
            nic = before.edges[here].other(here)
            first = next(
                edge.other(port) for port, edge in before.edges.items() if port.device == fabric.servers[0].name
            )
            there = Port(first.device, _FREE)
            lab.apply(Event(0, Action.REPLUG, on=True, ports=(here, there)))
            after = await _until_moved(maps, server, before)
        finally:
            await lab.stop()
    return Discovered(before, (nic, here, there), differences(before, after))


async def _until_moved(maps: AsyncIterator[Map], server: str, before: Map) -> Map:
    async with asyncio.timeout(PATIENCE):
        async for drawn in maps:
            if drawn.places.get(server) not in (None, before.places.get(server)):
                return drawn
    raise TimeoutError
