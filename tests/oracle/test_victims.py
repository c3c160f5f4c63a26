"""Who is evicted is whom the brute-force reading of the rules finds, at the least cost, on small random clusters."""

from __future__ import annotations

import pytest

from railwise.engine.cycle import Engine
from railwise.model.plan import State, WorkloadPlan
from railwise.model.scenario import Scenario
from tests.oracle.making_room import Room
from tests.oracle.things import Thing, pods_of
from tests.oracle.victim_instances import CLAIMANT, contest, repair

FAST = 80
ALL = 1600
CHUNK = 40


def decided(scenario: Scenario) -> tuple[WorkloadPlan, dict[str, set[tuple[str, int]]]]:
    """Return what is decided about the claimant, and the pods (group, rank) that others lost or moved for it.

    A pod of a gang that moves may come back to where it was; so the round's news are asked and not the plan.
    """
    engine = Engine(scenario)
    plan = engine.cycle(())
    claimant = next(one for one in plan.workloads if one.name == CLAIMANT)
    gone: dict[str, set[tuple[str, int]]] = {}
    for one in engine.decider.news.evicted:
        assert one.beneficiary.workload.name == CLAIMANT
        leaves = one.record.demand.leaves
        gone.setdefault(one.record.workload.name, set()).update((leaves[leaf].path, rank) for leaf, rank in one.pods)
    return claimant, gone


def things(room: Room, gone: dict[str, set[tuple[str, int]]]) -> tuple[Thing, ...] | None:
    """Return what went as the judge names it; None where somebody lost what cannot go by itself."""
    found: list[Thing] = []
    for name, pods in gone.items():
        ways = room.choices(room.by_name[name])
        whole = pods == set(pods_of(room.by_name[name]))
        fitting = [way for way in ways if set().union(*(thing.pods for thing in way)) == pods]
        fitting = sorted((way for way in fitting if not whole or way[0].whole), key=len)
        if not fitting:
            return None
        found += fitting[0]
    return tuple(found)


def judge(scenario: Scenario) -> str:
    """Return what is wrong with the plan of a scenario, empty where nothing is."""
    claimant, gone = decided(scenario)
    room = Room(scenario)
    best, firm = room.best(), room.best(near_stay=True)
    placed = claimant.state in {State.PLACED, State.RUNNING}
    if placed and best is None:
        return f"placed, and impossible: {gone}"
    if not placed:
        if claimant.state is State.MOVED:
            return f"restarted, possible by {firm}" if firm is not None else ""
        text = f"somebody lost {gone} for nobody" if gone else ""
        return (
            f"pending, possible by {firm}: {claimant.reason and claimant.reason.summary}" if firm is not None else text
        )
    found = things(room, gone)
    if found is None:
        return f"{gone} cannot go"
    if not room.legal(found) or not room.fits(found):
        return f"{found}: legal {room.legal(found)}, fits {room.fits(found)}"
    assert best is not None
    if room.key(found) < room.key(best) or (firm is not None and room.key(found) > room.key(firm)):
        return f"{room.key(found)} by {found} instead of {room.key(best)} by {best} or at most by {firm}"
    return ""


def _check(first: int, last: int) -> None:
    wrong = [f"seed {seed}: {text}" for seed in range(first, last) if (text := judge(contest(seed)))]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, FAST, CHUNK))
def test_a_repair_takes_the_cheapest_victims_too(first: int) -> None:
    wrong = [f"seed {seed}: {text}" for seed in range(first, first + CHUNK) if (text := judge(repair(seed)))]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.slow
def test_hardly_ever_does_it_depend_on_who_finds_another_place() -> None:
    rooms = [Room(contest(seed)) for seed in range(FAST)]
    assert sum(room.best() != room.best(near_stay=True) for room in rooms) <= FAST // 20


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, FAST, CHUNK))
def test_the_cheapest_victims_by_right_go_and_nobody_else(first: int) -> None:
    _check(first, first + CHUNK)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FAST, ALL, CHUNK))
def test_the_cheapest_victims_by_right_go_on_many_instances(first: int) -> None:
    _check(first, first + CHUNK)
