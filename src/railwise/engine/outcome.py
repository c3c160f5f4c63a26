"""A scenario with a plan carried out: what runs where afterwards, ready to be written down or planned again."""

from __future__ import annotations

from dataclasses import replace

from railwise.model.plan import Plan, PodPlacement, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Running, Workload


def after(scenario: Scenario, plan: Plan) -> Scenario:
    """Return the scenario after the plan: placed pods run, evicted workloads wait again, finished ones are gone."""
    decided = {workload.name: workload for workload in plan.workloads}
    workloads: list[Workload] = []
    for workload in scenario.workloads:
        result = decided.get(workload.name)
        if result is None:
            workloads.append(workload)
        elif result.state != State.FINISHED:
            workloads.append(_after(workload, result, plan.time))
    return replace(scenario, workloads=tuple(workloads))


def _after(workload: Workload, result: WorkloadPlan, now: int) -> Workload:
    by_group: dict[str, list[PodPlacement]] = {}
    for pod in result.pods:
        by_group.setdefault(pod.group, []).append(pod)
    fresh = result.state is State.MOVED
    if result.alternative >= 0 and result.pods:
        root = workload.alternatives[result.alternative].root
        return replace(workload, root=_running(root, "", by_group, now, fresh=fresh), alternatives=())
    return replace(workload, root=_running(workload.root, "", by_group, now, fresh=fresh))


def _running(group: Group, path: str, by_group: dict[str, list[PodPlacement]], now: int, *, fresh: bool) -> Group:
    if group.groups:
        children = tuple(
            _running(child, f"{path}/{child.name}" if path else child.name, by_group, now, fresh=fresh)
            for child in group.groups
        )
        return replace(group, groups=children)
    pods = by_group.get(path, [])
    if not pods:
        return replace(group, running=None)
    last = max(pod.rank for pod in pods)
    nodes: list[str | None] = [None] * (last + 1)
    cards: list[tuple[str, ...]] = [()] * (last + 1)
    for pod in pods:
        nodes[pod.rank] = pod.node
        cards[pod.rank] = pod.cards
    since = group.running.since if group.running is not None and not fresh else now
    kept = tuple(cards) if any(cards) else ()
    return replace(group, running=Running(tuple(nodes), since, kept))
