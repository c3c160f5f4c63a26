"""What free room is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.potential import Potential, powers_up_to

MIX = ((1, 40), (8, 60), (16, 7), (12, 5))


@pytest.mark.parametrize(("limit", "powers"), [(0, []), (1, [1]), (7, [1, 2, 4]), (8, [1, 2, 4, 8])])
def test_powers_of_two(limit: int, powers: list[int]) -> None:
    assert powers_up_to(limit) == powers


def test_the_worth_of_a_node() -> None:
    assert Potential(8).node == [0, 1, 4, 5, 12, 13, 16, 17, 32]
    assert Potential(0).node == [0]
    assert Potential(8, ((1, 40), (8, 60))).node == [0, 40, 80, 120, 160, 200, 240, 280, 800]


def test_the_worth_of_whole_nodes_of_a_domain() -> None:
    potential = Potential(8)
    assert [potential.whole_worth(8, free) for free in range(9)] == [0, 0, 16, 16, 64, 64, 80, 80, 192]
    assert [potential.whole_worth(8, free, 2, 4) for free in range(9)] == [0, 0, 0, 0, 32, 32, 32, 32, 64]
    assert potential.whole_worth(8, 9, 4, 4) == 0


def test_learned_sizes_count_where_they_are_multiples_of_a_node() -> None:
    potential = Potential(8, MIX)
    assert potential.whole_worth(8, 5) == 7 * 16 * 2
    assert potential.whole_worth(4, 5) == 60 * 8 * 2 + 7 * 16 * 1 + 5 * 12 * 1
    assert potential.whole_worth(8, 5, 2, 8) == 0


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([(), MIX]), st.integers(1, 4), st.integers(0, 9))
def test_two_domains_together_are_worth_at_least_what_they_are_apart(
    left: int, right: int, sizes: tuple[tuple[int, int], ...], above: int, largest: int
) -> None:
    potential = Potential(8, sizes)
    parts = [potential.whole_worth(8, free, above, largest) for free in (left, right)]
    assert potential.whole_worth(8, left + right, above, largest) >= sum(parts)
