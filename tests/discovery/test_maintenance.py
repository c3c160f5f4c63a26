"""A switch that is worked on says so itself, and whoever follows it hears of it and of its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from railwise.discovery import gnmi_source
from railwise.discovery.hearing import Changed, State, Whole
from railwise.discovery.tables import Tables
from railwise.fabric.closing import closed_servers
from railwise.fabric.elements import Action, Event
from railwise.fabric.findings import Kind
from tests.discovery.test_collector import collector, laboratory, units, watching

EVERY_LINK = 48


def maintain(name: str, *, on: bool) -> Event:
    return Event(0, Action.MAINTENANCE, on=on, device=name)


async def test_a_single_look_sees_it(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab:
        lab.apply(maintain("leaf-2", on=True))
        drawn = await collector(tmp_path).once()
    assert [one.subject for one in drawn.of_kind(Kind.MAINTENANCE)] == ["leaf-2"]
    assert set(closed_servers(drawn)) == {"gpu-1", "gpu-2", "gpu-3", "gpu-4"}


async def test_a_watch_sees_it_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnmi_source, "STATE_EVERY", 0.05)
    async with laboratory(units(), tmp_path) as lab, watching(collector(tmp_path)) as until:
        first = await until(lambda one: len(one.links()) == EVERY_LINK)
        assert not closed_servers(first)
        lab.apply(maintain("leaf-6", on=True))
        shut = await until(lambda one: bool(closed_servers(one)))
        assert set(closed_servers(shut)) == {"gpu-5", "gpu-6", "gpu-7", "gpu-8"}
        assert shut.places == first.places
        assert shut.edges.keys() == first.edges.keys()
        lab.apply(maintain("leaf-6", on=False))
        await until(lambda one: not closed_servers(one) and not one.of_kind(Kind.MAINTENANCE))


async def test_a_system_without_a_word_for_it_is_read_all_the_same(tmp_path: Path) -> None:
    async with laboratory(units("openconfig"), tmp_path) as lab:
        lab.apply(maintain("leaf-2", on=True))
        drawn = await collector(tmp_path).once()
    assert len(drawn.links()) == EVERY_LINK
    assert not closed_servers(drawn)


def test_the_state_of_a_device_goes_with_its_reports() -> None:
    tables = Tables({})
    assert tables.take(State("gnmi", "leaf-1", maintenance=True), 1) is None
    report = tables.take(Whole("gnmi", "leaf-1", {}), 2)
    assert report is not None
    assert report.speaker.maintenance
    assert tables.take(State("gnmi", "leaf-1", maintenance=True), 3) is None
    again = tables.take(State("gnmi", "leaf-1", maintenance=False), 4)
    assert again is not None
    assert not again.speaker.maintenance
    assert tables.take(Changed("gnmi", "leaf-1", {"Ethernet0": ()}), 5) is None
