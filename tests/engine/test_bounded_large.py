"""Random gangs of groups on clusters of 1,300 nodes: what fits by any reckoning is placed, and by every rule."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Submit
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Group, Segment, TopologyRule, Workload
from tests.engine.small import NVLINK, request, running
from tests.oracle.rules import Placed

FABRIC = Topology("fabric", (Level("spine"), Level("superpod"), Level("rack")))


def _cluster(random: Random) -> list[Node]:
    """Return 1,300 nodes in racks of about a dozen, three to six racks a superpod, cliques of every other node."""
    nodes: list[Node] = []
    rack = superpod = 0
    left = 4
    while len(nodes) < 1300:
        for _ in range(random.randint(8, 16)):
            places = {
                "fabric": {"spine": f"s{superpod // 5}", "superpod": f"p{superpod}", "rack": f"r{rack}"},
                "nvlink": {"clique": f"c{len(nodes) // 20}-{len(nodes) % 2}"},
            }
            nodes.append(Node(f"n{len(nodes)}", places, (Cards(8),)))
        rack, left = rack + 1, left - 1
        if not left:
            superpod, left = superpod + 1, random.randint(3, 6)
    return nodes


def _leaf(random: Random, name: str) -> Group:
    """Return a group that one rack of eight empty nodes holds by itself, with a rule it can keep there."""
    gpu = random.choice([1, 2, 4, 8, 8])
    pods = random.randint(1, 6)
    asks = request(gpu)
    rules = [
        TopologyRule(required=random.choice(["rack", "superpod", "spine"])),
        TopologyRule(preferred=random.choice(["node", "rack", "superpod"])),
        TopologyRule(distinct="node"),
        TopologyRule("nvlink", required="clique"),
        TopologyRule("nvlink", preferred="clique"),
        TopologyRule(),
    ]
    group = Group(name, pods, pods, asks, topology=random.choice(rules))
    if group.topology == TopologyRule() and random.random() < 0.6:
        group = replace(group, segment=Segment(random.randint(1, 3), random.choice(["rack", "rack", "superpod"])))
    return group


def _workload(random: Random) -> Workload:
    """Return groups that a tenth of an empty cluster holds, nested or apart or both."""
    groups = [_leaf(random, f"g{number}") for number in range(random.randint(1, 30))]
    if random.random() < 0.4:
        copies = random.randint(2, 12)
        groups = [replace(groups[0], name=f"g{number}") for number in range(copies)]
    if random.random() < 0.4:
        inner = [Group(f"in{number}", groups=(one,), min_groups=1) for number, one in enumerate(groups[:4])]
        if random.random() < 0.5:
            inner = [replace(one, topology=TopologyRule(required="superpod")) for one in inner]
        groups = [*inner, *groups[4:]]
    rule = random.choice(
        [
            TopologyRule(),
            TopologyRule(distinct="node"),
            TopologyRule(distinct="rack"),
            TopologyRule(distinct="superpod" if len(groups) < 12 else "rack"),
            TopologyRule(preferred="superpod"),
            TopologyRule(balance="even"),
        ]
    )
    return Workload("a", Group(groups=tuple(groups), min_groups=len(groups), topology=rule))


def _faults(seed: int, load: float) -> list[str]:
    """Return what is wrong with the placement of a random workload beside running pods of so many nodes."""
    random = Random(seed)
    nodes = _cluster(random)
    busy = [
        running(f"b{node.name}", [node.name], request(random.choice([1, 2, 4, 8, 8])))
        for node in nodes
        if random.random() < load
    ]
    scenario = Scenario("large", 0, (FABRIC, NVLINK), tuple(nodes), workloads=tuple(busy))
    lived = Engine(scenario)
    lived.cycle(())
    workload = _workload(random)
    plan = next(one for one in lived.cycle([Submit(workload)]).workloads if one.name == "a")
    if not plan.pods:
        return [f"not placed: {plan.reason}"]
    return Placed(scenario, workload, plan.pods).faults


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_an_empty_cluster_holds_is_placed(seed: int) -> None:
    assert _faults(seed, 0.0) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 46))
def test_what_an_empty_cluster_holds_is_placed_at_length(seed: int) -> None:
    assert _faults(seed, 0.0) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(46, 86))
def test_what_is_placed_beside_others_obeys_every_rule(seed: int) -> None:
    faults = _faults(seed, 0.5)
    assert [fault for fault in faults if not fault.startswith("not placed")] == []
