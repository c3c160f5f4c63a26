"""Arrivals drawn anew: what must stay stays, what is drawn follows from the seed alone, and the draws are fair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.model.errors import InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import Running, Workload
from railwise.twin.resample import DAY, WAYS, parse_way, resample
from railwise.twin.simulation import Simulation
from tests.engine.small import flat, gang, request, scenario

HOUR = 3_600_000_000


def job(number: int, submit: int) -> Workload:
    made = gang(f"j{number}", 1 + number % 2, request(8))
    return replace(made, submit=submit, order=number, duration=HOUR * (1 + number % 3))


def days(*submits: int) -> Scenario:
    running = gang("old", 1, request(8))
    root = replace(running.root, running=Running(("n0",)))
    return scenario(flat(8, 8, 8), replace(running, root=root), *(job(n, at) for n, at in enumerate(submits)))


def arrivals(known: Scenario) -> list[tuple[str, int]]:
    return [(one.name, one.submit) for one in known.workloads]


@given(st.lists(st.integers(0, 5 * DAY), max_size=25), st.integers(0, 2**63 - 1), st.sampled_from(WAYS))
def test_what_every_draw_keeps(submits: list[int], seed: int, way: str) -> None:
    known = days(*submits)
    drawn = resample(known, seed, way)
    assert drawn == resample(known, seed, way)
    assert drawn.seed == seed
    assert (drawn.nodes, drawn.queues, drawn.policy) == (known.nodes, known.queues, known.policy)
    assert drawn.workloads[0].name == "old"
    names = [one.name for one in drawn.workloads]
    assert len(names) == len(set(names))
    assert [one.order for one in drawn.workloads[1:]] == list(range(1, len(names)))
    sources = {one.name: one for one in known.workloads}
    for one in drawn.workloads:
        source = sources[one.name.partition("-x")[0]]
        assert replace(one, name=source.name, submit=source.submit, order=source.order) == source
    at = [one.submit for one in drawn.workloads[1:]]
    assert at == sorted(at)
    if way != "blocks":
        assert at == sorted(submits)
    if way == "shuffle":
        assert sorted(names) == sorted(sources)


@pytest.mark.slow
def test_each_order_is_as_likely() -> None:
    known = days(1, 2, 3)
    counts = Counter(tuple(name for name, _ in arrivals(resample(known, seed, "shuffle"))[1:]) for seed in range(6000))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 150 for count in counts.values())


def test_jobs_are_drawn_with_replacement_and_evenly() -> None:
    known = days(1, 2, 3, 4)
    counts: Counter[str] = Counter()
    twice = 0
    for seed in range(2000):
        names = [name.partition("-x")[0] for name, _ in arrivals(resample(known, seed, "jobs"))[1:]]
        counts.update(names)
        twice += len(set(names)) < 4
    assert all(abs(count - 2000) < 200 for count in counts.values())
    assert abs(twice / 2000 - (1 - 24 / 256)) < 0.03


def test_blocks_keep_what_came_together() -> None:
    known = days(0, HOUR, DAY, DAY + 2 * HOUR, 2 * DAY + 3 * HOUR, 2 * DAY + 4 * HOUR, 3 * DAY)
    seen = set()
    for seed in range(60):
        drawn = [(name.partition("-x")[0], at) for name, at in arrivals(resample(known, seed, "blocks"))[1:]]
        assert drawn[-1] == ("j6", 3 * DAY)
        blocks = [tuple((name, at - day * DAY) for name, at in drawn if at // DAY == day) for day in range(3)]
        assert set(blocks) <= {
            (("j0", 0), ("j1", HOUR)),
            (("j2", 0), ("j3", 2 * HOUR)),
            (("j4", 3 * HOUR), ("j5", 4 * HOUR)),
        }
        seen.add(tuple(blocks))
    assert len(seen) > 15


def test_a_trace_shorter_than_a_block_stays_as_it_is() -> None:
    known = days(5, 6, 7)
    assert arrivals(resample(known, 3, "blocks")) == arrivals(known)
    assert arrivals(resample(known, 3, "blocks", 1)) != arrivals(known)


def test_a_name_that_is_taken_is_not_given_twice() -> None:
    known = days(1, 2)
    first = known.workloads[1]
    clash = replace(first, name=f"{first.name}-x2", submit=2)
    known = replace(known, workloads=(known.workloads[0], first, clash))
    for seed in range(20):
        names = [name for name, _ in arrivals(resample(known, seed, "jobs"))]
        assert len(names) == len(set(names))


def test_a_drawn_day_can_be_lived_and_another_seed_is_another_day() -> None:
    known = days(*(number * HOUR // 4 for number in range(12)))
    ends = []
    for seed in range(3):
        simulation = Simulation(resample(known, seed, "jobs"))
        simulation.run()
        assert len(simulation.history.ended) == 12
        ends.append(max(simulation.history.ended.values()))
    assert len(set(ends)) > 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("shuffle", ("shuffle", DAY)),
        ("jobs", ("jobs", DAY)),
        ("blocks", ("blocks", DAY)),
        ("blocks:6h", ("blocks", 6 * HOUR)),
    ],
)
def test_ways_as_they_are_written(text: str, found: tuple[str, int]) -> None:
    assert parse_way(text) == found


@pytest.mark.parametrize("text", ["", "block", "jobs:6h", "blocks:", "blocks:6", "blocks:0s"])
def test_other_ways_are_errors_with_a_hint(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_way(text, "spec.resample")
    assert caught.value.faults[0].path == "spec.resample"
    assert "blocks:6h" in caught.value.faults[0].hint


def test_a_way_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="shuffle"):
        resample(days(1), 1, "other")
    with pytest.raises(ValueError, match="above 0"):
        resample(days(1), 1, "blocks", 0)
