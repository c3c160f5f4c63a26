"""Short words for engine tests: states, shapes and engines of small clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Submit
from railwise.model.node import Cards, Node
from railwise.model.plan import WorkloadPlan
from railwise.model.policy import Policy
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_SHARE,
    CardRequest,
    CardRule,
    Group,
    Request,
    Segment,
    Selection,
    TopologyRule,
    Workload,
)
from tests.engine.policies.clusters import FABRIC, gang, racks, request, running, scenario

__all__ = [
    "FABRIC",
    "NVLINK",
    "apart",
    "asks_share",
    "engine",
    "flat",
    "gang",
    "group",
    "grouped",
    "locked",
    "racks",
    "request",
    "running",
    "scenario",
    "segmented",
    "shape_of",
    "state_of",
    "submitted",
    "where",
]

NVLINK = Topology("nvlink", (Level("clique"),))


def flat(*cards: int, **resources: int) -> list[Node]:
    """Return nodes ``n0``, ``n1``, … with so many cards each, in no domain at all."""
    return [
        Node(f"n{index}", cards=(Cards(count),) if count else (), resources=resources)
        for index, count in enumerate(cards)
    ]


def state_of(nodes: Sequence[Node], *topologies: Topology, policy: Policy | None = None) -> ClusterState:
    """Return the state of an empty cluster."""
    return ClusterState(nodes, topologies, policy or Policy())


def engine(nodes: Sequence[Node], *workloads: Workload, policy: Policy | None = None) -> Engine:
    """Return an engine that has booked its running workloads, in racks of superpods where the nodes name any."""
    known = scenario(nodes, *workloads)
    topologies = (FABRIC,) if any("fabric" in node.places for node in nodes) else ()
    if any("nvlink" in node.places for node in nodes):
        topologies = (*topologies, NVLINK)
    made = Engine(replace(known, topologies=topologies, policy=policy or Policy()))
    made.cycle(())
    return made


def submitted(to: Engine, workload: Workload, *before: Event) -> WorkloadPlan:
    """Submit a workload, after some other events of the same moment, and return what is decided about it."""
    plan = to.cycle([*before, Submit(workload)])
    return next(one for one in plan.workloads if one.name == workload.name)


def where(plan: WorkloadPlan) -> list[str]:
    """Return the node of every pod, group by group in rank order."""
    return [pod.node for pod in plan.pods]


def asks_share(cards: int = 1, *, part: int = 0, percent: int = 0, memory: int = 0, compute: int = 0) -> Request:
    """Return a request for a share of each of so many cards."""
    return Request(
        CardRequest(CARDS_SHARE, cards, fraction=part, memory=memory, memory_percent=percent, compute=compute)
    )


def shape_of(
    state: ClusterState, asks: Request, rule: CardRule | None = None, selection: Selection | None = None
) -> Shape:
    """Return the interned shape of a pod."""
    return state.shapes.intern(asks, rule or CardRule(), selection or Selection())


def group(name: str, pods: int, asks: Request, *, least: int = -1, **rule: str) -> Group:
    """Return a group of equal pods; ``rule`` are the fields of its topology rule."""
    return Group(name, pods, pods if least < 0 else least, asks, topology=TopologyRule(**rule))


def grouped(name: str, *groups: Group, least: int = -1, **rule: str) -> Workload:
    """Return a workload of groups, all needed unless ``least`` says how many."""
    needed = len(groups) if least < 0 else least
    return Workload(name, Group(groups=groups, min_groups=needed, topology=TopologyRule(**rule)))


def locked(workload: Workload, **rule: str) -> Workload:
    """Return the workload with another topology rule about the whole."""
    return replace(workload, root=replace(workload.root, topology=TopologyRule(**rule)))


def apart(workload: Workload, level: str) -> Workload:
    """Return the workload with no two pods (or groups) in one domain of a level."""
    return locked(workload, distinct=level)


def segmented(workload: Workload, size: int, required: str = "", preferred: str = "") -> Workload:
    """Return the workload in runs of ``size`` ranks."""
    return replace(workload, root=replace(workload.root, segment=Segment(size, required, preferred)))
