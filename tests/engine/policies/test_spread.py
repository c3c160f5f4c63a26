from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.policies.kube import ZONE, enough_nodes, visiting_order, zones_of
from railwise.model.node import Node, Taint
from railwise.model.plan import State
from railwise.model.reason import Code
from railwise.model.topology import Level, Topology
from railwise.model.workload import Group, Selection, Toleration, Workload
from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running

SEEDS = range(20)


def test_the_node_with_most_cpu_and_memory_left_wins() -> None:
    nodes = racks(3, cpu=10_000)
    old = [running(f"old-{node}", [f"n{node}"], request(cpu=used)) for node, used in enumerate([6000, 2000, 4000])]
    for seed in SEEDS:
        assert nodes_of(last(planned("spread", nodes, *old, gang("new", 1, request(cpu=1000)), seed=seed))) == ["n1"]


def test_gpus_count_for_fitting_but_not_for_the_score() -> None:
    nodes = racks(2, cpu=10_000)
    old = [running("cards", ["n0"], request(gpu=6)), running("cpu", ["n1"], request(cpu=3000))]
    small, large = gang("new", 1, request(gpu=2, cpu=1000)), gang("new", 1, request(gpu=4, cpu=1000))
    for seed in SEEDS:
        assert nodes_of(last(planned("spread", nodes, *old, small, seed=seed))) == ["n0"]
        assert nodes_of(last(planned("spread", nodes, *old, large, seed=seed))) == ["n1"]


def test_balance_decides_between_equally_free_nodes() -> None:
    # On n0 cpu and memory come closer (80 → 90: 80 points), on n1 they come apart (100 → 90: 70); both are 60 % free.
    nodes = racks(2, cpu=10_000, memory=10_000)
    old = [running("a", ["n0"], request(cpu=4000)), running("b", ["n1"], request(cpu=2000, memory=2000))]
    for seed in SEEDS:
        answer = last(planned("spread", nodes, *old, gang("new", 1, request(cpu=1000, memory=3000)), seed=seed))
        assert nodes_of(answer) == ["n0"]


def test_pods_without_requests_count_for_a_tenth_of_a_core() -> None:
    for seed in SEEDS:
        answer = last(planned("spread", racks(3, cpu=1000), gang("new", 3, request(gpu=1)), seed=seed))
        assert sorted(nodes_of(answer)) == ["n0", "n1", "n2"]


def test_default_constraints_spread_pods_behind_a_service_over_hosts() -> None:
    def most_on_one_node(kind: str, seed: int) -> int:
        nodes = nodes_of(last(planned("spread", racks(4), gang("new", 4, request(gpu=1), kind=kind), seed=seed)))
        return max(nodes.count(node) for node in nodes)

    assert {most_on_one_node("training", seed) for seed in SEEDS} == {1}
    assert {most_on_one_node("inference", seed) for seed in SEEDS} == {1}
    assert max(most_on_one_node("batch", seed) for seed in SEEDS) > 1


def test_default_constraints_spread_over_zones() -> None:
    nodes = [replace(node, labels={ZONE: f"z{index // 2}"}) for index, node in enumerate(racks(4))]
    for seed in SEEDS:
        answer = last(planned("spread", nodes, gang("new", 2, request(gpu=8), kind="training"), seed=seed))
        assert sorted(node in {"n0", "n1"} for node in nodes_of(answer)) == [False, True]


def test_pods_that_run_count_for_the_spread() -> None:
    half = running("new", ["n1", None], request(gpu=1), kind="training")
    for seed in SEEDS:
        pods = last(planned("spread", racks(2), half, seed=seed)).pods
        assert [pod.node for pod in pods] == ["n1", "n0"]


def test_soft_taints_weigh_more_than_room() -> None:
    nodes = racks(2, cpu=10_000)
    nodes[0] = replace(nodes[0], taints=(Taint("slow", effect="PreferNoSchedule"),))
    old = running("old", ["n1"], request(cpu=8000))
    new = gang("new", 1, request(cpu=1000))
    tolerant = replace(new, root=replace(new.root, selection=Selection(tolerations=(Toleration(operator="Exists"),))))
    for seed in SEEDS:
        assert nodes_of(last(planned("spread", nodes, old, new, seed=seed))) == ["n1"]
        assert nodes_of(last(planned("spread", nodes, old, tolerant, seed=seed))) == ["n0"]


