"""Small clusters and workloads in few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.engine.cycle import plan_scenario
from railwise.engine.policies import by_name
from railwise.model.node import Cards, Node
from railwise.model.plan import Plan, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRequest,
    Group,
    Request,
    Running,
    TopologyRule,
    Workload,
)

FABRIC = Topology("fabric", (Level("superpod"), Level("rack")))


def racks(*sizes: int, per_superpod: int = 2, gpus: int = 8, **resources: int) -> list[Node]:
    """Return nodes ``n0``, ``n1``, … in racks ``r0``, ``r1``, … of the given sizes."""
    nodes: list[Node] = []
    for rack, size in enumerate(sizes):
        places = {"fabric": {"superpod": f"p{rack // per_superpod}", "rack": f"r{rack}"}}
        for _ in range(size):
            nodes.append(Node(f"n{len(nodes)}", places, (Cards(gpus),) if gpus else (), resources=resources))
    return nodes


def request(gpu: int = 0, part: int = 0, **resources: int) -> Request:
    """Return what a pod asks for: whole cards or a ``part`` of one (thousandths), cpu (millicores), memory (MiB)."""
    cards = CardRequest(CARDS_WHOLE, gpu) if gpu else CardRequest(CARDS_NONE)
    if part:
        cards = CardRequest(CARDS_SHARE, 1, fraction=part)
    return Request(cards, tuple(sorted(resources.items())))


def gang(name: str, pods: int, asks: Request, required: str = "", preferred: str = "", kind: str = "batch") -> Workload:
    """Return a workload that waits for all of its pods."""
    rule = TopologyRule(required=required, preferred=preferred)
    return Workload(name, Group(pods=pods, min_pods=pods, request=asks, topology=rule), kind=kind)


def running(name: str, nodes: Sequence[str | None], asks: Request, kind: str = "batch") -> Workload:
    """Return a workload whose pods run on the given nodes (None: one that was lost)."""
    group = Group(pods=len(nodes), min_pods=len(nodes), request=asks, running=Running(tuple(nodes)))
    return Workload(name, group, kind=kind)


def scenario(nodes: Sequence[Node], *workloads: Workload) -> Scenario:
    """Return a cluster with its workloads, in order."""
    ordered = tuple(replace(workload, order=order) for order, workload in enumerate(workloads))
    return Scenario("small", 0, (FABRIC,), tuple(nodes), workloads=ordered)


def planned(policy: str, nodes: Sequence[Node], *workloads: Workload, seed: int = 0) -> Plan:
    """Return one decision of a policy."""
    return plan_scenario(scenario(nodes, *workloads), by_name(policy, seed))


def last(plan: Plan) -> WorkloadPlan:
    """Return what a plan says about its last workload."""
    return plan.workloads[-1]


def nodes_of(answer: WorkloadPlan) -> list[str]:
    """Return the node of every pod, group by group in rank order."""
    return [pod.node for pod in answer.pods]
