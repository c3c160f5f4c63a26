"""From real connections to a map: drawn once, and kept up while cables are pulled, moved and plugged in again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from railwise.discovery.assembly import sources_of
from railwise.discovery.collector import Collector, same
from railwise.discovery.tables import Tables
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Dialect, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.findings import Kind
from railwise.fabric.settling import Patience
from railwise.formats.discovery.settings import Settings
from railwise.lab.running import RunningLab
from railwise.lab.serving import Listening

QUICK = Patience(hold=200_000, quarantine=1_000_000, stale=60_000_000)


def clock() -> int:
    return time.time_ns() // 1000


def units(dialect: str = "sonic") -> Fabric:
    """Return two units of four servers with four rails each, below two spines."""
    design = DESIGNS["rail-optimised"]
    size = replace(design.usual, units=2, servers=4, rails=4, spines=2, dialect=Dialect(dialect))
    return design.draw(size)


@asynccontextmanager
async def laboratory(fabric: Fabric, folder: Path) -> AsyncIterator[RunningLab]:
    lab = RunningLab(fabric, folder, Listening())
    await lab.start()
    try:
        yield lab
    finally:
        await lab.stop()


def collector(folder: Path, intent: Fabric | None = None, previous: Map | None = None) -> Collector:
    sources = sources_of(Settings(lab=str(folder)), folder, Random(0))
    return Collector(sources, Tables({}), clock, previous, intent, patience=QUICK)


def groups(drawn: Map) -> dict[str, tuple[str, ...]]:
    return {domain.name: domain.servers for domain in drawn.domains if domain.level == "leaf-group"}


@asynccontextmanager
async def watching(watched: Collector) -> AsyncIterator[Callable[[Callable[[Map], bool]], asyncio.Future[Map]]]:
    """Yield a function that waits until a map is as wanted."""
    maps: asyncio.Queue[Map] = asyncio.Queue()

    async def follow() -> None:
        async for one in watched.watch():
            await maps.put(one)

    async def until(wanted: Callable[[Map], bool]) -> Map:
        async with asyncio.timeout(30):
            while True:
                drawn = await maps.get()
                if wanted(drawn):
                    return drawn

    task = asyncio.create_task(follow())
    try:
        yield lambda wanted: asyncio.ensure_future(until(wanted))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("dialect", ["sonic", "cumulus", "openconfig"])
async def test_the_map_is_that_of_the_fabric(tmp_path: Path, dialect: str) -> None:
    async with laboratory(units(dialect), tmp_path):
        asked = collector(tmp_path)
        drawn = await asked.once()
    assert asked.failures == {}
    assert list(groups(drawn).values()) == [
        ("gpu-1", "gpu-2", "gpu-3", "gpu-4"), ("gpu-5", "gpu-6", "gpu-7", "gpu-8"),
    ]  # fmt: skip
    assert len(drawn.links()) == 48
    assert all(edge.sides() == 2 for edge in drawn.links())
    assert drawn.findings == ()


async def test_a_dead_switch_is_a_failure_and_costs_no_server_its_group(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab:
        before = await collector(tmp_path).once()
        lab.apply(Event(0, Action.SWITCH, on=False, device="leaf-1"))
        asked = collector(tmp_path, previous=before)
        after = await asked.once()
    assert list(asked.failures) == ["gnmi:leaf-1"]
    assert groups(after) == groups(before)


async def test_a_moved_cable_is_told_within_seconds_and_nothing_else_changes(tmp_path: Path) -> None:
    fabric = units()
    async with laboratory(fabric, tmp_path) as lab, watching(collector(tmp_path, fabric)) as until:
        first = await until(lambda one: len(one.links()) == 48)
        assert first.findings == ()
        lab.apply(Event(0, Action.REPLUG, on=True, ports=(Port("leaf-3", "Ethernet0"), Port("leaf-7", "Ethernet28"))))
        moved = await until(lambda one: bool(one.of_kind(Kind.MISWIRED)))
        assert groups(moved) == groups(first)
        (finding,) = moved.of_kind(Kind.MISWIRED)
        assert "leaf-7/Ethernet28" in finding.ports
        lab.apply(Event(0, Action.REPLUG, on=True, ports=(Port("leaf-3", "Ethernet0"), Port("leaf-7", "Ethernet28"))))
        again = await until(lambda one: not one.findings)
        assert groups(again) == groups(first)
        assert same(again, replace(first, edges=again.edges))


@pytest.mark.slow
async def test_a_link_that_flickers_is_not_worth_a_map(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab, watching(collector(tmp_path)) as until:
        await until(lambda one: len(one.links()) == 48)
        for on in (False, True, False, True):
            lab.apply(Event(0, Action.CABLE, on=on, cable=0))
            await asyncio.sleep(0.03)
        lab.apply(Event(0, Action.CABLE, on=False, cable=5))
        drawn = await until(lambda one: len(one.links()) < 48)
        assert len(drawn.links()) == 47
        assert Port("gpu-1", "eth0") in drawn.edges


@pytest.mark.slow
async def test_silence_changes_nothing_and_a_return_is_noticed(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab:
        watched = collector(tmp_path)
        async with watching(watched) as until:
            first = await until(lambda one: len(one.links()) == 48)
            lab.apply(Event(0, Action.TELEMETRY, on=False, device="leaf-1"))
            lab.apply(Event(0, Action.CABLE, on=False, cable=fabric_cable(lab, "gpu-8")))
            second = await until(lambda one: len(one.links()) == 47)
            assert groups(second) == groups(first)
            assert "gnmi:leaf-1" in watched.failures
            lab.apply(Event(0, Action.TELEMETRY, on=True, device="leaf-1"))
            lab.apply(Event(0, Action.CABLE, on=False, cable=0))
            third = await until(lambda one: len(one.links()) == 46)
            assert groups(third) == groups(first)
            assert watched.failures == {}


def fabric_cable(lab: RunningLab, server: str) -> int:
    cables = lab.laboratory.fabric.cables
    return next(number for number, cable in enumerate(cables) if server in (cable.a.device, cable.b.device))
