"""The reference is tested too: against a linear model of the same rules, and on placements of its own."""

from __future__ import annotations

import pytest

from railwise.model.node import Cards, Node
from railwise.model.plan import PodPlacement
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import CARDS_SHARE, Group, Workload
from tests.oracle.cluster import Card, Cluster, leaves
from tests.oracle.instances import PENDING, instance
from tests.oracle.question import Question
from tests.oracle.reference import Answer, TooLargeError, answer
from tests.oracle.rules import Placed
from tests.oracle.solver import covers, feasible
from tests.oracle.vector import Worth

CHUNK = 50
FABRIC = Topology("fabric", (Level("rack"),))


def _answer(scenario: Scenario) -> tuple[bool, Answer | None]:
    try:
        return True, answer(scenario, scenario.workloads[-1], 3000)
    except TooLargeError:
        return False, None


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, CHUNK))
def test_the_reference_and_the_linear_model_agree_on_every_verdict(first: int) -> None:
    differ, spoken = [], 0
    for seed in range(first, first + CHUNK):
        scenario = instance(seed)
        workload = scenario.workloads[-1]
        known, found = _answer(scenario) if covers(workload) else (False, None)
        if known:
            spoken += 1
            if (found is not None) != feasible(scenario, workload):
                differ.append(seed)
    assert differ == []
    assert spoken > CHUNK // 3


def _plain(workload: Workload) -> bool:
    """Return whether handing out the lowest cards and ranks in tree order is the best that can be done."""
    groups = [group for _, group in leaves(workload.root)]
    picky = any(group.segment or group.card_rule.island for group in groups)
    return not picky and not any(group.request.cards.kind == CARDS_SHARE for group in groups)


def _pods(scenario: Scenario, found: Answer) -> list[PodPlacement]:
    cluster = Cluster(scenario)
    pods = []
    question = found.question
    for path, group, spread in zip(question.leaf_paths, question.leaf_groups, found.spread, strict=True):
        nodes = [index for index in question.order for _ in range(spread[index])]
        for rank, index in enumerate(nodes):
            place = cluster.machines[index]
            cards = _lowest(place.cards, group) if group.request.cards.count else []
            place.put(group.request, group.card_rule, cards)
            names = tuple(str(card) for card in cards)
            pods.append(PodPlacement(f"{'-'.join(path)}-{rank}", rank, "/".join(path), place.node.name, names))
    return pods


def _lowest(cards: list[Card], group: Group) -> list[int]:
    fitting = [card.number for card in cards if card.untouched() and card.suits(group.card_rule)]
    return fitting[: group.request.cards.count]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, CHUNK))
def test_the_best_placement_keeps_every_rule_and_has_the_objective_it_claims(first: int) -> None:
    checked = 0
    for seed in range(first, first + CHUNK):
        scenario = instance(seed)
        workload = scenario.workloads[-1]
        assert workload.name == PENDING
        _, found = _answer(scenario)
        if found is None or workload.alternatives or not _plain(workload):
            continue
        checked += 1
        placed = Placed(scenario, workload, _pods(scenario, found))
        assert placed.faults == [], seed
        assert placed.vector() == found.vector, seed
        assert placed.unordered() == []
    assert checked > CHUNK // 6


def _worth(cards: int, policy: Policy) -> Worth:
    nodes = tuple(Node(f"n{index}", {"fabric": {"rack": "r"}}, (Cards(cards),)) for index in range(8))
    workload = Workload(PENDING, Group(pods=1, min_pods=1))
    return Worth(Question(Scenario(topologies=(FABRIC,), nodes=nodes, policy=policy), workload))


def test_the_potential_is_what_the_rules_work_out() -> None:
    worth = _worth(8, Policy())
    assert [worth.of_slots(free) for free in range(1, 9)] == [1, 4, 5, 12, 13, 16, 17, 32]
    whole = [worth.of_whole_nodes(free, 8, 1, 0) for free in range(1, 9)]
    assert whole == [8 * value for value in (0, 2, 2, 8, 8, 10, 10, 24)]
    assert worth.total([8, 8, 0, 0, 0, 0, 0, 7]) == 32 + 32 + 17 + 16


def test_wider_levels_count_only_gangs_above_the_narrower_ones() -> None:
    worth = _worth(8, Policy())
    assert worth.of_whole_nodes(8, 8, 2, 4) == 8 * 4 * 2
    assert worth.of_whole_nodes(8, 8, 4, 4) == 0


def test_learned_sizes_replace_the_powers_of_two() -> None:
    worth = _worth(8, Policy(sizes=((1, 40), (8, 60), (12, 5), (16, 7))))
    assert worth.of_slots(7) == 40 * 7
    assert worth.of_slots(8) == 40 * 8 + 60 * 8
    assert worth.of_whole_nodes(5, 8, 1, 0) == 7 * 16 * 2
