"""Large clusters, searched by index, against the same clusters searched as small ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import railwise
from railwise.engine.cycle import Engine
from railwise.engine.events import Finish, Submit
from railwise.engine.eviction import evictor
from railwise.engine.eviction.holders import Holders
from railwise.model.plan import State
from tests.engine.eviction.large import large

INTERPRETED = pytest.mark.skipif(railwise.build_kind() == "compiled", reason="changes a constant of the engine")

Outcome = tuple[State, tuple[int, ...]]


def outcome(seed: int) -> Outcome:
    """Return what becomes of the claimant, and what it costs: highest priority, lost work."""
    made = Engine(large(seed))
    plan = made.cycle(())
    claimant = next(one for one in plan.workloads if one.name == "new")
    gone = made.decider.news.evicted
    cost = (max(one.record.workload.priority for one in gone), sum(one.lost for one in gone)) if gone else ()
    return claimant.state, cost


def both_ways(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Outcome, Outcome]:
    by_index = outcome(seed)
    with monkeypatch.context() as patched:
        patched.setattr(evictor, "SMALL_CLUSTER", 1_000)
        return outcome(seed), by_index


def _check(first: int, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    equal = 0
    for seed in range(first, last):
        together, by_index = both_ways(seed, monkeypatch)
        assert by_index[0] is together[0], seed
        assert by_index[1][:1] == together[1][:1], f"seed {seed}: another tier"
        assert by_index[1][1:] >= together[1][1:], f"seed {seed}: the exact search was not exact"
        equal += by_index == together
    assert equal >= (last - first) * 8 // 10


@pytest.mark.slow
@INTERPRETED
def test_the_index_finds_victims_where_the_small_search_does_mostly_at_the_same_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _check(5, 15, monkeypatch)


@INTERPRETED
@pytest.mark.slow
@pytest.mark.parametrize("first", range(20, 100, 20))
def test_the_index_finds_victims_on_many_instances(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(first, first + 20, monkeypatch)


def _contents(of: Holders) -> tuple[object, ...]:
    on = [{record.workload.name: sorted(keys) for record, keys in node.items()} for node in of.on]
    heaps = [
        {manner: (dict(heap.shapes), heap.cards, heap.moment) for manner, heap in node.items()} for node in of.heaps
    ]
    return on, heaps, dict(of.manners), sorted(record.workload.name for record in of.elastic)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_index_follows_a_random_history_as_a_fresh_one_would_read_it(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evictor, "SMALL_CLUSTER", 0)
    random = Random(seed)
    scenario = large(seed)
    claimant = scenario.workloads[-1]
    made = Engine(scenario)
    made.cycle(())
    for step in range(12):
        leaving = random.choice([name for name in made.records if name.startswith(("loose", "more"))])
        coming = Submit(replace(claimant, name=f"more-{step}", priority=random.choice([10, 40, 60])))
        made.cycle([Finish(leaving), coming], step * 60_000_000)
        made.cycle((), step * 60_000_000)
        followed = made.decider.evictor._index()  # type: ignore[union-attr]  # noqa: SLF001
        known = _contents(followed)
        touched = made.workloads.touched
        assert known == _contents(_fresh(made))
        made.workloads.touched = touched


def _fresh(made: Engine) -> Holders:
    fresh = Holders(made.workloads)
    fresh.refresh()
    return fresh
