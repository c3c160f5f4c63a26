"""A workload as the search reads it: levels resolved, defaults filled in, and what cannot be read refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NO_LOCALITY, NOT_GIVEN, Demand, UnreadableRuleError, read_demand
from railwise.model.node import Cards
from railwise.model.reason import Code
from railwise.model.workload import Group, Running, Segment, TopologyRule, Workload
from tests.engine.small import (
    FABRIC,
    NVLINK,
    asks_share,
    flat,
    gang,
    group,
    grouped,
    locked,
    racks,
    request,
    segmented,
    state_of,
)

RACKS = 1
NODE = 2


def _state() -> ClusterState:
    nodes = [replace(node, places={**node.places, "nvlink": {"clique": "c"}}) for node in racks(2, 2)]
    return state_of(nodes, FABRIC, NVLINK)


def _read(workload: Workload, state: ClusterState | None = None) -> Demand:
    return read_demand(workload, workload.root, state or _state())


@pytest.mark.parametrize(
    ("rule", "code", "text"),
    [
        (TopologyRule("torus"), Code.UNKNOWN_TOPOLOGY, "no topology 'torus' (known: fabric, nvlink)"),
        (TopologyRule(required="row"), Code.UNKNOWN_LEVEL, "no level 'row' (levels: superpod, rack, node)"),
        (TopologyRule(distinct="row"), Code.UNKNOWN_LEVEL, "no level 'row'"),
        (TopologyRule("nvlink", required="rack"), Code.UNKNOWN_LEVEL, "topology 'nvlink' has no level 'rack'"),
    ],
)
def test_a_rule_that_cannot_be_read_is_never_dropped(rule: TopologyRule, code: Code, text: str) -> None:
    workload = gang("a", 1, request(1))
    for one in (
        replace(workload, root=replace(workload.root, topology=rule)),
        grouped("a", Group("x", 1, 1, topology=rule)),
    ):
        with pytest.raises(UnreadableRuleError) as caught:
            _read(one)
        assert caught.value.code is code
        assert text in caught.value.text
    with pytest.raises(UnreadableRuleError):
        _read(segmented(workload, 2, "row"))


def test_an_unknown_preferred_level_falls_back_to_the_default() -> None:
    assert _read(gang("a", 1, request(1), preferred="row")).preferred == RACKS
    assert _read(segmented(gang("a", 2, request(1)), 2, preferred="row")).root.segment_preferred == NOT_GIVEN


@pytest.mark.parametrize(
    ("workload", "preferred"),
    [
        (gang("a", 2, request(8)), RACKS),
        (gang("a", 1, request(1)), RACKS),
        (gang("a", 2, request(4), kind="training"), NODE),
        (gang("a", 2, request(4), kind="inference"), NODE),
        (gang("a", 3, request(4), kind="training"), RACKS),
        (gang("a", 2, asks_share(part=500), kind="inference"), NODE),
        (gang("a", 2, request(8), preferred="superpod"), 0),
        (gang("a", 2, request(8), preferred="node"), NODE),
        (gang("a", 2, request(8), preferred="none", kind="training"), NO_LOCALITY),
        (gang("a", 2, request(0, cpu=1)), NO_LOCALITY),
        (gang("a", 2, request(0, cpu=1), required="rack"), RACKS),
        (segmented(gang("a", 2, request(0, cpu=1)), 2, "rack"), RACKS),
        (grouped("a", group("x", 1, request(0, cpu=1)), group("y", 1, request(1))), RACKS),
        (grouped("a", group("x", 1, request(0, cpu=1), preferred="rack"), group("y", 1, request(0))), RACKS),
    ],
)
def test_the_locality_that_is_wanted_by_default(workload: Workload, preferred: int) -> None:
    assert _read(workload).preferred == preferred


def test_a_flat_cluster_wants_no_locality_unless_one_node_is_asked_for() -> None:
    state = state_of(flat(8, 8))
    assert _read(gang("a", 2, request(1), kind="training"), state).preferred == NO_LOCALITY
    assert _read(gang("a", 2, request(1), preferred="node"), state).preferred == 0


def test_one_node_holds_the_whole_only_with_the_right_cards() -> None:
    nodes = [replace(node, cards=(Cards(4, "A"), Cards(4, "B"))) for node in racks(2)]
    state = state_of(nodes, FABRIC)
    workload = gang("a", 2, request(4), kind="training")
    rule = replace(workload.root.card_rule, models=("A",))
    assert _read(workload, state).preferred == NODE
    assert _read(replace(workload, root=replace(workload.root, card_rule=rule)), state).preferred == RACKS


def test_groups_inherit_the_topology_and_not_its_levels() -> None:
    other = replace(group("y", 1, request(1)), topology=TopologyRule("fabric"))
    inner = Group("in", groups=(group("x", 1, request(1)), other), min_groups=2)
    demand = _read(locked(grouped("a", inner), name="nvlink", required="clique"))
    assert [leaf.path for leaf in demand.leaves] == ["in/x", "in/y"]
    assert [leaf.tree for leaf in demand.leaves] == [1, 0]
    assert [leaf.required for leaf in demand.leaves] == [NOT_GIVEN, NOT_GIVEN]
    assert (demand.root.tree, demand.root.required, demand.pods) == (1, 0, 2)


def test_running_pods_are_noted_with_their_nodes() -> None:
    workload = gang("a", 3, request(1))
    running = Running(("n1", None, "gone", "n0"))
    demand = _read(replace(workload, root=replace(workload.root, running=running)))
    assert demand.root.fixed == {0: 1}
    assert demand.root.running() == 1


@pytest.mark.parametrize(
    ("rule", "simple"),
    [
        ({}, True),
        ({"required": "rack", "preferred": "node"}, True),
        ({"name": "nvlink", "required": "clique"}, True),
        ({"distinct": "rack"}, False),
        ({"balance": "even"}, False),
    ],
)
def test_what_the_indexes_can_answer(rule: dict[str, str], simple: bool) -> None:
    workload = gang("a", 2, request(1))
    demand = _read(replace(workload, root=replace(workload.root, topology=TopologyRule(**rule))))
    assert demand.simple is simple
    assert demand.root.has_rule() is bool(set(rule) - {"name"})
    assert not _read(replace(workload, root=replace(workload.root, segment=Segment(2)))).simple
    assert not _read(grouped("a", workload.root)).simple
