"""Pods that already run are booked as they are, also where the document contradicts itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cluster.ledger import card_names
from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.state import ClusterState
from railwise.engine.events import Finish, NodeChange
from railwise.engine.reasons.warnings import overfull
from railwise.model.node import Cards, Node
from railwise.model.plan import State
from railwise.model.workload import CARDS_MIG, CARDS_TIME_SLICE, CardRequest, Group, Request, Running, Workload
from tests.engine.small import asks_share, engine, flat, gang, request, shape_of, state_of, submitted


def _state(cards: int = 4, unhealthy: frozenset[int] = frozenset(), **resources: int) -> ClusterState:
    return state_of([Node("n", cards=(Cards(cards, memory=1000),), unhealthy=unhealthy, resources=resources)])


def test_named_cards_are_booked_and_the_others_stay_free() -> None:
    state = _state()
    grant = occupy(state, shape_of(state, request(2)), 0, ("1", "3"))
    assert card_names(grant) == ("1", "3")
    assert state.ledgers[0].free == 0b0101
    assert state.room_of[0].slots == 2


def test_cards_that_are_not_named_are_the_lowest_free_ones() -> None:
    state = _state()
    occupy(state, shape_of(state, request(1)), 0, ("0",))
    assert card_names(occupy(state, shape_of(state, request(2)), 0, ())) == ("1", "2")


def test_two_pods_on_one_card_owe_the_second_one() -> None:
    state = _state()
    shape = shape_of(state, request(2))
    occupy(state, shape, 0, ("0", "1"))
    second = occupy(state, shape, 0, ("1", "2"))
    assert (card_names(second), second.debt) == (("2",), 1)
    assert state.room_of[0].whole == (0,)
    state.take_away(shape, 0, second)
    assert state.room_of[0].whole == (2,)


def test_more_pods_than_cards_close_the_node_until_enough_have_gone() -> None:
    state = _state()
    shape = shape_of(state, request(3))
    first, second = occupy(state, shape, 0, ()), occupy(state, shape, 0, ())
    assert second.debt == 2
    assert not state.fits(shape_of(state, request(1)), 0)
    assert overfull(state) == ["node n is overfull: more gpu in use than it has"]
    state.take_away(shape, 0, first)
    assert state.room_of[0].whole == (1,)
    assert overfull(state) == ["node n is overfull: more gpu in use than it has"]
    state.take_away(shape, 0, second)
    assert state.room_of[0].whole == (4,)
    assert overfull(state) == []


def test_everything_else_in_excess_is_named_too() -> None:
    state = _state(cpu=1000, memory=1000, pods=1)
    shape = shape_of(state, request(0, cpu=1500, memory=700, **{"example.com/nic": 2}))
    grants = [occupy(state, shape, 0, ()) for _ in range(2)]
    assert overfull(state) == ["node n is overfull: more cpu, memory, pods, example.com/nic in use than it has"]
    for grant in grants:
        state.take_away(shape, 0, grant)
    assert overfull(state) == []
    assert state.room_of[0] is state.empty_room(state.specs[0])


def test_a_sick_card_that_a_pod_holds_is_no_debt_and_not_free_when_it_recovers() -> None:
    busy = Workload(
        "old", Group(pods=1, min_pods=1, request=request(3), running=Running(("n0",), 0, (("0", "1", "2"),)))
    )
    lived = engine([replace(flat(4)[0], unhealthy=frozenset({1}))], busy)
    assert lived.state.room_of[0].whole == (1,)
    lived.cycle([NodeChange("n0", {"gpu.unhealthy": frozenset()})])
    assert lived.state.room_of[0].whole == (1,)
    assert [pod.cards for pod in submitted(lived, gang("new", 1, request(1))).pods] == [("3",)]
    lived.cycle([Finish("old"), Finish("new")])
    assert lived.state.room_of[0].whole == (4,)


def test_cards_beyond_the_last_one_are_not_there() -> None:
    state = _state(2)
    grant = occupy(state, shape_of(state, request(2)), 0, ("1", "7"))
    assert (card_names(grant), grant.debt) == (("1",), 1)


def test_a_share_on_a_named_card() -> None:
    state = _state()
    shape = shape_of(state, asks_share(percent=30))
    occupy(state, shape, 0, ("2",))
    occupy(state, shape, 0, ("2",))
    assert state.ledgers[0].left == {2: (400_000, 1000)}
    assert state.room_of[0].partial == ((0, 400_000, 1000),)


def test_shares_beyond_a_card_leave_it_overdrawn_until_they_have_gone() -> None:
    state = _state(1)
    shape = shape_of(state, asks_share(part=600))
    grants = [occupy(state, shape, 0, ("0",)) for _ in range(2)]
    assert not state.fits(shape_of(state, asks_share(part=1)), 0)
    state.take_away(shape, 0, grants[0])
    assert state.fits(shape_of(state, asks_share(part=400)), 0)
    assert not state.fits(shape_of(state, asks_share(part=401)), 0)
    state.take_away(shape, 0, grants[1])
    assert state.room_of[0].whole == (1,)


@pytest.mark.parametrize("kind", [CARDS_MIG, CARDS_TIME_SLICE])
def test_a_use_that_is_not_placed_yet_closes_its_card(kind: str) -> None:
    state = _state(2)
    shape = shape_of(state, Request(CardRequest(kind, 1)))
    grant = occupy(state, shape, 0, ("1@4",))
    assert card_names(grant) == ("1",)
    assert state.room_of[0].whole == (1,)
    state.take_away(shape, 0, grant)
    assert state.room_of[0].whole == (2,)


def test_a_slice_on_a_card_that_somebody_holds_whole_does_not_free_it_by_ending() -> None:
    def held(name: str, asks: Request, card: str) -> Workload:
        return Workload(name, Group(pods=1, min_pods=1, request=asks, running=Running(("n0",), 0, ((card,),))))

    lived = engine(flat(2), held("a", request(1), "0"), held("b", Request(CardRequest(CARDS_MIG)), "0@4"))
    plan = submitted(lived, gang("new", 2, request(1)), Finish("b"))
    assert plan.state is State.PENDING
    assert submitted(lived, gang("new", 2, request(1)), Finish("a")).state is State.PLACED
