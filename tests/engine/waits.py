"""Short words for tests of who waits: one decision at a time, and what became of everybody."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import plan_scenario
from railwise.model.plan import Plan, State
from railwise.model.policy import MINUTE, Policy
from railwise.model.queue import Queue
from railwise.model.workload import Running, Workload
from tests.engine.small import FABRIC, gang, request, running, scenario
from tests.engine.virtual_time import lasting

LATE = -20
"""Submitted so many minutes before the decision: longer ago than ``reserveAfter``."""


def decide(nodes: list, *workloads: Workload, queues: tuple[Queue, ...] = (), **policy: object) -> Plan:  # type: ignore[type-arg]
    """Return one decision at time 0."""
    known = scenario(nodes, *workloads)
    topologies = (FABRIC,) if nodes[0].places else ()
    return plan_scenario(replace(known, topologies=topologies, policy=Policy(**policy), queues=queues))  # type: ignore[arg-type]


def since(workload: Workload, minutes: float) -> Workload:
    """Return a running workload that began so many minutes ago."""
    run = workload.root.running
    assert run is not None
    return replace(workload, root=replace(workload.root, running=Running(run.nodes, round(-minutes * MINUTE))))


def busy(nodes: list[str], minutes: float = 0, began: float = 0, cards: int = 8, name: str = "busy") -> Workload:
    """Return a workload that runs on whole nodes, ``minutes`` long in all (0: not known)."""
    return since(lasting(running(name, nodes, request(cards)), minutes), began)


def fate(plan: Plan) -> dict[str, str]:
    """Return the nodes of those who start, the code of those who wait."""
    return {
        one.name: one.reason.code.value if one.reason else " ".join(pod.node for pod in one.pods)
        for one in plan.workloads
        if one.state is not State.RUNNING
    }


HEAD = lasting(gang("head", 2, request(8)), 60)
