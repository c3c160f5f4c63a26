"""The bounded search: every answer obeys every rule, and it finds most of what there is."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.ranks import arrange
from railwise.engine.gangs.record import Record
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.bounded import place_bounded
from railwise.engine.search.placement import Found, Refused
from railwise.engine.search.sizing import find_minimum
from railwise.model.node import Node
from railwise.model.scenario import Scenario
from railwise.model.workload import Running, Workload
from tests.engine.small import (
    apart,
    engine,
    gang,
    group,
    grouped,
    locked,
    racks,
    request,
    running,
    scenario,
    segmented,
    submitted,
)
from tests.oracle.instances import instance, large_instance
from tests.oracle.rules import Placed
from tests.oracle.solver import covers, feasible


def _alone(lived: Engine, record: Record, *, exact_first: bool = False) -> Found | Refused:
    """Return what the bounded search alone finds for the minimum of a workload; the state is left as it was."""
    state, indexes = lived.state, Indexes(lived.state)
    before = state.snapshot()

    def search(demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        if exact_first:
            return lived.search.place(demand, ranks, chosen)
        found = place_bounded(demand, ranks, chosen, state, indexes)
        return (
            Refused(proven=False) if found is None else Found(arrange(demand, found[0], state), met=True, exact=False)
        )

    answer = find_minimum(record.demand, search)
    assert state.snapshot() == before
    return answer


def _start(seed: int) -> tuple[Scenario, Workload, Engine, Record]:
    scenario = large_instance(seed)
    workload = scenario.workloads[-1]
    lived = Engine(replace(scenario, workloads=scenario.workloads[:-1]))
    lived.cycle(())
    return scenario, workload, lived, Record(workload, lived.state)


def _judge(seed: int) -> str:
    """Return ``placed``, ``missed``, ``impossible`` or the rules that were broken."""
    scenario, workload, lived, record = _start(seed)
    found = _alone(lived, record)
    if isinstance(found, Refused):
        return "missed" if covers(workload) and feasible(scenario, workload) else "impossible"
    record.put(lived.state, found.pods)
    return "; ".join(Placed(scenario, workload, record.placements(lived.state)).faults) or "placed"


def _repaired(seed: int) -> str:
    """Place a workload by the rules, lose about half of its pods, and judge how they come back."""
    scenario, workload, lived, record = _start(seed)
    first = _alone(lived, record, exact_first=True)
    if isinstance(first, Refused):
        return "impossible"
    record.put(lived.state, first.pods)
    random = Random(seed)
    lost = [key for key in record.pods if random.random() < 0.5]
    record.take_away(lived.state, lost)
    if not lost or not record.pods:
        return "nothing lost"
    found = _alone(lived, record)
    if isinstance(found, Refused):
        return "missed"
    record.put(lived.state, found.pods)
    return "; ".join(Placed(scenario, workload, record.placements(lived.state)).faults) or "placed"


def _check(verdicts: dict[int, str], placed: int, missed: int) -> None:
    wrong = {seed: text for seed, text in verdicts.items() if "group" in text or "pod" in text}
    assert wrong == {}
    counts = list(verdicts.values())
    assert counts.count("placed") >= placed
    assert counts.count("missed") <= missed


@pytest.mark.slow
def test_every_answer_obeys_every_rule() -> None:
    _check({seed: _judge(seed) for seed in range(60)}, 40, 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(60, 460, 100))
def test_every_answer_obeys_every_rule_on_many_clusters(first: int) -> None:
    _check({seed: _judge(seed) for seed in range(first, first + 100)}, 55, 0)


@pytest.mark.slow
def test_pods_that_come_back_obey_every_rule() -> None:
    _check({seed: _repaired(seed) for seed in range(40)}, 12, 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40, 340, 100))
def test_pods_that_come_back_obey_every_rule_on_many_clusters(first: int) -> None:
    _check({seed: _repaired(seed) for seed in range(first, first + 100)}, 35, 0)


def _small(seed: int) -> str:
    """Judge the bounded search alone on a small cluster of every theme, by the exact search and the rules."""
    drawn = instance(seed)
    workload = drawn.workloads[-1]
    lived = Engine(replace(drawn, workloads=drawn.workloads[:-1]))
    lived.cycle(())
    record = Record(workload, lived.state)
    if record.unreadable is not None or workload.alternatives:
        return "not asked"
    exact, found = _alone(lived, record, exact_first=True), _alone(lived, record)
    if isinstance(exact, Refused):
        return "impossible" if isinstance(found, Refused) else "a pod is placed that the exact search refuses"
    if isinstance(found, Refused):
        return "missed"
    record.put(lived.state, found.pods)
    return "; ".join(Placed(drawn, workload, record.placements(lived.state)).faults) or "placed"


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in (100, 600, 1100))])
def test_small_clusters_of_every_theme(first: int) -> None:
    _check({seed: _small(seed) for seed in range(first, first + (500 if first else 100))}, 250 if first else 40, 0)


# --- Clusters that are too large to be searched exactly -------------------------------------------------------------


def _nodes() -> list[Node]:
    return racks(*([4] * 325))


def _faults(workload: Workload, *busy: Workload) -> list[str]:
    """Return what is wrong with the placement of a workload in 325 racks of 4 nodes."""
    lived = engine(_nodes(), *busy)
    plan = submitted(lived, workload)
    if not plan.pods:
        return [f"not placed: {plan.reason}"]
    bare = replace(workload, root=replace(workload.root, running=None))
    return Placed(replace(lived.scenario, workloads=busy), bare, plan.pods).faults


RUNS = segmented(gang("a", 7, request(8)), 3, "rack")


@pytest.mark.slow
@pytest.mark.parametrize(
    "workload",
    [
        apart(gang("a", 300, request(8)), "rack"),
        apart(gang("a", 1300, request(2)), "node"),
        segmented(gang("a", 1300, request(8)), 4, "rack"),
        segmented(gang("a", 2000, request(2)), 4, "node"),
        segmented(gang("a", 9, request(8)), 4, "rack", "node"),
        segmented(gang("a", 5, request(8), required="superpod"), 2, "rack"),
        locked(gang("a", 30, request(8)), balance="even"),
        grouped("a", *(group(f"g{number}", 4, request(8), required="rack") for number in range(300)), distinct="rack"),
        grouped("a", *(group(f"g{number}", 1, request(1)) for number in range(1100))),
        replace(RUNS, root=replace(RUNS.root, running=Running(("n0", None, "n1", "n8", None, "n9", None)))),
    ],
)
def test_hundreds_of_blocks_are_placed_by_the_rules(workload: Workload) -> None:
    assert _faults(workload) == []


@pytest.mark.slow
def test_room_is_found_behind_a_first_choice_that_fails() -> None:
    """The tightest superpod takes the first group but not both."""
    busy = running("busy", [f"n{index}" for index in range(8, 1300) if index % 8 >= 5], request(8))
    workload = grouped(
        "a", group("x", 4, request(8), required="rack"), group("y", 4, request(8), required="rack"), required="superpod"
    )
    assert _faults(workload, busy) == []


@pytest.mark.slow
def test_groups_apart_are_placed_in_one_domain_each_where_one_holds_them() -> None:
    """300 groups of four nodes and 325 racks: no group may spill into a rack that another one needs."""
    groups = [group(f"g{number}", 4, request(8)) for number in range(300)]
    assert _faults(grouped("a", *groups, distinct="rack")) == []


@pytest.mark.slow
def test_groups_apart_may_need_several_domains_each() -> None:
    groups = [group(f"g{number}", 10, request(8)) for number in range(20)]
    assert _faults(grouped("a", *groups, distinct="rack")) == []
    assert _faults(grouped("a", *(replace(one, pods=7, min_pods=7) for one in groups), distinct="node")) == []


def test_new_groups_keep_away_from_those_that_run() -> None:
    """Group x runs on n0 and is complete: y may not use the other nodes of that rack."""
    runs = replace(group("x", 1, request(8)), running=Running(("n0",)))
    workload = grouped("a", runs, group("y", 3, request(8)), distinct="rack")
    (plan,) = Engine(scenario(_nodes(), workload)).cycle(()).workloads
    placed = {name: {pod.node for pod in plan.pods if pod.group == name} for name in "xy"}
    assert placed["x"] == {"n0"}
    assert len(placed["y"]) == 3
    assert not placed["y"] & {"n0", "n1", "n2", "n3"}


@pytest.mark.slow
def test_pods_of_one_run_lie_apart_too() -> None:
    assert _faults(apart(segmented(gang("a", 8, request(2)), 1, "rack"), "superpod")) == []
    assert _faults(apart(segmented(gang("a", 8, request(2)), 2, "superpod"), "rack")) == []
