"""Least growth of expected fragmentation: scores by hand, cards, ties, and against the formula in floats."""

from __future__ import annotations

from bisect import bisect_right
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.mix import Mix
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.policies.fgd import FragmentationGradient, score_limits
from railwise.model.node import Cards, Node
from railwise.model.policy import MixPod, Policy
from railwise.model.workload import CARDS_SHARE, CARDS_WHOLE, CardRequest, CardRule, Request, Selection

MIX = (MixPod(2, 1000, 8000), MixPod(1, 600, 4000), MixPod(1, 0, 1000))


def state_of(*nodes: tuple[int, int], mix: tuple[MixPod, ...] = MIX) -> ClusterState:
    """Return a state of nodes with so many cards and millicores."""
    listed = [
        Node(f"n{place}", cards=(Cards(cards),), resources={"cpu": cpu}) for place, (cards, cpu) in enumerate(nodes)
    ]
    return ClusterState(listed, (), Policy(mix=mix))


def pod(state: ClusterState, gpu: int, cpu: int = 0) -> Shape:
    """Return the shape of a pod with a share of a card or whole ones."""
    cards = CardRequest()
    if gpu:
        cards = CardRequest(CARDS_SHARE, 1, gpu) if gpu < 1000 else CardRequest(CARDS_WHOLE, gpu // 1000)
    return state.shapes.intern(Request(cards, (("cpu", cpu),) if cpu else ()), CardRule(), Selection())


def put(state: ClusterState, node: int, gpu: int, cpu: int = 0) -> None:
    assert state.put(pod(state, gpu, cpu), node) is not None


@pytest.mark.parametrize(
    ("gain", "score"),
    [(0, 50), (-1, 49), (994, 72), (995, 73), (1000, 73), (-1000, 26), (10**9, 99), (-(10**9), 0)],
)
def test_scores_of_gains_in_thousandths_of_a_card(gain: int, score: int) -> None:
    # 100 · sigmoid(1) = 73.1, and ln(73 / 27) = 0.9946.
    assert bisect_right(score_limits(1), gain) == score
    assert bisect_right(score_limits(7), 7 * gain) == score


@pytest.mark.slow
@given(st.integers(-9000, 9000), st.integers(1, 10_000))
def test_the_score_is_the_rounded_sigmoid(gain: int, weight: int) -> None:
    exact = 100 / (1 + exp(-gain / 1000))
    if not isclose(exact, round(exact), abs_tol=1e-9) or gain == 0:
        assert bisect_right(score_limits(weight), gain * weight) == int(exact)


def test_a_score_by_hand() -> None:
    state = state_of((2, 16_000))
    search = FragmentationGradient(state)
    whole = pod(state, 1000, 8000)
    # Before: only the pods without cards find 2 cards fragmented, F = 2000 / 4 = 500. After: one card and cpu for one
    # more pod of any kind are left, F = 1000 / 4 = 250. 100 · sigmoid(0.25) = 56.2.
    (way,) = search.mix.ways(state.shapes.cards_only(whole), state.room_of[0])
    assert search.gain(whole, state.room_of[0], way) == 4 * 250
    assert search.score(whole, state.room_of[0], 0) == 56


def test_pods_without_cards_go_where_no_card_is_cut_off_from_cpu() -> None:
    state = state_of((2, 16_000), (2, 16_000), (0, 16_000))
    put(state, 1, 2000)
    search = FragmentationGradient(state)
    # On n0 two cards would lose their cpu; n1 has no free card, and stands before n2, which has none at all.
    assert search.choose(pod(state, 0, 12_000)) == 1


def test_a_share_takes_the_card_where_it_breaks_least() -> None:
    state = state_of((2, 64_000))
    put(state, 0, 300)
    search = FragmentationGradient(state)
    share = pod(state, 700)
    (card,) = search.cards(share, 0)
    assert card == (0, 700, 700)
    put(state, 0, 700)
    assert search.cards(share, 0) == ((0, 1000, 1000),)


def test_equal_cards_are_told_apart_by_their_number() -> None:
    mix = (MixPod(1, 0, 1000),)
    state = state_of((3, 64_000), mix=mix)
    search = FragmentationGradient(state)
    put(state, 0, 500)
    put(state, 0, 600)
    # All is fragmented for pods without cards, so every card scores the same: the first one wins, not the tightest.
    assert search.cards(pod(state, 200), 0) == ((0, 500, 500),)


def test_the_first_of_equal_nodes() -> None:
    state = state_of((2, 16_000), (2, 16_000))
    search = FragmentationGradient(state)
    assert search.choose(pod(state, 1000, 8000)) == 0
    put(state, 0, 1000, 8000)
    assert search.choose(pod(state, 1000, 8000)) == 0


def test_it_needs_no_mix() -> None:
    state = state_of((8, 64_000), mix=())
    assert FragmentationGradient(state).mix.weight == Mix(()).weight
    assert FragmentationGradient(state).choose(pod(state, 1000)) == 0
    assert FragmentationGradient(state).choose(pod(state, 9000)) == -1
