"""Patterns drive placement: the same cluster, the same pods, and only ``traffic`` changes where they go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.model.node import Node
from railwise.model.topology import Level, Topology
from railwise.model.workload import Selection, Traffic, Workload
from tests.engine.small import gang, group, grouped, racks, request, running, scenario, submitted, where

GIGA = 1000
NONE = Traffic("none")
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})
MOE = Traffic("moe", {"expertParallel": 32, "tokens": 4096, "hidden": 7168, "topK": 8, "layers": 58})


def fabric(rack: int, superpod: int = 0) -> Topology:
    """Return racks below superpods with uplinks in Gbit/s; a node has 3,200 Gbit/s."""
    return Topology(
        "fabric", (Level("superpod", uplink=superpod * GIGA), Level("rack", uplink=rack * GIGA)), 3200 * GIGA
    )


def engine(nodes: list[Node], topology: Topology, *workloads: Workload, further: tuple[Topology, ...] = ()) -> Engine:
    made = Engine(replace(scenario(nodes, *workloads), topologies=(topology, *further)))
    made.cycle(())
    return made


def busy(*nodes: str) -> Workload:
    return running("busy", list(nodes), request(8))


def train(pods: int, traffic: Traffic, preferred: str = "superpod") -> Workload:
    return replace(gang("train", pods, request(8), preferred=preferred), traffic=traffic)


@pytest.mark.parametrize(
    ("traffic", "nodes"),
    [(NONE, ["n2", "n3", "n6", "n7"]), (DENSE, ["n8", "n9", "n10", "n11"]), (MOE, ["n8", "n9", "n10", "n11"])],
    ids=["silent", "dense", "moe"],
)
def test_one_leaf_group_rather_than_what_is_left_of_two(traffic: Traffic, nodes: list[str]) -> None:
    """Uplinks carry an eighth of what two nodes say: rings and experts stay in one leaf group of their superpod."""
    made = engine(racks(4, 4, 4, per_superpod=3), fabric(400), busy("n0", "n1", "n4", "n5"))
    assert where(submitted(made, train(4, traffic))) == nodes


@pytest.mark.parametrize(
    ("traffic", "nodes"),
    [(NONE, ["n2", "n3", "n6", "n7"]), (DENSE, ["n2", "n3", "n6", "n7"]), (MOE, ["n8", "n9", "n10", "n11"])],
    ids=["silent", "dense", "moe"],
)
def test_experts_stay_in_one_superpod_where_rings_may_cross_spines(traffic: Traffic, nodes: list[str]) -> None:
    """An uplink as wide as one node's NICs: a ring crosses it once and loses nothing, an all-to-all twice as much."""
    made = engine(racks(4, 4, 4, per_superpod=1), fabric(3200, 3200), busy("n0", "n1", "n4", "n5"))
    assert where(submitted(made, train(4, traffic, preferred="none"))) == nodes


@pytest.mark.parametrize(("traffic", "first"), [(NONE, "n0"), (MOE, "n4")], ids=["silent", "moe"])
def test_experts_prefer_an_nvlink_domain(traffic: Traffic, first: str) -> None:
    """Two racks as good as each other, of which the second is one NVLink domain."""
    nodes = racks(4, 4, per_superpod=2)
    joined = [
        replace(node, places={**node.places, "nvlink": {"clique": "c1"}})
        if node.name in {"n4", "n5", "n6", "n7"}
        else node
        for node in nodes
    ]
    made = engine(joined, fabric(12_800), further=(Topology("nvlink", (Level("clique"),)),))
    assert where(submitted(made, train(4, traffic, preferred="superpod")))[0] == first


def serve(traffic: Traffic) -> Workload:
    """Prefill needs the golden node; decode may go anywhere in the superpod."""
    golden = replace(group("prefill", 1, request(8)), selection=Selection(labels=(("pool", "gold"),)))
    made = grouped("serve", golden, group("decode", 1, request(8)), preferred="superpod")
    return replace(made, traffic=traffic, kind="inference")


TRICKLE = Traffic("pd", {"bytesPerToken": 64, "tokensPerSecond": 1})
FLOOD = Traffic("pd", {"bytesPerToken": "320Ki", "tokensPerSecond": 50_000})


@pytest.mark.parametrize(
    ("traffic", "decode"), [(NONE, "n3"), (TRICKLE, "n3"), (FLOOD, "n5")], ids=["silent", "64 B/s", "16 GB/s"]
)
def test_decode_goes_near_its_prefill_when_much_is_handed_over(traffic: Traffic, decode: str) -> None:
    """The broken rack is the better place for a single node, the golden node's rack the nearer one."""
    gold = {"pool": "gold"}
    nodes = [replace(node, labels=gold) if node.name == "n4" else node for node in racks(2, 2, 3, per_superpod=3)]
    plan = submitted(engine(nodes, fabric(400), busy("n2")), serve(traffic))
    assert {pod.group: pod.node for pod in plan.pods} == {"prefill": "n4", "decode": decode}


@pytest.mark.parametrize("traffic", [DENSE, MOE], ids=["dense", "moe"])
def test_ranks_follow_leaf_groups_so_that_a_ring_crosses_each_border_once(traffic: Traffic) -> None:
    made = engine(racks(4, 4, 4, per_superpod=3), fabric(3200), busy("n0", "n5"))
    plan = submitted(made, train(9, traffic))
    leaf = [
        made.state.trees[0].tree.domain_of[1][made.state.index_of[pod.node]]
        for pod in sorted(plan.pods, key=lambda pod: pod.rank)
    ]
    assert sum(here != there for here, there in zip(leaf, [*leaf[1:], leaf[0]], strict=True)) == len(set(leaf))
