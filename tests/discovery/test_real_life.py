"""What real switches do to a live map, each through the laboratory: none of it may move a label."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from railwise.discovery.collector import Collector
from railwise.discovery.hearing import Hearing
from railwise.fabric.elements import Action, Event, Port
from railwise.fabric.findings import Kind
from railwise.fabric.topologies import labels
from railwise.lab.dialects import sonic
from railwise.lab.neighbour import Neighbour, PortState
from railwise.lab.running import RunningLab
from tests.discovery.test_collector import collector, groups, laboratory, units, watching

EVERY_LINK = 48


def emptied(lab: RunningLab, switch: str) -> dict[str, PortState]:
    """Let a switch forget all its neighbours while its links stay up, and return what it heard."""
    device = lab.laboratory.devices[switch]
    before = dict(device.ports)
    for name, state in before.items():
        device.set_port(name, state._replace(neighbours=()))
    return before


def restored(lab: RunningLab, switch: str, ports: dict[str, PortState]) -> None:
    for name, state in ports.items():
        lab.laboratory.devices[switch].set_port(name, state)


@pytest.mark.slow
async def test_a_table_that_empties_and_fills_again_flips_no_label(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab, watching(collector(tmp_path)) as until:
        first = await until(lambda one: len(one.links()) == EVERY_LINK)
        before = emptied(lab, "leaf-2")
        await asyncio.sleep(0.6)
        restored(lab, "leaf-2", before)
        lab.apply(Event(0, Action.CABLE, on=False, cable=0))
        later = await until(lambda one: Port("gpu-1", "eth0") not in one.edges)
        assert labels(later) == labels(first)
        assert len(later.links()) == EVERY_LINK - 1


async def test_a_switch_that_lost_its_table_is_doubted_not_believed(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab, watching(collector(tmp_path)) as until:
        first = await until(lambda one: len(one.links()) == EVERY_LINK)
        emptied(lab, "leaf-2")
        doubted = await until(lambda one: bool(one.of_kind(Kind.QUARANTINED)))
        assert labels(doubted) == labels(first)
        (finding,) = doubted.of_kind(Kind.QUARANTINED)
        assert finding.subject == "leaf-2"


@pytest.mark.slow
async def test_new_time_marks_are_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sonic.SonicDatabase, "rewrites", 0.2)
    heard = 0
    async with laboratory(units(), tmp_path):
        watched = collector(tmp_path)
        take = watched.tables.take

        def counted(hearing: Hearing, now: int):  # type: ignore[no-untyped-def] # noqa: ANN202 # as in Tables
            nonlocal heard
            heard += 1
            return take(hearing, now)

        monkeypatch.setattr(watched.tables, "take", counted)
        async with watching(watched) as until:
            await until(lambda one: len(one.links()) == EVERY_LINK)
            before = heard
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1.5):
                    await until(lambda _one: True)
    assert heard - before > EVERY_LINK


@pytest.mark.slow
async def test_a_stream_that_comes_back_with_the_same_table_is_healthy_at_once(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab:
        watched: Collector = collector(tmp_path)
        async with watching(watched) as until:
            first = await until(lambda one: len(one.links()) == EVERY_LINK)
            lab.apply(Event(0, Action.TELEMETRY, on=False, device="leaf-1"))
            while "gnmi:leaf-1" not in watched.failures:  # noqa: ASYNC110 # somebody else's state
                await asyncio.sleep(0.02)
            assert watched.tables.standing()["gnmi:leaf-1", "leaf-1"].silent_since > 0
            lab.apply(Event(0, Action.TELEMETRY, on=True, device="leaf-1"))
            async with asyncio.timeout(20):
                while watched.failures:  # noqa: ASYNC110 # likewise
                    await asyncio.sleep(0.02)
            assert watched.tables.standing()["gnmi:leaf-1", "leaf-1"].silent_since == 0
            lab.apply(Event(0, Action.CABLE, on=False, cable=0))
            later = await until(lambda one: len(one.links()) == EVERY_LINK - 1)
            assert groups(later) == groups(first)


@pytest.mark.slow
@pytest.mark.parametrize(
    "neighbour",
    [
        Neighbour("x" * 65_536, "\x02\x00" * 500, "ifname", "\x1b[2J" * 100, "g\u202epu/1 : ü" * 2000),
        Neighbour("", "", "local", "", ""),
        Neighbour("02:00:00:00:00:01", "a" * 70_000, "alias", "", "localhost"),
    ],
)
async def test_hostile_text_on_one_port_costs_that_port(tmp_path: Path, neighbour: Neighbour) -> None:
    async with laboratory(units(), tmp_path) as lab, watching(collector(tmp_path)) as until:
        first = await until(lambda one: len(one.links()) == EVERY_LINK)
        device = lab.laboratory.devices["leaf-1"]
        device.set_port("Ethernet0", PortState(neighbours=(neighbour,)))
        lab.apply(Event(0, Action.CABLE, on=False, cable=9))
        later = await until(lambda one: Port("gpu-1", "eth0") not in one.edges or len(one.links()) < EVERY_LINK)
        now = labels(later)
        assert {server: now[server] for server in labels(first)} == labels(first)
        assert all(len(name) <= 300 and name.isprintable() for name in later.devices)  # a name and a port
