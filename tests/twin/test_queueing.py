"""The twin against queueing theory: jobs of one card that come at random wait as Erlang's formula says they do."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.model.scenario import Scenario
from railwise.twin.simulation import Simulation
from railwise.twin.statistics import estimate
from railwise.twin.watching import Moment
from tests.engine.small import flat, gang, request, scenario

SECOND = 1_000_000
MEAN = 600 * SECOND
"""Mean run time in µs."""

JOBS, EARLY = 600, 100
"""Jobs of a run, and so many of them that find the cluster emptier than it is in the long run."""


def erlang_c(servers: int, load: float) -> float:
    """Return the part of jobs that wait; ``load`` is arrivals a run time (Erlang 1917; Cooper 1981, section 3.3)."""
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return servers * blocked / (servers - load * (1 - blocked))


def mean_wait(servers: int, busy: float) -> float:
    """Return the mean wait in mean run times, every server being busy for that part of the time."""
    return erlang_c(servers, servers * busy) / (servers * (1 - busy))


def stream(servers: int, busy: float, jobs: int, seed: int) -> Scenario:
    """Return jobs of one card whose gaps and run times are exponential, on one node of so many cards."""
    draw = Random(seed)
    at, found = 0.0, []
    for number in range(jobs):
        at += draw.expovariate(servers * busy / MEAN)
        runs = max(int(draw.expovariate(1 / MEAN)), 1)
        found.append(replace(gang(f"j{number}", 1, request(1)), submit=int(at), duration=runs, order=number))
    return scenario(flat(servers), *found)


class _Sums:
    """Adds up over time who waits and what is held."""

    def __init__(self) -> None:
        self.waiting = self.held = 0
        self._last: Moment | None = None

    def see(self, simulation: Simulation, moment: Moment) -> None:
        del simulation
        if self._last is not None:
            span = moment.at - self._last.at
            self.waiting += self._last.waiting * span
            self.held += self._last.cards * span
        self._last = moment


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_little(seed: int) -> None:
    """Number waiting, added up over time, is what all waited; cards held are all run times: exactly."""
    made, sums = stream(4, 0.95, 120, seed), _Sums()
    simulation = Simulation(made, watch=sums)
    simulation.run()
    waits = [simulation.history.wait_of(job.name) or 0 for job in made.workloads]
    assert sums.waiting == sum(waits) > 0
    assert sums.held == simulation.history.card_time == sum(job.duration for job in made.workloads)


def test_erlang_by_hand() -> None:
    """One server: the part that waits is the part of the time in which it is busy; two at half: a third."""
    assert erlang_c(1, 0.7) == pytest.approx(0.7)
    assert erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert mean_wait(1, 0.5) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("servers", "busy"), [(1, 0.5), (8, 0.8)])
def test_waits_are_those_of_m_m_c(servers: int, busy: float) -> None:
    means = []
    for seed in range(16):
        simulation = Simulation(stream(servers, busy, JOBS, seed), reasons=False)
        simulation.run()
        waits = [simulation.history.wait_of(f"j{number}") or 0 for number in range(EARLY, JOBS)]
        means.append(sum(waits) / len(waits) / MEAN)
    found = estimate(means, 0.99)
    assert found.half is not None
    assert abs(found.mean - mean_wait(servers, busy)) <= found.half
    assert found.half < 0.5 * found.mean
