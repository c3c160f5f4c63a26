"""Moves that let a waiting workload start: within their bounds, with everybody housed, and without a trace in vain."""

from __future__ import annotations

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.eviction import evictor as evictor_module
from railwise.engine.eviction.evictor import Room
from railwise.engine.eviction.rehousing import TryOut, places_for
from railwise.model.plan import State
from railwise.model.policy import Policy
from railwise.model.workload import Workload
from tests.engine.eviction.scenes import MINUTE, asks, engine, gone, nodes, runs, scene, submit

TORN = [runs("a", ["n0"], 2, since=30), runs("b", ["n1"], 2, since=20), runs("c", ["n2"], 2, since=10)]


def moved_for(made: Engine, most: int, lost: int = 0) -> Room | None:
    evictor = made.decider.evictor
    assert evictor is not None
    return evictor.move_others(made.records["new"], [0], made.search.place, most, lost)


def names(room: Room | None) -> list[str] | None:
    return None if room is None else sorted(one.record.workload.name for one in room.gone)


@pytest.mark.parametrize("small", [1_000, 0])
@pytest.mark.parametrize(
    ("most", "lost", "expected"),
    [(1, 0, ["c"]), (0, 0, None), (1, 2 * 10 * 60, ["c"]), (1, 2 * 10 * 60 - 1, None)],
)
def test_the_cheapest_move_within_its_bounds(
    most: int, lost: int, expected: list[str] | None, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evictor_module, "SMALL_CLUSTER", small)
    made = engine(scene(nodes(3), *TORN, asks("new", 1, 4)))
    assert names(moved_for(made, most, lost)) == expected


def test_who_is_not_preemptible_or_fits_nowhere_is_not_moved() -> None:
    firm = [runs(one.name, one.root.running.nodes, 2, preemptible=False) for one in TORN if one.root.running]
    assert moved_for(engine(scene(nodes(3), *firm, asks("new", 1, 4))), 3) is None
    large = [runs("a", ["n0"], 3), runs("b", ["n1"], 3)]
    assert moved_for(engine(scene(nodes(2), *large, asks("new", 1, 4))), 2) is None


def test_priority_and_minimum_runtime_do_not_keep_anybody_from_being_moved() -> None:
    high = [runs(f"w{number}", [f"n{number}"], 2, priority=100, since=0) for number in range(3)]
    assert len(names(moved_for(engine(scene(nodes(3), *high, asks("new", 1, 4))), 1)) or []) == 1


def test_a_try_in_vain_leaves_no_trace() -> None:
    large = [runs("a", ["n0"], 3), runs("b", ["n1"], 3, least=1)]
    made = engine(scene(nodes(2), *large, asks("new", 1, 4)))
    before = _everything(made)
    assert moved_for(made, 2) is None
    assert _everything(made) == before


def _everything(made: Engine) -> tuple[object, ...]:
    records = [
        (dict(one.pods), one.began, dict(one.later), set(one.lost), one.broken, one.changed, one.current)
        for one in made.records.values()
    ]
    held = {name: dict(amounts) for name, amounts in made.accounts.tree.held.items()}
    return made.state.snapshot(), records, held


def test_what_is_tried_out_is_undone_with_its_times_and_losses() -> None:
    old = runs("old", ["n0", None], 2)
    made = engine(scene(nodes(2), old))
    record = made.records["old"]
    assert record.lost == {(0, 1)}
    before = _everything(made)
    found = places_for(record, [(0, 1)], made.search.place)
    assert found is not None
    tried = TryOut(made.workloads)
    made.workloads.now = 5 * MINUTE
    tried.put(record, found.pods, 0)
    assert (record.lost, record.broken, record.later) == (set(), None, {(0, 1): 5 * MINUTE})
    tried.undo()
    assert _everything(made) == before


def test_a_policy_that_allows_moves_starts_the_workload_and_says_who_moved() -> None:
    made = Engine(scene(nodes(3), *TORN, policy=Policy(defrag_every=MINUTE, defrag_max_moves=1)))
    made.cycle(())
    plan, new = submit(made, asks("new", 1, 4))
    assert new.state is State.PLACED
    assert [(one.workload, one.beneficiary) for one in plan.moves] == [("c", "new")]
    assert gone(plan) == {}
    quiet = Engine(scene(nodes(3), *TORN))
    quiet.cycle(())
    assert submit(quiet, asks("new", 1, 4))[1].state is State.PENDING


def test_a_victim_that_fits_elsewhere_at_once_is_moved_with_all_its_pods() -> None:
    old: list[Workload] = [runs("old", ["n0", "n0"], 2)]
    made = Engine(scene(nodes(1, 2), *old, runs("wall", ["n2"], 4, priority=9)))
    made.cycle(())
    plan, new = submit(made, asks("new", 1, 4, priority=5))
    assert new.state is State.PLACED
    assert (plan.evictions, plan.moves) == ((), ())
    plan, new = submit(made, asks("next", 1, 4, priority=5))
    assert new.state is State.PLACED
    assert gone(plan) == {"old": ["old-0", "old-1"]}