def test_pods_go_one_by_one_in_rank_order() -> None:
    nodes = racks(3, cpu=10_000)
    old = [running(f"old-{node}", [f"n{node}"], request(cpu=used)) for node, used in enumerate([3000, 2000, 1000])]
    answer = last(planned("spread", nodes, *old, gang("new", 3, request(gpu=8, cpu=1000))))
    assert nodes_of(answer) == ["n2", "n1", "n0"]


def test_equal_nodes_are_drawn_by_the_seed() -> None:
    new = gang("new", 1, request(gpu=8))
    assert {nodes_of(last(planned("spread", racks(4), new, seed=seed)))[0] for seed in SEEDS} == {
        "n0",
        "n1",
        "n2",
        "n3",
    }


def test_a_gang_that_fits_in_part_waits_whole() -> None:
    answer = last(planned("spread", racks(2), gang("new", 3, request(gpu=8))))
    assert answer.state is State.PENDING
    assert answer.pods == ()
    assert answer.reason is not None
    assert answer.reason.code is Code.NEVER_FITS


def test_topology_rules_are_ignored_and_what_comes_out_is_told() -> None:
    nodes = racks(2, 2)
    old = running("old", ["n0", "n2"], request(gpu=8))
    new = gang("new", 2, request(gpu=8), required="rack", preferred="rack")
    answer = last(planned("spread", nodes, old, new))
    assert answer.state is State.PLACED
    assert answer.domains == {"superpod": ("p0",), "rack": ("r0", "r1")}
    assert not answer.preferred_met
    assert not answer.exact
    assert last(planned("railwise", nodes, old, new)).state is State.PENDING


def test_a_preference_may_be_met_by_chance() -> None:
    new = gang("new", 2, request(gpu=8), preferred="rack")
    met = [last(planned("spread", racks(2, 2), new, seed=seed)) for seed in SEEDS]
    assert {len(answer.domains["rack"]) == 1 for answer in met} == {True, False}
    assert all(answer.preferred_met == (len(answer.domains["rack"]) == 1) for answer in met)


def test_unequal_pods_that_found_no_place_prove_nothing() -> None:
    # Eight single cards spread over both nodes leave no whole node for the second group: another order would have.
    single = Group("single", pods=2, min_pods=2, request=request(gpu=1))
    whole = Group("whole", pods=1, min_pods=1, request=request(gpu=8))
    new = Workload("new", Group(groups=(single, whole), min_groups=2), kind="training")
    answer = last(planned("spread", racks(2), new))
    assert answer.reason is not None
    assert answer.reason.code is Code.UNPROVEN
    assert last(planned("railwise", racks(2), new)).state is State.PLACED


@pytest.mark.parametrize(
    ("nodes", "enough"), [(0, 0), (99, 99), (100, 100), (200, 100), (1000, 420), (5000, 500), (10_000, 500)]
)
def test_not_all_nodes_of_a_large_cluster_are_looked_at(nodes: int, enough: int) -> None:
    assert enough_nodes(nodes) == enough


def test_the_next_pod_is_looked_for_where_the_last_search_stopped() -> None:
    answer = last(planned("spread", racks(200), gang("new", 4, request(gpu=1))))
    assert [int(node[1:]) // 100 for node in nodes_of(answer)] == [0, 1, 0, 1]


def test_nodes_are_looked_at_zone_by_zone_in_turn() -> None:
    assert visiting_order([0, 1, 2, 3, 4], ["a", "a", "b", "a", "c"]) == [0, 2, 4, 1, 3]


def test_a_zone_is_a_label_or_a_level_that_stands_for_it() -> None:
    topology = Topology("fabric", (Level("hall", label=ZONE), Level("rack")))
    nodes = [
        Node("n0", {"fabric": {"hall": "h1"}}),
        Node("n1", {"fabric": {"hall": "h1"}}, labels={ZONE: "z1"}),
        Node("n2", {"fabric": {"rack": "r1"}}),
    ]
    assert zones_of(nodes, (topology,)) == ["h1", "z1", ""]
