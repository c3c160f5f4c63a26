"""What rooms are worth to a mix of pods: worked out by hand, and against the definition of fragmentation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.mix import Mix, free_cards
from railwise.engine.cluster.room import Room
from railwise.engine.cluster.state import ClusterState
from railwise.model.node import Cards, Node
from railwise.model.policy import MixPod, Policy
from railwise.model.workload import CARDS_SHARE, CARDS_WHOLE, CardRequest, CardRule, Request, Selection

WHOLE = MixPod(2, 1000, 8000)
SHARE = MixPod(1, 600, 4000)
BARE = MixPod(1, 0, 1000)


def room_of(cards: tuple[Cards, ...], cpu: int, *used: int) -> Room:
    """Return the room of a node after pods without cpu that took so many thousandths of a card each."""
    state = ClusterState([Node("n", cards=cards, resources={"cpu": cpu})], (), Policy())
    for part in used:
        asks = CardRequest(CARDS_SHARE, 1, part) if part < 1000 else CardRequest(CARDS_WHOLE, part // 1000)
        assert state.put(state.shapes.intern(Request(asks), CardRule(), Selection()), 0) is not None
    return state.room_of[0]


def test_by_hand() -> None:
    mix = Mix((WHOLE, SHARE, BARE))
    room = room_of((Cards(2),), 8000, 500)
    cards = mix.of_room(room)
    assert cards.total == 1500
    # Both kinds with cards can use the free card and not the half one: 2 · 1000 + 1 · 1000.
    assert mix.reach(cards, 8000) == 3000
    # (2 · 500 + 1 · 500 + 1 · 1500) / 4 = 750 thousandths are fragmented.
    assert Fraction(mix.fragmented(cards, 8000), mix.weight) == 750
    # One whole card twice as often, and one share of 0.6.
    assert mix.fill(cards, 8000) == 2 * 1000 + 600


@pytest.mark.parametrize(
    ("cpu", "reach", "fill"),
    [(8000, 3000, 2600), (7999, 1000, 600), (4000, 1000, 600), (3999, 0, 0)],
)
def test_cards_without_cpu_are_worth_nothing(cpu: int, reach: int, fill: int) -> None:
    mix = Mix((WHOLE, SHARE, BARE))
    cards = mix.of_room(room_of((Cards(2),), 8000, 500))
    assert (mix.reach(cards, cpu), mix.fill(cards, cpu)) == (reach, fill)


def test_fill_counts_what_fits_together_and_reach_does_not() -> None:
    mix = Mix((MixPod(1, 400, 3000),))
    cards = mix.of_room(room_of((Cards(2),), 64_000))
    assert mix.reach(cards, 64_000) == 2000
    assert mix.fill(cards, 64_000) == 4 * 400
    assert mix.fill(cards, 8_999) == 2 * 400


def test_pods_of_several_cards_need_them_all() -> None:
    mix = Mix((MixPod(1, 4000),))
    assert mix.reach(mix.of_room(room_of((Cards(8),), 1000, 4000, 1000)), 1000) == 0
    assert mix.reach(mix.of_room(room_of((Cards(8),), 1000, 1000)), 1000) == 7000
    assert mix.fill(mix.of_room(room_of((Cards(8),), 1000, 1000)), 1000) == 4000


def test_only_cards_of_the_right_model_count() -> None:
    def reach(*cards: Cards) -> int:
        mix = Mix((MixPod(1, 1000, models=("T4", "V100")),))
        return mix.reach(mix.of_room(room_of(cards, 1000)), 1000)

    assert reach(Cards(2, "T4")) == 2000
    assert reach(Cards(2, "P100")) == 0
    assert reach(Cards(2, "P100"), Cards(1, "V100")) == 1000


def test_an_empty_mix_is_one_pod_each_of_1_2_4_and_8_cards() -> None:
    mix = Mix(())
    assert mix.weight == 4
    assert mix.fill(mix.of_room(room_of((Cards(8),), 1000, 1000)), 0) == 7000 + 3 * 2000 + 4000


def test_cut_and_sick_cards_are_no_room() -> None:
    cut = Cards(2, mig=("1g.5gb",))
    assert free_cards(room_of((cut, Cards(1, "T4")), 1000).spec, (2, 1), ()) == [("T4", [1000])]


PODS = st.builds(
    MixPod,
    st.integers(1, 50),
    st.sampled_from([0, 160, 320, 470, 500, 810, 1000, 2000, 4000]),
    st.sampled_from([0, 1000, 3000, 4000, 8000]),
    st.sampled_from([(), ("A",), ("B",), ("A", "B")]),
)


@given(
    st.lists(PODS, min_size=1, max_size=6),
    st.lists(st.sampled_from([160, 320, 470, 500, 810, 1000]), max_size=4),
    st.sampled_from([0, 999, 1000, 3500, 4000, 9000]),
)
def test_fragmentation_is_as_defined(pods: list[MixPod], used: list[int], cpu: int) -> None:
    mix = Mix(tuple(pods))
    room = room_of((Cards(4, "A"),), 64_000, *used)
    cards = mix.of_room(room)
    free = [left for _, run in free_cards(room.spec, room.whole, room.partial) for left in run]
    expected = 0
    for pod in pods:
        each, count = min(pod.gpu, 1000), max(pod.gpu // 1000, 1)
        able = [left for left in free if left >= each]
        out = not pod.gpu or cpu < pod.cpu or len(able) < count or (pod.models and "A" not in pod.models)
        expected += pod.weight * (sum(free) if out else sum(left for left in free if left < each))
    assert mix.fragmented(cards, cpu) == expected
