"""An engine that has lived through hundreds of changes decides like a new one that is shown the same cluster.

The indexes follow the state through a journal and are renewed in parts. Whatever they miss shows here: after every
change the counters are counted again, and every decision is compared with that of an engine without a past.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.model.plan import State, WorkloadPlan
from railwise.model.workload import Group, Workload
from tests.engine.random_life import Life
from tests.engine.recount import Places, differences, fresh_scenario, places, seen
from tests.oracle.rules import Placed

EXCUSED = ("ranks", "are needed", "does not let it in", "is taken, sick", "not enough cpu")
"""What may be wrong about a workload of which some pods ran before: those stay, whatever became of their nodes."""


class Churn:
    """One engine with a long life."""

    def __init__(self, seed: int, *, large: bool = False) -> None:
        """Start with an empty cluster."""
        self.life = Life(seed, large=large)
        self.random = self.life.random
        self.engine = Engine(self.life.scenario)
        self.engine.cycle(())
        self.placed = 0

    def happenings(self) -> list[Event]:
        """Return what happens before the next workload is submitted."""
        chance = self.random.random()
        running = [name for name, record in self.engine.records.items() if record.pods]
        events: list[Event] = []
        if running and chance < 0.25 + 0.02 * len(running):
            events.append(Finish(self.random.choice(running)))
        elif chance < 0.6:
            events.append(self.life.draw_change(self.engine.state.nodes))
        return events

    def withdraw(self) -> None:
        """Withdraw everything that does not run: an engine that is shown the cluster later could not know of it."""
        waiting = [Finish(name) for name, record in self.engine.records.items() if not record.pods]
        if waiting:
            self.engine.cycle(waiting)

    def step(self) -> Iterator[str]:
        """Let something happen, submit a workload, and yield everything that is not as it should be."""
        engine = self.engine
        engine.cycle(self.happenings())
        self.withdraw()
        if self.random.random() < 0.02:
            engine.state.compact()
        yield from differences(engine.state)
        fresh = Engine(fresh_scenario(engine))
        fresh.cycle(())
        before = places(engine)
        if places(fresh) != before:
            yield f"a second look changes what runs: {_changes(before, places(fresh))}"
        if seen(fresh.state) != seen(engine.state):
            pairs = zip(engine.state.nodes, seen(engine.state), seen(fresh.state), strict=True)
            yield f"room: {[(node.name, mine, theirs) for node, mine, theirs in pairs if mine != theirs][:3]}"
        workload = self.life.draw_workload()
        mine = _about(workload, engine.cycle([Submit(workload)]).workloads)
        theirs = _about(workload, fresh.cycle([Submit(workload)]).workloads)
        if places(engine) != places(fresh):
            yield f"{workload}: placed otherwise: {_changes(places(engine), places(fresh))}"
        if (mine.reason, mine.exact, mine.preferred_met) != (theirs.reason, theirs.exact, theirs.preferred_met):
            yield f"{workload}: {mine.reason} instead of {theirs.reason}, exact: {mine.exact}, {theirs.exact}"
        if mine.state is State.PLACED:
            self.placed += 1
            yield from self.faults(workload, mine)

    def faults(self, workload: Workload, plan: WorkloadPlan) -> list[str]:
        """Return the rules that a new placement breaks."""
        scenario = fresh_scenario(self.engine)
        others = tuple(other for other in scenario.workloads if other.name != workload.name)
        return Placed(replace(scenario, workloads=others), workload, plan.pods).faults

    def broken(self) -> list[str]:
        """Return the rules about domains that anything running breaks by now."""
        scenario = fresh_scenario(self.engine)
        found: list[str] = []
        for name, record in self.engine.records.items():
            if record.pods:
                others = tuple(other for other in scenario.workloads if other.name != name)
                bare = replace(scenario, workloads=others)
                faults = Placed(bare, _not_running(record.workload), record.placements(self.engine.state)).faults
                found += [f"{name}: {fault}" for fault in faults if not any(text in fault for text in EXCUSED)]
        return found


def _about(workload: Workload, plans: tuple[WorkloadPlan, ...]) -> WorkloadPlan:
    return next(plan for plan in plans if plan.name == workload.name)


def _not_running(workload: Workload) -> Workload:
    def group(one: Group) -> Group:
        return replace(one, running=None, groups=tuple(group(child) for child in one.groups))

    return replace(workload, root=group(workload.root))


def _changes(mine: Places, theirs: Places) -> dict[str, tuple[object, object]]:
    names = sorted({*mine, *theirs})
    return {name: (mine.get(name), theirs.get(name)) for name in names if mine.get(name) != theirs.get(name)}


def _live(seed: int, steps: int, *, large: bool = False) -> int:
    """Return how many workloads were placed in a life in which nothing went wrong."""
    churn = Churn(seed, large=large)
    for step in range(steps):
        wrong = list(churn.step())
        assert wrong == [], f"seed {seed}, step {step}"
        if step % 10 == 9:
            assert churn.broken() == [], f"seed {seed}, step {step}"
    return churn.placed


@pytest.mark.slow
def test_a_long_life_leaves_no_trace() -> None:
    assert sum(_live(seed, 15) for seed in range(8)) > 40


@pytest.mark.slow
@pytest.mark.parametrize("first", range(8, 56, 8))
def test_longer_lives_leave_no_trace(first: int) -> None:
    assert sum(_live(seed, 60) for seed in range(first, first + 8)) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_racks_of_several_blocks_are_followed_too(seed: int) -> None:
    assert _live(seed, 25, large=True) > 5


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(1000, 1400, 20))
def test_many_lives_leave_no_trace(first: int) -> None:
    assert sum(_live(seed, 150) for seed in range(first, first + 20)) > 500
