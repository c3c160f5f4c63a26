"""A run that nobody asks why somebody waits decides the same: whoever is passed over would have been refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from benchmarks.arrivals import stream
from railwise.formats.decision_log import log_text
from railwise.model.policy import MINUTE, Change, Policy
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from railwise.twin.simulation import Simulation
from tests.twin.random_runs import random_run


def log(scenario: Scenario, *, reasons: bool) -> str:
    simulation = Simulation(scenario, reasons=reasons)
    simulation.run(300 * MINUTE)
    return log_text(simulation.history.decisions)


def crowded(seed: int) -> Scenario:
    """Return gangs that come much faster than they end, some of them important, some of unknown length."""
    random = Random(seed)
    nodes = random.choice([32, 64, 224])
    scenario = stream(nodes, random.choice([60, 100]), random.choice([2.0, 5.0]), seed)

    def varied(workload: Workload) -> Workload:
        return replace(
            workload,
            priority=random.choice([0, 0, 0, 10]),
            preemptible=random.random() < stoppable,
            duration=0 if random.random() < unknown else workload.duration,
        )

    stoppable, unknown = random.choice([0.0, 0.5]), random.choice([0.0, 0.05])
    policy = Policy(reservations=random.choice([1, 1, 2]), reserve_after=random.choice([0, 10, 60]) * MINUTE)
    changes: list[Change] = []
    for _ in range(random.choice([0, 4])):
        node, at = random.choice(scenario.nodes).name, random.randint(1, 200)
        changes += [Change((at + wait) * MINUTE, "node", (node,), {"ready": wait > 0}) for wait in (0, 30)]
    workloads = tuple(varied(workload) for workload in scenario.workloads)
    return replace(scenario, workloads=workloads, policy=policy, changes=tuple(sorted(changes, key=lambda one: one.at)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_a_crowd_is_decided_on_as_if_everybody_were_asked(seed: int) -> None:
    scenario = crowded(seed)
    assert log(scenario, reasons=False) == log(scenario, reasons=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 10, 11, 14, 16, 17, 18])
def test_random_runs_are_decided_on_alike(seed: int) -> None:
    scenario = random_run(seed)
    assert log(scenario, reasons=False) == log(scenario, reasons=True)


@pytest.mark.slow
def test_most_of_a_crowd_is_passed_over() -> None:
    scenario = stream(64, 150, 6.0)
    asked: list[int] = []
    for reasons in (True, False):
        simulation = Simulation(scenario, reasons=reasons)
        count = 0
        for at in range(0, 240, 5):
            simulation.run(at * MINUTE or 1)
            count += simulation.engine.cycle((), simulation.now + 1).decisions
        asked.append(count)
    assert asked[1] * 4 < asked[0]
