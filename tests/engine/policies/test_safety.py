"""What must hold for every baseline, whatever the cluster: judged by the reference's own book of cards."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine, Finish, Search, Submit, plan_scenario
from railwise.engine.gangs.demand import Demand
from railwise.engine.policies import POLICIES, by_name
from railwise.engine.search.placement import Found, Refused
from railwise.model.plan import Plan, State
from railwise.model.reason import Code
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from tests.oracle.cluster import Cluster, leaves
from tests.oracle.instances import crowd
from tests.oracle.rules import Placed

BASELINES = [name for name in POLICIES if name != "railwise"]
BROKEN_RULES = ("without a domain", "not in one required domain", "two in one domain", "a segment leaves")
"""Faults that a policy without a map may commit."""

seeds = st.integers(0, 2**32 - 1)
names = st.sampled_from(BASELINES)


class Watched:
    """A search that must leave the state as it found it."""

    def __init__(self, search: Search, state: ClusterState) -> None:
        self.search = search
        self.state = state

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        before = self.state.snapshot()
        wanted = {index: list(numbers) for index, numbers in ranks.items()}
        found = self.search.place(demand, ranks, chosen)
        assert self.state.snapshot() == before
        assert ranks == wanted
        if isinstance(found, Found):
            numbers = {leaf.index: number for number, leaf in enumerate(demand.leaves)}
            placed = sorted((spot.leaf, spot.rank) for spot in found.pods)
            assert placed == sorted((numbers[index], rank) for index, all_of in wanted.items() for rank in all_of)
        return found


def _planned(name: str, scenario: Scenario) -> Plan:
    policy = by_name(name, scenario.seed)
    assert policy is not None
    return plan_scenario(scenario, policy._replace(search=lambda state: Watched(policy.search(state), state)))


def _root(workload: Workload, alternative: int) -> Group:
    return workload.alternatives[alternative].root if workload.alternatives and alternative >= 0 else workload.root


@given(names, seeds)
def test_searching_changes_nothing_and_the_same_seed_gives_the_same(name: str, seed: int) -> None:
    scenario = crowd(seed)
    assert _planned(name, scenario) == _planned(name, scenario)


@given(names, seeds)
def test_numbering_rooms_anew_changes_no_decision(name: str, seed: int) -> None:
    scenario = crowd(seed)
    kept, moved = Engine(scenario, by_name(name, seed)), Engine(scenario, by_name(name, seed))
    assert kept.cycle(()) == moved.cycle(())
    again = [Submit(replace(one, name=f"{one.name}-2")) for one in scenario.workloads if one.root.running is None]
    gone = [Finish(one.name) for one in scenario.workloads if one.root.running is not None]
    moved.state.compact()
    assert kept.cycle([*gone, *again], 1) == moved.cycle([*gone, *again], 1)


@given(names, seeds)
def test_never_double_booked(name: str, seed: int) -> None:
    scenario = crowd(seed)
    plan = _planned(name, scenario)
    empty = Cluster(replace(scenario, workloads=()))
    for workload, answer in zip(scenario.workloads, plan.workloads, strict=True):
        groups = {"/".join(path): group for path, group in leaves(_root(workload, answer.alternative))}
        for pod in answer.pods:
            group = groups[pod.group]
            cards = [int(card) for card in pod.cards]
            assert empty.by_name[pod.node].put(group.request, group.card_rule, cards) == "", pod


@given(names, seeds)
def test_whole_gangs_on_nodes_that_let_them_in(name: str, seed: int) -> None:
    scenario = crowd(seed)
    for workload, answer in zip(scenario.workloads, _planned(name, scenario).workloads, strict=True):
        assert (answer.state is State.PENDING) == (answer.reason is not None) == (not answer.pods)
        if answer.state is State.PLACED:
            faults = Placed(scenario, workload, answer.pods, _root(workload, answer.alternative)).faults
            assert [fault for fault in faults if not any(rule in fault for rule in BROKEN_RULES)] == []
            assert not answer.exact


@given(names, seeds)
def test_what_is_reported_is_where_the_pods_are(name: str, seed: int) -> None:
    scenario = crowd(seed)
    by_node = {node.name: node for node in scenario.nodes}
    for workload, answer in zip(scenario.workloads, _planned(name, scenario).workloads, strict=True):
        root = _root(workload, answer.alternative)
        topology = root.topology.name or (scenario.topologies[0].name if scenario.topologies else "")
        places = [by_node[pod.node].places.get(topology, {}) for pod in answer.pods]
        for level, domains in answer.domains.items():
            assert set(domains) == {place[level] for place in places if level in place}
        wanted = root.topology.preferred
        if answer.state is State.PLACED and wanted == "node":
            assert answer.preferred_met == (len({pod.node for pod in answer.pods}) == 1)
        elif answer.state is State.PLACED and wanted in answer.domains and all(wanted in place for place in places):
            paths = {tuple(place.get(level) for level in answer.domains) for place in places}
            depth = list(answer.domains).index(wanted) + 1
            assert answer.preferred_met == (len({path[:depth] for path in paths}) == 1)


@given(seeds)
def test_nothing_is_called_too_fragmented_that_another_can_place(seed: int) -> None:
    scenario = crowd(seed)
    running = [workload for workload in scenario.workloads if workload.root.running is not None]
    waiting = next(workload for workload in scenario.workloads if workload.root.running is None)
    one = replace(scenario, workloads=(*running, waiting))
    answers = {name: plan_scenario(one, by_name(name, seed)).workloads[-1] for name in POLICIES}
    refused = {name for name, answer in answers.items() if answer.reason and answer.reason.code is Code.TOO_FRAGMENTED}
    if any(answers[name].pods for name in BASELINES):
        assert refused <= {"railwise"}
    if answers["railwise"].pods:
        assert refused == set()
