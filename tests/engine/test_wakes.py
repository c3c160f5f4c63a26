"""Times to wake up: whoever asks for what is new after every round misses none of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.wakes import Wakes
from railwise.model.plan import Plan
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment
from tests.twin.random_runs import MINUTE, random_run


class _Follower:
    """Asks for new times after each moment, sometimes late, and compares with all that there are."""

    def __init__(self) -> None:
        self.wakes: Wakes | None = None
        self.told: set[int] = set()
        self.seen = 0

    def see(self, simulation: Simulation, moment: Moment) -> None:
        engine: Engine = simulation.engine
        if self.wakes is None:
            self.wakes = Wakes(engine.workloads)
        self.told.update(self.wakes.fresh())
        times = engine.wake_times()
        assert set(times) <= self.told
        assert all(time > moment.at for time in times)
        self.seen += len(times)


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 4])
def test_new_times_are_all_times_in_the_end(first: int) -> None:
    follower = _Follower()
    for seed in (0, 4, 5, 10, 11, 14, 16, 17)[first : first + 4]:
        follower.wakes = None
        follower.told.clear()
        known = random_run(seed)
        Simulation(replace(known, policy=replace(known.policy, node_grace=2 * MINUTE)), watch=follower).run()
    assert follower.seen > 20


def test_nobody_is_told_of_waits_that_are_over() -> None:
    simulation = Simulation(random_run(5))
    simulation.run(40 * MINUTE)
    plan: Plan = simulation.plan()
    assert all(time > plan.time for time in simulation.engine.wake_times())
