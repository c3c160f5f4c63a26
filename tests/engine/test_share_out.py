"""Copies shared out over domains: as few domains as can be at every level, the snuggest that will do."""

from __future__ import annotations

from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.search.share_out import Layout, Shares, Used, levelled
from tests.engine.small import FABRIC, racks, state_of

seeds = st.integers(0, 2**32 - 1)


def _shares(
    rooms: list[int],
    copies: int,
    *,
    per_superpod: int = 100,
    used: Used | None = None,
    repair: bool = False,
    roomiest: bool = False,
) -> Shares:
    state = state_of(racks(*([1] * len(rooms)), per_superpod=per_superpod), FABRIC)
    return Layout(state.trees[0], 1, 0, rooms, used).share(copies, None, repair=repair, roomiest=roomiest)


def test_one_domain_that_holds_all_is_taken_and_the_snuggest_of_them() -> None:
    assert _shares([3, 5, 2, 4, 2], 2) == [(2, 2)]
    assert _shares([3, 5, 2, 4, 2], 4) == [(3, 4)]
    assert _shares([3, 5, 2, 4, 2], 2, roomiest=True) == [(1, 2)]


def test_the_roomiest_domains_are_filled_and_the_rest_goes_to_the_snuggest() -> None:
    assert _shares([3, 5, 2, 4, 2], 7) == [(1, 5), (2, 2)]
    assert _shares([3, 5, 2, 4, 2], 11) == [(1, 5), (3, 4), (2, 2)]
    assert _shares([3, 0, 2], 9) == [(0, 3), (2, 2)]  # as many as there is room for
    assert _shares([0, 0], 1) == []


def test_the_wider_level_comes_first() -> None:
    """One superpod that holds all is better than the two roomiest racks, and the snuggest of such superpods."""
    assert _shares([8, 1, 5, 5, 9, 0], 10, per_superpod=2) == [(2, 5), (3, 5)]
    assert _shares([9, 1, 6, 6, 9, 0], 10, per_superpod=2) == [(0, 9), (1, 1)]


def test_where_the_workload_is_already_comes_first() -> None:
    used: Used = [{1: 2}, {3: 2}]
    assert _shares([4, 4, 4, 4], 3, per_superpod=2, used=used) == [(3, 3)]
    assert _shares([4, 4, 4, 4], 6, per_superpod=2, used=used) == [(2, 4), (3, 2)]
    assert _shares([4, 4, 4, 2], 3, per_superpod=2, used=used) == [(2, 3)]
    assert _shares([4, 4, 4, 2], 3, per_superpod=2, used=used, repair=True) == [(3, 2), (2, 1)]


@given(seeds)
def test_as_few_domains_as_can_be(seed: int) -> None:
    random = Random(seed)
    rooms = [random.randint(0, 5) for _ in range(random.randint(1, 7))]
    copies = random.randint(0, sum(rooms))
    shares = _shares(rooms, copies, roomiest=random.random() < 0.3)
    assert sum(here for _, here in shares) == copies
    assert len({domain for domain, _ in shares}) == len(shares)
    assert all(0 < here <= rooms[domain] for domain, here in shares)
    assert len(shares) == next(
        count for count in range(len(rooms) + 1) if any(sum(chosen) >= copies for chosen in combinations(rooms, count))
    )


@given(seeds)
def test_all_copies_are_shared_out_over_two_levels(seed: int) -> None:
    random = Random(seed)
    rooms = [random.randint(0, 5) for _ in range(random.randint(1, 9))]
    copies = random.randint(0, sum(rooms))
    used: Used = [{}, {}]
    for rack in range(len(rooms)):
        if random.random() < 0.3:
            used[1][rack] = random.randint(1, 3)
            used[0][rack // 3] = used[0].get(rack // 3, 0) + used[1][rack]
    shares = _shares(rooms, copies, per_superpod=3, used=used, repair=random.random() < 0.5)
    assert sum(here for _, here in shares) == copies
    assert len({domain for domain, _ in shares}) == len(shares)
    assert all(0 < here <= rooms[domain] for domain, here in shares)


@given(seeds)
def test_shares_are_levelled_inside_the_same_domains(seed: int) -> None:
    random = Random(seed)
    rooms = dict(enumerate(random.randint(1, 6) for _ in range(random.randint(1, 5))))
    filled = _shares(list(rooms.values()), random.randint(1, sum(rooms.values())))
    level = levelled(filled, rooms)
    assert [domain for domain, _ in level] == sorted(domain for domain, _ in filled)
    assert sum(here for _, here in level) == sum(here for _, here in filled)
    assert all(here <= rooms[domain] for domain, here in level)
    highest = max(here for _, here in level)
    assert all(here >= highest - 1 or here == rooms[domain] for domain, here in level)
