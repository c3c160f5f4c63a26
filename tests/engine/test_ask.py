"""Which demands ask for the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.gangs.ask import Ask, ask_of
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.model.workload import CardRule, Selection, Toleration, Traffic, Workload
from tests.engine.small import (
    FABRIC,
    apart,
    asks_share,
    gang,
    group,
    grouped,
    locked,
    racks,
    request,
    running,
    segmented,
    state_of,
)

STATE = state_of(racks(4, 4, 2), FABRIC)
PLAIN = gang("a", 4, request(8, cpu=1000), required="rack")


def _read(workload: Workload) -> Demand:
    return read_demand(workload, workload.root, STATE)


def _ask(workload: Workload) -> Ask:
    ask = ask_of(_read(workload))
    assert ask is not None
    return ask


@pytest.mark.parametrize(
    "change",
    [{"name": "b"}, {"queue": "other"}, {"priority": 7}, {"submit": 3, "order": 9}, {"preemptible": False}],
)
def test_who_asks_does_not_matter(change: dict[str, object]) -> None:
    assert _ask(replace(PLAIN, **change)) == _ask(PLAIN)  # type: ignore[arg-type]


GROUPS = grouped("a", group("x", 2, request(8)), group("y", 3, request(1), least=2))

DIFFERENT: list[Workload] = [
    PLAIN,
    gang("a", 5, request(8, cpu=1000), required="rack"),
    replace(PLAIN, root=replace(PLAIN.root, min_pods=3)),
    gang("a", 4, request(7, cpu=1000), required="rack"),
    gang("a", 4, request(8, cpu=1001), required="rack"),
    gang("a", 4, asks_share(part=500), required="rack"),
    replace(PLAIN, root=replace(PLAIN.root, card_rule=CardRule(("H100",)))),
    replace(PLAIN, root=replace(PLAIN.root, selection=Selection((("pool", "gold"),)))),
    replace(PLAIN, root=replace(PLAIN.root, selection=Selection((), (), (Toleration("x", "Exists"),)))),
    locked(PLAIN, required="superpod"),
    locked(PLAIN, required="rack", preferred="node"),
    locked(PLAIN),
    locked(PLAIN, required="rack", balance="even"),
    apart(PLAIN, "rack"),
    segmented(PLAIN, 2, "rack"),
    segmented(PLAIN, 2, "", "rack"),
    segmented(PLAIN, 4, "rack"),
    replace(PLAIN, traffic=Traffic("moe")),
    replace(PLAIN, traffic=Traffic("moe", {"experts": 4})),
    GROUPS,
    grouped("a", group("x", 2, request(8)), group("y", 3, request(1), least=2), least=1),
    grouped("a", group("x", 2, request(8)), group("z", 3, request(1), least=2)),
    grouped("a", group("x", 2, request(8), required="rack"), group("y", 3, request(1), least=2)),
    grouped("a", group("y", 3, request(1), least=2), group("x", 2, request(8))),
]


def test_what_is_asked_for_does() -> None:
    assert len({_ask(workload) for workload in DIFFERENT}) == len(DIFFERENT)


def test_the_kind_matters_where_it_changes_what_is_preferred() -> None:
    one_node = gang("a", 2, request(4))
    assert _ask(replace(one_node, kind="training")) != _ask(one_node)
    several = gang("a", 3, request(4))
    assert _ask(replace(several, kind="training")) == _ask(several)


@pytest.mark.parametrize("workload", [PLAIN, GROUPS])
def test_who_runs_in_part_asks_for_what_only_he_can(workload: Workload) -> None:
    demand = _read(workload)
    before = ask_of(demand)
    demand.leaves[-1].fixed[0] = 2
    assert ask_of(demand) is None
    demand.leaves[-1].fixed.clear()
    assert ask_of(demand) == before
    assert ask_of(_read(running("b", ["n0"], request(8)))) is None
