"""A queue of 200 mixed gangs on the real fabrics: whatever the plan is, it must keep the promises of every plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.engine.policies import by_name
from railwise.formats.traces.queue_mix import with_queue
from railwise.formats.traces.registry import convert
from railwise.model.plan import Plan, PodPlacement, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload

DATA_SETS = {
    "alibaba-lingjun-2023": ("topo.csv.gz",),
    "zhejianglab-a100-2000": ("cluster_topology.csv.gz", "gpu_nic_info.csv.gz"),
}

pytestmark = pytest.mark.slow


@pytest.fixture(params=sorted(DATA_SETS), scope="module")
def planned(request: pytest.FixtureRequest, shared: Callable[[str], Path]) -> tuple[Scenario, Plan]:
    name = request.param
    files = {file: shared(f"traces/{name}/{file}").read_bytes() for file in DATA_SETS[name]}
    scenario = with_queue(convert("", files), "mixed:200")
    return scenario, plan_scenario(scenario)


def parts_of(group: Group, path: str = "") -> dict[str, Group]:
    """Return the groups that hold pods, by their path."""
    if not group.groups:
        return {path: group}
    found = {}
    for part in group.groups:
        found.update(parts_of(part, f"{path}/{part.name}" if path else part.name))
    return found


def domains(scenario: Scenario, level: str, pods: tuple[PodPlacement, ...]) -> set[tuple[str, ...]]:
    """Return the domains of a level that pods lie in, by their path."""
    levels = scenario.topologies[0].level_names()
    places = {node.name: node.places["fabric"] for node in scenario.nodes}
    wanted = levels[: levels.index(level) + 1]
    return {tuple(places[pod.node][name] for name in wanted) for pod in pods}


def pairs(scenario: Scenario, plan: Plan) -> list[tuple[Workload, WorkloadPlan]]:
    by_name = {one.name: one for one in plan.workloads}
    return [(workload, by_name[workload.name]) for workload in scenario.workloads]


def test_every_workload_is_answered(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    states = Counter(one.state for _, one in pairs(scenario, plan))
    assert sum(states.values()) == 200
    assert set(states) <= {State.PLACED, State.PENDING}
    assert states[State.PLACED] >= 100
    assert plan.evictions == ()


def test_gangs_are_placed_whole_or_not_at_all(planned: tuple[Scenario, Plan]) -> None:
    for workload, one in pairs(*planned):
        count = Counter(pod.group for pod in one.pods)
        wanted = {path: group.pods for path, group in parts_of(workload.root).items()}
        assert count == (wanted if one.state is State.PLACED else {})


def test_no_card_is_given_twice(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    given = Counter((pod.node, card) for one in plan.workloads for pod in one.pods for card in pod.cards)
    cards = {(node.name, str(card)) for node in scenario.nodes for card in range(node.card_count())}
    assert set(given) <= cards
    assert max(given.values()) == 1
    for workload, one in pairs(scenario, plan):
        parts = parts_of(workload.root)
        assert all(len(pod.cards) == parts[pod.group].request.cards.count for pod in one.pods)


def test_required_levels_are_honoured(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    bound = 0
    for workload, one in pairs(scenario, plan):
        required = workload.root.topology.required
        if required and one.pods:
            bound += 1
            assert len(domains(scenario, required, one.pods)) == 1
    assert bound > 10


def test_preferences_are_met_where_the_plan_says_so(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    for workload, one in pairs(scenario, plan):
        preferred = workload.root.topology.preferred
        if preferred and one.pods:
            assert one.preferred_met == (len(domains(scenario, preferred, one.pods)) == 1)


def test_what_waits_says_why_with_counts_that_add_up(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    for one in plan.workloads:
        assert (one.reason is None) == (one.state is State.PLACED)
        if one.reason is not None:
            assert one.reason.total == len(scenario.nodes)
            assert sum(one.reason.nodes.values()) == one.reason.total


def test_the_same_queue_gets_the_same_plan(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    assert plan_scenario(scenario) == plan


def touched(scenario: Scenario, plan: Plan) -> tuple[int, int, int]:
    """Return cards in use, gangs on more than one node, and the domains of the narrowest level they touch in all."""
    narrowest = scenario.topologies[0].level_names()[-1]
    gangs = [one for one in plan.workloads if len({pod.node for pod in one.pods}) > 1]
    cards = sum(len(pod.cards) for one in plan.workloads for pod in one.pods)
    return cards, len(gangs), sum(len(domains(scenario, narrowest, one.pods)) for one in gangs)


@pytest.mark.parametrize("policy", ["flat", "binpack", "spread"])
def test_gangs_touch_fewer_domains_than_without_topology(planned: tuple[Scenario, Plan], policy: str) -> None:
    scenario, plan = planned
    cards, gangs, ours = touched(scenario, plan)
    other_cards, other_gangs, theirs = touched(scenario, plan_scenario(scenario, by_name(policy)))
    assert cards >= other_cards
    assert ours * other_gangs < theirs * gangs


def test_what_fits_into_a_leaf_lies_in_one(planned: tuple[Scenario, Plan]) -> None:
    scenario, plan = planned
    narrowest = scenario.topologies[0].level_names()[-1]
    largest = max(Counter(tuple(node.places["fabric"].values()) for node in scenario.nodes).values())
    for workload, one in pairs(scenario, plan):
        if one.pods and not workload.root.groups and len({pod.node for pod in one.pods}) <= largest:
            assert len(domains(scenario, narrowest, one.pods)) == 1
