"""Failures by chance: their mean, that a seed means the same for all, and that a run of them ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp, sqrt

import pytest

from railwise.engine.cycle import NodeChange, UplinkChange
from railwise.formats.scenario.reader import read_spec
from railwise.model.decision import Decision
from railwise.model.plan import State
from railwise.model.scenario import Scenario
from railwise.model.splitmix import SplitMix
from railwise.twin.comparison import compare
from railwise.twin.failures import Failures, endless, exponential
from railwise.twin.simulation import Simulation

HOUR = 3_600_000_000
DAY = 24 * HOUR
DRAWS = 20_000


def cluster(
    *workloads: dict[str, object], failures: list[dict[str, object]], nodes: int = 16, seed: int = 7
) -> Scenario:
    racks = nodes // 4
    return read_spec(
        {
            "seed": seed,
            "topologies": [{"name": "fabric", "levels": [{"name": "rack", "uplink": "800Gbps"}]}],
            "nodes": [{"name": f"n-[01-{nodes:02}]", "gpus": 8, "in": {"rack": f"r[1-{racks}]"}}],
            "workloads": list(workloads),
            "failures": failures,
        }
    )


def training(name: str, pods: int, **more: object) -> dict[str, object]:
    checkpoint = {"every": "1h"}
    return {"name": name, "kind": "training", "pods": pods, "request": {"gpu": 8}, "checkpoint": checkpoint, **more}


EVERY: dict[str, object] = {"node": "n-[01-16]", "mtbf": "2d", "repair": "2h"}


@pytest.mark.parametrize("mean", [1_000, HOUR, 365 * DAY])
def test_times_are_exponential_with_their_mean(mean: int) -> None:
    chance = SplitMix(11)
    drawn = [exponential(chance, mean) for _ in range(DRAWS)]
    assert abs(sum(drawn) / DRAWS / mean - 1) < 4 / sqrt(DRAWS)
    for times in (0.25, 1.0, 3.0):
        beyond = sum(one > times * mean for one in drawn) / DRAWS
        assert abs(beyond - exp(-times)) < 4 * sqrt(exp(-times) / DRAWS) + 1 / mean


def test_nodes_fail_as_often_as_is_said_and_stay_down_as_long() -> None:
    scenario = cluster(failures=[EVERY])
    failures = Failures(scenario)
    end = 2_000 * DAY
    down: dict[str, int] = {}
    breaks, out = 0, 0
    now = failures.next(None, endless=True)
    while now is not None and now <= end:
        for event in failures.take(now, quiet=False):
            assert isinstance(event, NodeChange)
            if event.values == {"ready": False}:
                breaks += 1
                down[event.name] = now
            else:
                out += now - down.pop(event.name)
        now = failures.next(None, endless=True)
    expected = 16 * end / (2 * DAY + 2 * HOUR)
    assert abs(breaks - expected) < 4 * sqrt(expected)
    assert abs(out / breaks / (2 * HOUR) - 1) < 4 / sqrt(breaks)


def test_cables_take_their_part_of_the_way_up_with_them() -> None:
    scenario = cluster(failures=[{"uplink": "rack", "cables": 4, "mtbf": "1d", "repair": "12h"}], nodes=4)
    failures = Failures(scenario)
    left: Counter[int] = Counter()
    now = failures.next(None, endless=True)
    while now is not None and now < 100 * DAY:
        for event in failures.take(now, quiet=False):
            assert isinstance(event, UplinkChange)
            assert event[:3] == ("fabric", "rack", "n-01")
            left[event.megabits] += 1
        now = failures.next(None, endless=True)
    assert set(left) == {0, 200_000, 400_000, 600_000, 800_000}


def _decisions(scenario: Scenario, until: int = 0, policy: str = "railwise") -> tuple[Decision, ...]:
    (run,) = compare(lambda _: scenario, [policy], [scenario.seed], until)
    return run.decisions


def test_a_seed_means_the_same_every_time_and_another_one_something_else() -> None:
    scenario = cluster(training("a", 4, duration="10d"), failures=[EVERY])
    assert _decisions(scenario) == _decisions(scenario)
    assert _decisions(scenario) != _decisions(replace(scenario, seed=8))


def test_policies_live_through_the_same_failures() -> None:
    scenario = cluster(training("a", 4, duration="10d"), failures=[EVERY])
    ways = [
        [one for one in _decisions(scenario, 5 * DAY, policy) if "'ready'" in str(one)]
        for policy in ("railwise", "spread", "binpack")
    ]
    assert len(ways[0]) > 10
    assert ways[0] == ways[1] == ways[2]


def test_work_goes_on_after_failures_and_what_is_lost_is_at_most_a_checkpoint_each() -> None:
    scenario = cluster(training("a", 4, duration="10d"), failures=[EVERY])
    run = Simulation(scenario, reasons=False)
    run.run()
    assert run.plan().workloads[0].state is State.FINISHED
    broken = sum("'ready': False" in str(one) for one in run.history.decisions)
    lost = run.work("a").lost
    assert broken
    assert 0 < lost <= broken * 4 * HOUR


@pytest.mark.parametrize(
    "workload", [training("wide", 17, duration="1h"), {"name": "serves", "kind": "inference", "request": {"gpu": 8}}]
)
def test_failures_alone_keep_no_run_going(workload: dict[str, object]) -> None:
    scenario = cluster(training("a", 2, duration="3d"), workload, failures=[EVERY])
    run = Simulation(scenario, reasons=False)
    run.run()
    assert all(node.ready for node in run.engine.state.nodes)
    assert run.plan().workloads[0].state is State.FINISHED
    longer = Simulation(scenario, reasons=False)
    longer.run(60 * DAY)
    assert longer.now == 60 * DAY
    assert longer.history.rounds > run.history.rounds


def test_what_the_document_says_of_a_node_itself_is_left_to_it() -> None:
    scenario = read_spec(
        {
            "nodes": [{"name": "n-[1-2]", "gpus": 8}, {"name": "n-3", "gpus": 8, "ready": False}],
            "events": [{"at": "1h", "node": "n-1", "set": {"ready": False}}],
            "failures": [{"node": "n-[1-3]", "mtbf": "1h", "repair": "1h"}],
        }
    )
    failures = Failures(scenario)
    names = set()
    now = failures.next(None, endless=True)
    while now is not None and now < 10 * DAY:
        names |= {event.name for event in failures.take(now, quiet=False) if isinstance(event, NodeChange)}
        now = failures.next(None, endless=True)
    assert names == {"n-2"}


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ({"kind": "training", "pods": 4, "duration": "10d"}, [("a", 20)]),
        ({"kind": "training", "pods": 4, "duration": "10d", "checkpoint": {"every": "1h"}}, []),
        ({"kind": "training", "pods": 4, "duration": "3d"}, []),
        ({"pods": 4, "duration": "10d"}, []),
        ({"pods": 4, "duration": "20d"}, [("a", 10)]),
        ({"kind": "inference", "pods": 4}, []),
    ],
)
def test_who_will_hardly_ever_be_done_is_known(workload: dict[str, object], expected: list[tuple[str, int]]) -> None:
    scenario = cluster({"name": "a", "request": {"gpu": 8}, **workload}, failures=[EVERY])
    assert endless(scenario) == expected
    assert endless(replace(scenario, failures=())) == []
