"""What holds for any fabric: wrong cables, lost sources and orders of arrival change nothing that they should not."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.findings import Kind
from railwise.fabric.identity import Named, Nameless, names_for
from railwise.fabric.labels import is_label, label
from railwise.fabric.mapper import Mapper, build
from railwise.fabric.observations import Observation, Report
from railwise.fabric.telling import SERVERS, SWITCHES
from railwise.fabric.topologies import labels
from railwise.fabric.wires import Wires
from tests.examples import examples
from tests.fabric.fabrics import SMALL, drawn, small
from tests.fabric.told import SECOND, switch, told


def random_fabric(seed: int) -> Fabric:
    """Return a regular fabric of up to 64 leaves, its sizes drawn from a seed, with nothing wrong yet."""
    chance = random.Random(seed)
    design = chance.choice(["rail-optimised", "rail-optimised", "dgx-superpod", "nvl72", "two-tier-ethernet"])
    if design == "nvl72":
        fabric = small(design, units=chance.randint(1, 2), servers=1, spines=chance.randint(1, 3))
    elif design == "two-tier-ethernet":
        sizes = {"units": chance.randint(2, 16), "servers": chance.randint(2, 6), "rails": chance.choice([4, 8])}
        fabric = small(design, **sizes, spines=2)
    else:
        rails = chance.choice([4, 8])
        sizes = {"units": chance.randint(2, 64 // rails), "servers": chance.randint(2, 6), "rails": rails}
        fabric = small(design, **sizes, spines=chance.randint(1, 3))
    return fabric


def miswire(fabric: Fabric, seed: int) -> tuple[list[Event], set[str]]:
    """Return swaps of plugs, at most a tenth of each unit's cables, and the servers at those cables."""
    chance = random.Random(seed)
    unit_of = {server.name: server.unit or server.rack for server in fabric.servers}
    by_unit = defaultdict(list)
    for cable in fabric.cables:
        if cable.a.device in unit_of:
            by_unit[unit_of[cable.a.device]].append(cable)
    left = {unit: len(cables) // 10 for unit, cables in by_unit.items()}
    server_at = {cable.b: cable.a.device for cables in by_unit.values() for cable in cables}
    events: list[Event] = []
    affected: set[str] = set()
    moved: set[Port] = set()
    for unit, cables in by_unit.items():
        for cable in chance.sample(cables, left[unit]):
            other = chance.choice([one for one in server_at if one.device != cable.b.device])
            second = unit_of[server_at[other]]
            if moved & {cable.b, other} or left[unit] < 1 or left[second] < 1 + (unit == second):
                continue
            moved |= {cable.b, other}
            left[unit] -= 1
            left[second] -= 1
            affected |= {server_at[cable.b], server_at[other]}
            events.append(Event(0, Action.REPLUG, on=True, ports=(cable.b, other)))
    return events, affected


def groups(found: Map) -> dict[str, str]:
    return {name: place["leaf-group"] for name, place in found.places.items()}


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_wrong_cables_change_no_group_of_others_and_all_are_named(batch: int) -> None:
    for seed in range(batch * 30, batch * 30 + 30):
        fabric = random_fabric(seed)
        before = build(told(fabric, sources=(SWITCHES,)))
        events, affected = miswire(fabric, seed)
        reports = told(fabric, *events, sources=(SWITCHES,))
        for found in (build(reports), build(reports, before)):
            for server, group in groups(before).items():
                assert server in affected or groups(found)[server] == group, (seed, server)
        judged = build(reports, None, fabric)
        named = {one.ports for one in judged.of_kind(Kind.MISWIRED, Kind.RAIL_SWAPPED)}
        wires = Wires(fabric)
        for event in events:
            wires.apply(event)
        wrong = set()
        for cable in fabric.cables:
            there = wires.peer(cable.a)
            assert there is not None, "every plug sits somewhere"
            if there != cable.b:
                low, high = sorted((cable.a, there))
                wrong.add((low.text(), high.text()))
        assert named == wrong, seed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 300, 10))
def test_loss_of_any_source_changes_no_label(seed: int) -> None:
    fabric = random_fabric(seed)
    everything = told(fabric, *miswire(fabric, seed)[0])
    before = build(everything, None, fabric)
    for source in sorted({report.source for report in everything}):
        rest = [report for report in everything if report.source != source]
        assert labels(build(rest, before, fabric)) == labels(before)
    some = [report for report in everything if random.Random(seed).random() < 0.5]
    assert labels(build(some, before, fabric)) == labels(before)


