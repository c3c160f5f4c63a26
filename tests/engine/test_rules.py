"""The last check of an answer: it refuses exactly what an independent judge finds broken."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.placement import Found
from railwise.engine.search.rules import obeys
from railwise.engine.search.sizing import find_minimum
from railwise.model.plan import PodPlacement
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.small import FABRIC, apart, gang, group, grouped, racks, request, segmented, state_of
from tests.oracle.instances import large_instance
from tests.oracle.rules import Placed

RULES = ("without a domain", "required domain", "distinct level", "segment leaves")


def _breaks(scenario: Scenario, workload: Workload, pods: dict[tuple[int, int], int], record: Record) -> bool:
    """Return whether the independent judge finds a rule about domains broken, whatever it says about room."""
    placed = [
        PodPlacement(f"{number}-{rank}", rank, record.demand.leaves[number].path, scenario.nodes[node].name, ())
        for (number, rank), node in sorted(pods.items())
    ]
    return any(rule in fault for fault in Placed(scenario, workload, placed).faults for rule in RULES)


def _moved(seed: int) -> tuple[int, int]:
    """Return how often pods moved at random were refused and let pass; both as the judge says."""
    scenario = large_instance(seed)
    workload = scenario.workloads[-1]
    lived = Engine(replace(scenario, workloads=scenario.workloads[:-1]))
    lived.cycle(())
    record = Record(workload, lived.state)
    found = find_minimum(record.demand, lived.search.place)
    if not isinstance(found, Found) or not found.pods:
        return 0, 0
    random = Random(seed)
    refused = passed = 0
    for _ in range(8):
        spots = list(found.pods)
        for index in random.sample(range(len(spots)), min(len(spots), random.choice([0, 1, 1, 2]))):
            spots[index] = spots[index]._replace(node=random.randrange(len(scenario.nodes)))
        running = {spot[:2] for spot in spots if random.random() < 0.3 and spot in found.pods}
        for number, leaf in enumerate(record.demand.leaves):
            leaf.fixed.clear()
            leaf.fixed.update({spot.rank: spot.node for spot in spots if spot.leaf == number and spot[:2] in running})
        new = [spot for spot in spots if spot[:2] not in running]
        ranks: dict[int, list[int]] = {}
        for spot in new:
            ranks.setdefault(record.demand.leaves[spot.leaf].index, []).append(spot.rank)
        broken = _breaks(scenario, workload, {spot[:2]: spot.node for spot in spots}, record)
        assert obeys(record.demand, new, ranks, lived.state) is not broken
        refused += broken
        passed += not broken
    return refused, passed


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", [0, pytest.param(60, marks=pytest.mark.slow), pytest.param(160, marks=pytest.mark.slow)]
)
def test_what_is_refused_is_broken(first: int) -> None:
    counts = [_moved(seed) for seed in range(first, first + 60)]
    assert sum(refused for refused, _ in counts) > 20
    assert sum(passed for _, passed in counts) > 60


def test_every_rank_asked_for_is_placed_once() -> None:
    state = state_of(racks(2, 2), FABRIC)
    demand = Record(gang("a", 2, request(1)), state).demand
    both = [Spot(0, 0, 0), Spot(0, 1, 3)]
    wanted = {demand.root.index: [0, 1]}
    assert obeys(demand, both, wanted, state)
    assert not obeys(demand, both[:1], wanted, state)
    assert not obeys(demand, [*both, Spot(0, 1, 2)], wanted, state)
    demand.root.fixed[1] = 3
    assert not obeys(demand, both, wanted, state)
    assert obeys(demand, both[:1], {demand.root.index: [0]}, state)


def test_what_runs_is_not_the_fault_of_new_pods() -> None:
    """Two running pods share a node that must be apart: a third elsewhere breaks nothing, one beside them does."""
    state = state_of(racks(2, 2), FABRIC)
    demand = Record(apart(gang("a", 3, request(1)), "node"), state).demand
    demand.root.fixed.update({0: 0, 1: 0})
    assert obeys(demand, [Spot(0, 2, 1)], {demand.root.index: [2]}, state)
    assert not obeys(demand, [Spot(0, 2, 0)], {demand.root.index: [2]}, state)


def test_running_groups_count_for_groups_apart() -> None:
    state = state_of(racks(2, 2), FABRIC)
    demand = Record(grouped("a", group("x", 1, request(1)), group("y", 2, request(1)), distinct="node"), state).demand
    demand.leaves[0].fixed[0] = 1
    wanted = {demand.leaves[1].index: [0, 1]}
    assert obeys(demand, [Spot(1, 0, 0), Spot(1, 1, 0)], wanted, state)
    assert not obeys(demand, [Spot(1, 0, 0), Spot(1, 1, 1)], wanted, state)


def test_a_run_stays_where_its_other_pods_are() -> None:
    state = state_of(racks(2, 2), FABRIC)
    demand = Record(segmented(gang("a", 4, request(1)), 2, "rack"), state).demand
    demand.root.fixed[0] = 2
    wanted = {demand.root.index: [1, 2, 3]}
    assert not obeys(demand, [Spot(0, 1, 0), Spot(0, 2, 1), Spot(0, 3, 1)], wanted, state)
    assert obeys(demand, [Spot(0, 1, 3), Spot(0, 2, 1), Spot(0, 3, 1)], wanted, state)
