"""The twin against a slow event loop of its own, run by run; and that no work is lost or invented on the way."""

from __future__ import annotations

import pytest

from railwise.model.policy import MINUTE
from railwise.twin.simulation import Simulation
from tests.twin.random_runs import random_run
from tests.twin.slow_loop import SlowLoop

UNTIL = 200 * MINUTE


def differs(seed: int, jobs: int) -> str:
    """Return in what a run differs from the slow one, empty: in nothing."""
    scenario = random_run(seed, jobs)
    twin, slow = Simulation(scenario), SlowLoop(scenario)
    twin.run(UNTIL)
    slow.run(UNTIL)
    seen = twin.history
    evicted = [(one.workload, one.beneficiary) for one in seen.evictions]
    work = {name: (twin.work(name).done, twin.work(name).lost) for name in slow.jobs}
    pairs = {
        "starts": (seen.starts, slow.starts),
        "ends": (seen.ended, slow.ended),
        "evictions": (evicted, [(name, other) for _, name, other in slow.evicted]),
        "work": (work, {name: (job.done, job.lost) for name, job in slow.jobs.items()}),
    }
    wrong = [(what, ours, theirs) for what, (ours, theirs) in pairs.items() if ours != theirs]
    return ", ".join(f"{what} of run {seed}: {ours} instead of {theirs}" for what, ours, theirs in wrong)


def test_the_twin_agrees_with_the_slow_loop() -> None:
    assert [text for text in (differs(seed, 4) for seed in range(3)) if text] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 320, 80))
def test_the_twin_agrees_with_the_slow_loop_in_hundreds_of_runs(first: int) -> None:
    assert [text for text in (differs(seed, 6) for seed in range(first, first + 80)) if text] == []


@pytest.mark.slow
def test_random_runs_hold_what_matters() -> None:
    """Ends, evictions and lost work occur in what is compared."""
    ends = evictions = losses = 0
    for seed in range(40):
        slow = SlowLoop(random_run(seed, 6))
        slow.run(UNTIL)
        ends, evictions = ends + len(slow.ended), evictions + len(slow.evicted)
        losses += sum(job.lost > 0 for job in slow.jobs.values())
    assert ends > 200
    assert evictions
    assert losses > 5