@examples(30)
@given(drawn(), st.integers(0, 2**32))
def test_order_of_arrival_never_matters(fabric: Fabric, seed: int) -> None:
    reports = told(fabric)
    expected = build(reports, None, fabric)
    random.Random(seed).shuffle(reports)
    assert build(reports, None, fabric) == expected


@pytest.mark.slow
@examples(40)
@given(st.sampled_from(sorted(SMALL)), st.integers(0, 2**32))
def test_changes_one_by_one_lead_to_the_map_from_scratch(design: str, seed: int) -> None:
    fabric = small(design)
    chance = random.Random(seed)
    ports = [port for cable in fabric.cables for port in (cable.a, cable.b)]
    wires = Wires(fabric)
    mapper = Mapper(None, fabric)
    now = 0
    for _ in range(4):
        for report in told_by(wires, now):
            mapper.hear(report)
        mapper.map(now)
        now += 100 * SECOND
        first, second = chance.sample(ports, 2)
        wires.apply(Event(0, Action.REPLUG, on=True, ports=(first, second)))
        wires.apply(Event(0, Action.CABLE, on=bool(chance.getrandbits(1)), cable=chance.randrange(len(fabric.cables))))
        for report in told_by(wires, now):
            mapper.hear(report)
        found = mapper.map(now + 80 * SECOND)
        scratch = build(told_by(wires, now), replace(found, edges={}, heard={}, said={}), fabric, now + 80 * SECOND)
        assert {port: edge.ports() for port, edge in found.edges.items()} == {
            port: edge.ports() for port, edge in scratch.edges.items()
        }
        assert (found.places, found.domains, found.rails) == (scratch.places, scratch.domains, scratch.rails)
        assert found.findings == scratch.findings


def told_by(wires: Wires, now: int) -> list[Report]:
    from railwise.fabric.telling import tell  # noqa: PLC0415 -- beside its only use

    return list(tell(wires, now, (SWITCHES, SERVERS)))


@given(
    st.lists(st.tuples(st.frozensets(st.integers(0, 12)), st.sampled_from(["a", "b", "c"])), max_size=6),
    st.lists(st.frozensets(st.integers(0, 12), min_size=1), max_size=6),
)
def test_a_new_domain_never_takes_the_name_of_another(
    old: list[tuple[frozenset[int], str]], new: list[frozenset[int]]
) -> None:
    known = {name: frozenset(map(str, servers)) for servers, name in old}
    wanted = [Nameless(frozenset(map(str, servers)), frozenset(), ("a", "b")) for servers in new]
    names = names_for(wanted, [Named(name, servers, frozenset()) for name, servers in known.items()])
    assert len(set(names)) == len(names)
    for name, domain in zip(names, wanted, strict=True):
        assert name not in known or known[name] & domain.servers, "a known name goes only to who shares servers"


@given(st.text())
def test_every_label_is_legal(text: str) -> None:
    assert is_label(label(text))
    assert not is_label(text) or label(text) == text


@given(st.lists(st.text(min_size=50), min_size=2, max_size=8, unique=True))
def test_labels_of_different_names_differ(names: list[str]) -> None:
    assert len({label(name) for name in names}) == len(names)


@examples(50)
@given(st.lists(st.builds(Observation, st.text(max_size=5), *[st.text(max_size=300)] * 3), max_size=30), st.text())
def test_no_neighbour_can_break_the_map_or_a_label(rows: list[Observation], name: str) -> None:
    reports = [switch(name or "leaf", *rows), switch("leaf-2", *rows)]
    found = build(reports)
    for mine in labels(found).values():
        assert all(is_label(value) for value in mine.values())
    names = [domain.name for domain in found.domains if domain.level == "leaf-group"]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_a_flood_is_one_finding_and_bounded() -> None:
    flood = [Observation("p1", f"ghost-{at}", f"{at:012x}", "eth0") for at in range(100_000)]
    long = Observation("p2", "x" * 65_536, "00:00:00:00:00:01", "\x1b[31m" * 20_000)
    found = build([switch("leaf-1", *flood, long, ("p3", "n1", "eth0"))])
    assert groups(found)["n1"] == "leaf-1"
    hostile = found.of_kind(Kind.HOSTILE)
    assert [(one.subject, int(one.fact("left"))) for one in hostile] == [("leaf-1", 100_000 - 64)]
    assert len(found.findings) < 100
    assert all(len(text) < 1000 and text.isprintable() for one in found.findings for text in (one.subject, *one.ports))
