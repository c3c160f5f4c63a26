"""Virtual time: arrivals, ends, failures, and that the same run gives the same bytes."""

from __future__ import annotations

from dataclasses import replace

from railwise.model.plan import State
from railwise.model.policy import Change, Policy
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from railwise.twin.simulation import Simulation
from tests.engine.small import flat, gang, request, scenario

MINUTE = 60_000_000


def job(name: str, pods: int, submit: int, duration: int) -> Workload:
    return replace(gang(name, pods, request(8)), submit=submit * MINUTE, duration=duration * MINUTE)


def lived(known: Scenario, until: int = 0) -> Simulation:
    simulation = Simulation(known)
    simulation.run(until * MINUTE)
    return simulation


def test_jobs_start_when_room_is_free_and_end_after_their_duration() -> None:
    seen = lived(scenario(flat(8, 8), job("a", 2, 0, 10), job("b", 1, 1, 5), job("c", 1, 2, 7))).history
    assert seen.starts == {"a": 0, "b": 10 * MINUTE, "c": 10 * MINUTE}
    assert seen.ended == {"a": 10 * MINUTE, "b": 15 * MINUTE, "c": 17 * MINUTE}
    assert seen.wait_of("c") == 8 * MINUTE


def test_what_has_not_arrived_is_not_there() -> None:
    simulation = lived(scenario(flat(8), job("a", 1, 5, 1)), until=4)
    assert simulation.engine.records == {}
    assert simulation.plan().workloads[0].state is State.PENDING


def test_a_failure_stops_a_gang_which_starts_anew() -> None:
    known = scenario(flat(8, 8, 8), job("a", 2, 0, 10))
    dead = replace(known, changes=(Change(4 * MINUTE, "node", ("n0",), {"ready": False}),))
    simulation = lived(dead)
    assert simulation.history.ended["a"] == 14 * MINUTE


def test_a_node_within_its_grace_loses_nothing() -> None:
    known = scenario(flat(8), job("a", 1, 0, 10))
    blink = tuple(Change(at * MINUTE, "node", ("n0",), {"ready": at == 5}) for at in (4, 5))
    patient = replace(known, changes=blink, policy=Policy(node_grace=2 * MINUTE))
    assert lived(patient).history.ended["a"] == 10 * MINUTE
    assert lived(replace(patient, policy=Policy())).history.ended["a"] == 15 * MINUTE


def test_the_same_run_gives_the_same_history() -> None:
    jobs = [job(f"j{number}", 1 + number % 3, number % 7, 3 + number % 5) for number in range(30)]
    first, second = (lived(scenario(flat(8, 8, 8), *jobs)).history for _ in range(2))
    assert (first.starts, first.ended) == (second.starts, second.ended)
    assert len(first.ended) == 30
