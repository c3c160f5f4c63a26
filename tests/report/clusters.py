"""Small clusters made by hand, with plans whose every figure can be checked by eye."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from railwise.model.node import Cards, Node
from railwise.model.plan import Plan, PodPlacement, State, WorkloadPlan
from railwise.model.reason import Act, Code, LevelCount, Reason
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import CardRequest, Group, Request, Running, TopologyRule, Workload

FABRIC = Topology("fabric", (Level("superpod"), Level("rack")))

NO_ROOM = Reason(
    Code.TOO_FRAGMENTED,
    "enough is free for 3 pods of 8 GPUs, but not inside one rack",
    Act.WAIT,
    "wait for room in one domain",
    total=8,
    nodes={"cordoned": 1, "gpu": 3, "fits": 4},
    levels=(LevelCount("rack", "p1/r2", 2, 3), LevelCount("superpod", "p1", 3, 3)),
)


def gang(name: str, pods: int, cards: int = 8, rule: TopologyRule | None = None, **more: object) -> Workload:
    """Return a workload of equal pods; ``running`` may name the nodes of its pods."""
    running = more.pop("running", None)
    group = Group(
        pods=pods,
        min_pods=pods,
        request=Request(CardRequest("whole", cards) if cards else CardRequest()),
        topology=rule or TopologyRule(),
        running=Running(tuple(running)) if isinstance(running, (list, tuple)) else None,
    )
    return Workload(name, group, **more)  # type: ignore[arg-type]


def nodes(count: int = 8, per_rack: int = 2, racks_per_superpod: int = 2, cards: int = 8) -> list[Node]:
    """Return nodes n1, n2, … with racks r1, r2, … of superpods p1, p2, …"""
    return [
        Node(
            f"n{index + 1}",
            places={
                "fabric": {
                    "superpod": f"p{index // per_rack // racks_per_superpod + 1}",
                    "rack": f"r{index // per_rack + 1}",
                }
            },
            cards=(Cards(cards),) if cards else (),
        )
        for index in range(count)
    ]


def cluster(workloads: Sequence[Workload], cluster_nodes: Sequence[Node] | None = None) -> Scenario:
    """Return a scenario named small on eight nodes in four racks of two superpods."""
    found = nodes() if cluster_nodes is None else cluster_nodes
    return Scenario("small", topologies=(FABRIC,), nodes=tuple(found), workloads=tuple(workloads))


def entry(
    workload: Workload,
    on: Sequence[str],
    state: State = State.PLACED,
    cards: int = 8,
    domains: Mapping[str, tuple[str, ...]] | None = None,
) -> WorkloadPlan:
    """Return what a plan says about a workload whose pod i is on ``on[i]`` with the first cards."""
    pods = tuple(
        PodPlacement(f"{workload.name}-{rank}", rank, "", node, tuple(str(card) for card in range(cards)))
        for rank, node in enumerate(on)
    )
    return WorkloadPlan(workload.name, workload.queue, state, pods, dict(domains or {}))


def plan_of(*entries: WorkloadPlan, **more: object) -> Plan:
    """Return a plan at time 0 of the scenario named small."""
    return Plan("small", 0, entries, **more)  # type: ignore[arg-type]
