"""What breaking whole nodes destroys, against the worth of the whole cluster before and after."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.elsewhere import Elsewhere
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from tests.engine.small import FABRIC, NVLINK, gang, racks, request, shape_of, state_of
from tests.oracle.question import Question
from tests.oracle.vector import Worth

POWER = Topology("power", (Level("feed"), Level("row")))


def _cluster(random: Random) -> Scenario:
    nodes = racks(*(random.randint(1, 4) for _ in range(random.randint(1, 5))), gpus=random.choice([4, 8]))
    placed = []
    for index, node in enumerate(nodes):
        places = {"nvlink": {"clique": f"c{index % 3}"}, "power": {"feed": f"f{index % 2}", "row": f"w{index % 4}"}}
        placed.append(replace(node, places={**node.places, **places}))
    topologies = random.choice([(FABRIC,), (FABRIC, NVLINK), (FABRIC, NVLINK, POWER)])
    policy = Policy(largest_gang=random.choice([0, 2, 4, 8]), sizes=random.choice([(), ((1, 3), (8, 5), (16, 7))]))
    return Scenario(
        "c", topologies=topologies, nodes=tuple(placed), policy=policy, workloads=(gang("a", 1, request(1)),)
    )


def _loss(scenario: Scenario, state: ClusterState, broken: list[int]) -> int:
    """Return the potential the domains lose when nodes are no longer whole, the worth of the nodes apart."""
    worth = Worth(Question(scenario, scenario.workloads[0]))
    slots = [room.slots for room in state.room_of]
    after = [0 if index in broken else count for index, count in enumerate(slots)]
    nodes = sum(worth.of_slots(before) - worth.of_slots(later) for before, later in zip(slots, after, strict=True))
    return worth.total(slots) - worth.total(after) - nodes


@given(st.integers(0, 2**32 - 1))
def test_losses_inside_and_outside_the_rack_add_up_to_what_the_cluster_loses(seed: int) -> None:
    random = Random(seed)
    scenario = _cluster(random)
    state = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
    shape = shape_of(state, request(1))
    for node in range(len(scenario.nodes)):
        if random.random() < 0.3:
            state.put(shape, node)
    elsewhere = Elsewhere(state, 0)
    whole = [node for node, room in enumerate(state.room_of) if room.wholly]
    for node in whole:
        rack = state.trees[0].tree.domain_of[-1][node]
        inside = state.whole_loss[0][state.trees[0].whole[0][rack]]
        assert elsewhere.first(node, 0) + inside == _loss(scenario, state, [node])
        mates = [other for other in whole if state.trees[0].tree.domain_of[-1][other] == rack]
        lost = elsewhere.rack_loss(rack, 0, len(mates))
        assert lost[0] == 0
        if not elsewhere.others:
            assert [lost[count] for count in range(len(mates) + 1)] == [
                _loss(scenario, state, mates[:count]) for count in range(len(mates) + 1)
            ]
        alike = [other for other in mates if elsewhere.place(other) == elsewhere.place(node)]
        both = elsewhere.group_loss(elsewhere.place(node), 0, len(alike))
        assert both[len(alike)] + lost[len(alike)] == _loss(scenario, state, alike)


def test_one_topology_without_wide_gangs_has_nothing_elsewhere() -> None:
    assert not Elsewhere(state_of(racks(2, 2), FABRIC), 0).active
    assert Elsewhere(state_of(racks(2, 2), FABRIC, policy=Policy(largest_gang=4)), 0).active
    assert Elsewhere(state_of(racks(2, 2), FABRIC, NVLINK), 0).active


def test_who_must_be_judged_again_when_a_node_was_touched() -> None:
    nodes = [
        replace(node, places={**node.places, "nvlink": {"clique": f"c{i % 2}"}})
        for i, node in enumerate(racks(2, 2, 2))
    ]
    assert Elsewhere(state_of(nodes, FABRIC), 0).touched_too({0}) == {0}
    assert Elsewhere(state_of(nodes, FABRIC, NVLINK), 0).touched_too({0}) == {0, 2, 4}  # its clique
    wide = state_of(nodes, FABRIC, policy=Policy(largest_gang=4))
    assert Elsewhere(wide, 0).touched_too({0}) == {0, 1, 2, 3}  # its superpod
