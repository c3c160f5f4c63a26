"""The slow reference of the benchmarks against the brute force of the tests, on clusters small enough for both."""

from __future__ import annotations

import random

import pytest

from benchmarks.ground import Ask, Ground
from benchmarks.optimum import Objective, Optimum, judge
from railwise.model.node import Cards, Node
from railwise.model.plan import PodPlacement
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, Running, TopologyRule, Workload
from tests.oracle.reference import Answer, answer

LEVELS = ("spine", "superpod", "rack")
CARDS = 4


def _workload(name: str, pods: int, cards: int, rule: TopologyRule, running: Running | None = None) -> Workload:
    request = Request(CardRequest(CARDS_WHOLE, cards))
    return Workload(name, Group("", pods, pods, request, topology=rule, running=running), kind="training")


def _instance(seed: int) -> tuple[Scenario, Workload]:
    """Return a cluster of a dozen nodes, partly in use, and a workload that asks for a place."""
    draw = random.Random(seed)
    racks = [(f"s{draw.randrange(2)}", f"p{draw.randrange(2)}", f"r{number}") for number in range(draw.randint(2, 5))]
    nodes = []
    for number in range(draw.randint(4, 10)):
        places = dict(zip(LEVELS, draw.choice(racks), strict=True))
        nodes.append(Node(f"n{number}", {"fabric": places}, (Cards(CARDS),)))
    running = []
    for node in nodes:
        used = draw.choice((0, 0, 0, 1, 2, 3, 4))
        if used:
            held = Running((node.name,), cards=(tuple(str(card) for card in range(used)),))
            running.append(_workload(f"on-{node.name}", 1, used, TopologyRule(), held))
    pods, cards = draw.randint(1, 5), draw.choice((1, 2, 4, 4))
    required, preferred = draw.choice(("", "", *LEVELS)), draw.choice(("", "", *LEVELS, "node"))
    asking = _workload("asking", pods, cards, TopologyRule(required=required, preferred=preferred))
    topology = Topology("fabric", tuple(Level(name) for name in LEVELS))
    return Scenario("small", 0, (topology,), tuple(nodes), workloads=(*running, asking)), asking


def _ground(scenario: Scenario) -> Ground:
    ground = Ground(scenario)
    for workload in scenario.workloads:
        running = workload.root.running
        if running is not None and running.nodes[0] is not None:
            ground.put(workload.name, [PodPlacement(workload.name, 0, "", running.nodes[0], running.cards[0])])
    return ground


def _criteria(found: Answer, objective: Objective) -> list[tuple[object, object]]:
    """Return pairs of what must be equal: criteria 1, 2, 5, 6 and 7."""
    _, above, domains, _, loss, nodes, left, _ = found.vector
    return [
        (above[0], objective.above),
        (domains[: len(objective.domains)], objective.domains),
        (loss, (objective.loss,)),
        (nodes, (objective.nodes,)),
        (left, objective.left),
    ]


@pytest.mark.parametrize("seed", range(250))
def test_the_best_placement_is_that_of_the_brute_force(seed: int) -> None:
    scenario, asking = _instance(seed)
    ground = _ground(scenario)
    ask = Ask.of(asking, ground)
    best = Optimum(ground).best(ask)
    expected = answer(scenario, asking)
    assert (best is None) == (expected is None)
    if best is not None and expected is not None:
        assert all(theirs == mine for theirs, mine in _criteria(expected, best)), (expected.vector, best)
        nodes = list(expected.spread[0].elements())
        assert judge(ground, ask, nodes) == best


def test_a_placement_that_breaks_a_rule_has_no_objective() -> None:
    nodes = tuple(
        Node(f"n{number}", {"fabric": {"spine": "s", "superpod": "p", "rack": f"r{number}"}}, (Cards(CARDS),))
        for number in range(2)
    )
    topology = Topology("fabric", tuple(Level(name) for name in LEVELS))
    ground = Ground(Scenario("two", 0, (topology,), nodes))
    ask = Ask(pods=2, cards=CARDS, required=2, preferred=2)
    assert judge(ground, ask, [0, 1]) is None
    assert judge(ground, ask, [0, 0]) is None
    assert Optimum(ground).best(ask) is None
    assert Optimum(ground).best(Ask(pods=2, cards=CARDS, required=1, preferred=2)) == Objective(
        1, (2,), 24, 2, (0,) * 4
    )


def test_a_card_is_not_given_twice() -> None:
    ground = _ground(_instance(0)[0])
    pod = PodPlacement("a-0", 0, "", "n0", ("0",))
    ground.free[0] = 1
    ground.put("a", [pod])
    with pytest.raises(AssertionError, match="not free"):
        ground.put("b", [pod])
    ground.remove("a")
    ground.put("b", [pod])
