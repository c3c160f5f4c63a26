"""What was refused is not searched for again while room is only taken, and every answer is that of the search."""

from __future__ import annotations

from random import Random

import pytest

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.engine.search.placement import Found, Placer, Refused
from railwise.engine.search.remembered import Remembered
from railwise.engine.search.sizing import find_minimum
from railwise.model.node import Taint
from railwise.model.workload import Workload
from tests.engine.random_life import Life
from tests.engine.small import FABRIC, gang, group, grouped, racks, request, shape_of, state_of


class _Counted:
    """A search that counts its tries; ``answer`` overrules it."""

    def __init__(self, state: ClusterState, answer: Refused | None = None) -> None:
        self.placer = Placer(state)
        self.searches = 0
        self.answer = answer

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        self.searches += 1
        return self.placer.place(demand, ranks, chosen) if self.answer is None else self.answer


def _demand(state: ClusterState, workload: Workload) -> Demand:
    return read_demand(workload, workload.root, state)


def _busy() -> tuple[ClusterState, Shape, _Counted, Remembered]:
    """Return a rack of four nodes, of which one is taken."""
    state = state_of(racks(4), FABRIC)
    whole = shape_of(state, request(8))
    assert state.put(whole, 0) is not None
    placer = _Counted(state)
    return state, whole, placer, Remembered(placer.place, state)


@pytest.mark.parametrize(
    "workload",
    [
        gang("a", 4, request(8)),
        grouped("a", group("x", 2, request(8)), group("y", 2, request(8))),
        grouped("a", group("x", 4, request(8)), group("y", 5, request(8)), least=1),
    ],
)
def test_a_refusal_is_remembered_while_room_is_taken_and_forgotten_when_some_comes_back(workload: Workload) -> None:
    state, whole, placer, remembered = _busy()
    first, second = _demand(state, workload), _demand(state, workload)
    refused = find_minimum(first, remembered.place)
    assert refused == Refused(proven=True)
    searches = placer.searches
    assert find_minimum(second, remembered.place) == refused
    grant = state.put(whole, 1)
    assert grant is not None
    assert find_minimum(second, remembered.place) == refused
    assert placer.searches == searches
    state.take_away(whole, 1, grant)
    assert find_minimum(second, remembered.place) == refused
    assert placer.searches == 2 * searches


def test_room_that_comes_back_is_found() -> None:
    state = state_of(racks(4), FABRIC)
    whole = shape_of(state, request(8))
    grant = state.put(whole, 0)
    assert grant is not None
    remembered = Remembered(Placer(state).place, state)
    demand = _demand(state, gang("a", 4, request(8)))
    assert find_minimum(demand, remembered.place) == Refused(proven=True)
    state.take_away(whole, 0, grant)
    assert isinstance(find_minimum(demand, remembered.place), Found)


@pytest.mark.parametrize(
    ("gone", "back"),
    [
        ({"ready": False}, {"ready": True}),
        ({"unschedulable": True}, {"unschedulable": False}),
        ({"resources": {"cpu": 0}}, {"resources": {}}),
        ({"gpu.unhealthy": frozenset({5})}, {"gpu.unhealthy": frozenset()}),
        ({"taints": (Taint("x"),)}, {"taints": ()}),
    ],
)
def test_a_node_that_comes_back_is_found(gone: dict[str, object], back: dict[str, object]) -> None:
    state = state_of(racks(4), FABRIC)
    alter_node(state, 2, gone, ())
    remembered = Remembered(Placer(state).place, state)
    demand = _demand(state, gang("a", 4, request(8, cpu=1)))
    assert find_minimum(demand, remembered.place) == Refused(proven=True)
    alter_node(state, 2, back, ())
    assert isinstance(find_minimum(demand, remembered.place), Found)


def test_what_is_not_proven_is_searched_again_as_soon_as_anything_changed() -> None:
    state, whole, _, _ = _busy()
    placer = _Counted(state, Refused(proven=False))
    remembered = Remembered(placer.place, state)
    demand = _demand(state, gang("a", 4, request(8)))
    for searches in (1, 1):
        assert find_minimum(demand, remembered.place) == Refused(proven=False)
        assert placer.searches == searches
    state.put(whole, 1)
    find_minimum(demand, remembered.place)
    assert placer.searches == 2
    state.compact()
    find_minimum(demand, remembered.place)
    assert placer.searches == 3


def test_fewer_pods_are_another_question() -> None:
    state, _, placer, remembered = _busy()
    demand = _demand(state, gang("a", 4, request(8)))
    chosen = {demand.root.index}
    assert remembered.place(demand, {0: [0, 1, 2, 3]}, chosen) == Refused(proven=True)
    assert isinstance(remembered.place(demand, {0: [0, 1, 2]}, chosen), Found)
    assert placer.searches == 2


def test_who_runs_in_part_is_always_searched_for() -> None:
    state, _, placer, remembered = _busy()
    demand = _demand(state, gang("a", 5, request(8)))
    demand.root.fixed[4] = 0
    for searches in (1, 2):
        assert remembered.place(demand, {0: [0, 1, 2, 3]}, {0}) == Refused(proven=True)
        assert placer.searches == searches
    demand.root.fixed.clear()
    for searches in (3, 4):
        assert remembered.place(demand, {0: [1, 2, 3, 4]}, {0}) == Refused(proven=True)
        assert placer.searches == searches


def test_marks_tell_every_change_that_gives_room_back() -> None:
    state = state_of(racks(2), FABRIC)
    whole = shape_of(state, request(8))
    seen = [state.freed]
    grant = state.put(whole, 0)
    assert grant is not None
    assert state.freed == seen[-1]
    state.take_away(whole, 0, grant)
    seen.append(state.freed)
    state.put_back(whole, 0, grant)
    assert state.freed == seen[-1]
    state.freed = seen[0]
    alter_node(state, 1, {"ready": False}, ())
    seen.append(state.freed)
    alter_node(state, 1, {"labels": {"pool": "gold"}}, ())
    seen.append(state.freed)
    assert len(set(seen)) == len(seen)


def test_answers_are_those_of_the_search_whatever_happened_before() -> None:
    answers = {Found: 0, Refused: 0}
    for seed in (0, 1, 4, 5, 7):
        life, draw = Life(seed), Random(seed)
        lived = Engine(life.scenario)
        remembered = Remembered(Placer(lived.state).place, lived.state)
        asks = [_demand(lived.state, life.draw_workload()) for _ in range(8)]
        for _ in range(16):
            names = [name for name, record in sorted(lived.records.items()) if record.pods]
            events: list[Event] = [Submit(life.draw_workload())]
            if draw.random() < 0.3 and names:
                events.append(Finish(draw.choice(names)))
            if draw.random() < 0.2:
                events.append(life.draw_change(lived.state.nodes))
            lived.cycle(events)
            for demand in asks:
                answer = find_minimum(demand, remembered.place)
                fresh = find_minimum(demand, Placer(lived.state).place)
                assert answer == fresh or (answer == Refused(proven=True) and fresh == Refused(proven=False))
                answers[type(answer)] += 1
    assert min(answers.values()) > 50
