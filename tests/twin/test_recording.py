"""What is recorded of a run: who ran where and when, outages, and numbers that agree with the run itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from railwise.model.policy import Change
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.report.run_data import CHANGED, FINISHED, RUNNING, STOPPED, RunData
from railwise.twin.comparison import Run, Stage, StopRun, compare
from tests.engine.small import flat, gang, racks, request, scenario
from tests.twin.test_simulation import MINUTE, job


def recorded(known: Scenario, until: int = 0, policy: str = "railwise") -> Run:
    return next(compare(lambda _: known, [policy], [0], until * MINUTE))


def told(known: Scenario, until: int = 0, policy: str = "railwise") -> RunData:
    return recorded(known, until, policy).data


def test_a_stint_a_run_without_change() -> None:
    data = told(scenario(racks(2), job("a", 2, 0, 10), job("b", 1, 1, 5)))
    assert [(one.job, one.start, one.end, one.places, one.ending, one.spread) for one in data.stints] == [
        (0, 0, 10 * MINUTE, ((0, 8000), (1, 8000)), FINISHED, 1),
        (1, 10 * MINUTE, 15 * MINUTE, ((0, 8000),), FINISHED, 0),
    ]
    assert data.jobs[1].start == 10 * MINUTE
    assert data.measures["wait_mean", ""] == 4.5 * MINUTE


def test_a_failure_ends_a_stint_and_leaves_an_outage() -> None:
    known = scenario(flat(8, 8), job("a", 1, 0, 10))
    dead = replace(
        known,
        changes=tuple(Change(at * MINUTE, "node", ("n0",), {"ready": at == 6}) for at in (4, 6)),
    )
    data = told(dead)
    assert [(one.start, one.end, one.ending) for one in data.stints] == [
        (0, 4 * MINUTE, STOPPED),
        (4 * MINUTE, 14 * MINUTE, FINISHED),
    ]
    assert [(one.node, one.start, one.end, one.state) for one in data.outages] == [
        (0, 4 * MINUTE, 6 * MINUTE, "notReady")
    ]
    assert data.measures["lost", ""] == 4 * 60 * 8
    assert data.measures["stops", ""] == 1
    assert data.jobs[0].done == 10 * MINUTE * 8000


def test_what_still_runs_is_told_up_to_the_end() -> None:
    data = told(scenario(flat(8), job("a", 1, 0, 10), job("b", 1, 0, 10)), until=3)
    assert [(one.end, one.ending) for one in data.stints] == [(3 * MINUTE, RUNNING)]
    assert data.measures["wait_so_far", ""] == 3 * MINUTE
    assert ("completion", "") not in data.measures


@pytest.mark.parametrize("policy", ["railwise", "spread", "random"])
def test_stints_hold_what_the_run_says_was_held(policy: str) -> None:
    jobs = [job(f"j{number}", 1 + number % 3, number % 7, 3 + number % 5) for number in range(40)]
    known = scenario(flat(8, 8, 8, 8), *jobs)
    changes = tuple(Change(at * MINUTE, "node", ("n1",), {"ready": at % 2 == 0}) for at in range(3, 19))
    data = told(replace(known, changes=changes), policy=policy)
    capacity = 32 * data.end
    in_stints = sum((one.end - one.start) * sum(gpus for _, gpus in one.places) for one in data.stints)
    assert data.measures["held", ""] == in_stints // capacity
    assert sum(one.held for one in data.jobs) == in_stints
    in_samples = sum(one.held * one.span for one in data.samples)
    assert abs(in_samples - in_stints) <= len(data.samples) * data.end // 1000
    busy: dict[int, list[tuple[int, int]]] = {}
    for one in data.stints:
        assert one.start < one.end
        for node, _ in one.places:
            busy.setdefault(node, []).append((one.start, one.end))
    for spans in busy.values():
        spans.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for index, its in enumerate(data.jobs):
        own = [stint for stint in data.stints if stint.job == index]
        assert own[0].start == its.start
        assert own[-1].end == its.end
        assert {stint.ending for stint in own[:-1]} <= {STOPPED, CHANGED}


def test_an_elastic_workload_that_grows_has_a_stint_for_each_size() -> None:
    one = gang("e", 2, request(8))
    grows = replace(one, root=replace(one.root, min_pods=1), duration=10 * MINUTE)
    data = told(scenario(flat(8, 8), job("a", 1, 0, 4), grows))
    own = [(one.start, one.end, len(one.places), one.ending) for one in data.stints if one.job == 1]
    assert own == [(0, 4 * MINUTE, 1, CHANGED), (4 * MINUTE, 12 * MINUTE, 2, FINISHED)]


def test_queues_are_measured_by_one_rule_whoever_decides() -> None:
    queues = (Queue("a", quota={"gpu": 8000}), Queue("b", quota={"gpu": 8000}))
    jobs = [replace(job(f"{name}{number}", 1, 0, 10), queue=name) for name in "ab" for number in range(4)]
    known = replace(scenario(flat(8, 8), *jobs), queues=queues)
    fair, blind = told(known), told(known, policy="fifo")
    assert fair.measures["fairness", ""] == 1000
    assert fair.measures["served", "a"] == fair.measures["served", "b"]
    assert blind.measures["served", "b"] < blind.measures["served", "a"]
    assert blind.measures["fairness", ""] < 1000


def test_a_run_that_is_stopped_tells_what_it_saw() -> None:
    stages: list[Stage] = []

    def tell(stage: Stage) -> None:
        stages.append(stage)
        if stage.policy == "spread" and stage.now >= 10 * MINUTE:
            raise StopRun

    known = scenario(flat(8), job("a", 1, 0, 10), job("b", 1, 0, 10))
    runs = list(compare(lambda _: known, ["railwise", "spread", "fifo"], [0], tell=tell))
    assert [(run.data.policy, run.data.stopped, run.data.end) for run in runs] == [
        ("railwise", False, 20 * MINUTE),
        ("spread", True, 10 * MINUTE),
    ]
    assert [(one.number, one.now, one.done, one.total) for one in stages] == [
        (0, 0, 2, 4),
        (0, 10 * MINUTE, 3, 4),
        (0, 20 * MINUTE, 4, 4),
        (1, 0, 2, 4),
        (1, 10 * MINUTE, 3, 4),
    ]


def test_time_at_work_is_work_that_counts() -> None:
    known = scenario(flat(8, 8), job("a", 1, 0, 10), job("b", 1, 0, 4))
    assert told(known).measures["used", ""] == 1000 * 14 // 20
    assert told(known, until=8).measures["used", ""] == 1000 * 12 // 16
