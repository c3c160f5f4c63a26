"""What holds when pods of a running workload are lost: the way back keeps every rule and moves no survivor."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from railwise.engine.cycle import plan_scenario
from railwise.engine.outcome import after
from railwise.model.plan import State
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Running, Workload
from tests.oracle.instances import crowd
from tests.oracle.rules import Placed

seeds = st.integers(0, 2**32 - 1)


def _without_some(group: Group, random: Random) -> Group:
    """Return a group some of whose running pods are gone."""
    running = group.running
    if running is not None:
        nodes = tuple(None if random.random() < 0.4 else node for node in running.nodes)
        running = Running(nodes, running.since, running.cards)
    return replace(group, running=running, groups=tuple(_without_some(child, random) for child in group.groups))


def _not_running(group: Group) -> Group:
    return replace(group, running=None, groups=tuple(_not_running(child) for child in group.groups))


def _survivors(group: Group, path: str = "") -> set[tuple[str, int, str]]:
    found = set()
    if group.running is not None:
        found = {(path, rank, node) for rank, node in enumerate(group.running.nodes) if node is not None}
    for child in group.groups:
        found |= _survivors(child, f"{path}/{child.name}" if path else child.name)
    return found


def _damaged(seed: int) -> Scenario:
    scenario = crowd(seed)
    later = after(scenario, plan_scenario(scenario))
    random = Random(seed)
    workloads = tuple(replace(one, root=_without_some(one.root, random)) for one in later.workloads)
    return replace(later, workloads=workloads)


def _alone(scenario: Scenario, workload: Workload) -> Scenario:
    """Return the scenario as the other workloads leave it to this one."""
    others = (
        replace(one, root=_not_running(one.root)) if one.name == workload.name else one for one in scenario.workloads
    )
    return replace(scenario, workloads=tuple(others))


@pytest.mark.slow
@given(seeds)
def test_survivors_stay_where_they_are(seed: int) -> None:
    scenario = _damaged(seed)
    for workload, one in zip(scenario.workloads, plan_scenario(scenario).workloads, strict=True):
        if one.state in {State.RUNNING, State.PENDING}:
            assert _survivors(workload.root) <= {(pod.group, pod.rank, pod.node) for pod in one.pods}


@given(seeds)
@example(203)
@example(626)
@example(948)
@example(1566)
@example(2241)
@example(2768)
@example(2945)
@example(3053)
def test_required_is_honoured_when_lost_pods_come_back(seed: int) -> None:
    scenario = _damaged(seed)
    for workload, one in zip(scenario.workloads, plan_scenario(scenario).workloads, strict=True):
        if one.pods and not workload.alternatives:
            faults = Placed(_alone(scenario, workload), workload, one.pods).faults
            stayed = _survivors(workload.root)
            excused = ["ranks", "are needed"]
            excused += [f"pod {pod.name}: node" for pod in one.pods if (pod.group, pod.rank, pod.node) in stayed]
            assert [fault for fault in faults if not any(text in fault for text in excused)] == []
