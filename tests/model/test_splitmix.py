from __future__ import annotations

from collections import Counter

import pytest

from railwise.model.splitmix import SplitMix


def test_the_stream_is_the_published_one() -> None:
    generator = SplitMix(1234567)
    assert [generator.number() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_only_the_lowest_64_bits_of_a_seed_count() -> None:
    assert SplitMix(-1).number() == SplitMix(2**64 - 1).number() == SplitMix(2**200 - 1).number()


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 1000])
def test_numbers_below_a_bound_are_even(bound: int) -> None:
    generator = SplitMix(bound)
    draws = 500 * bound
    counts = Counter(generator.below(bound) for _ in range(draws))
    assert sorted(counts) == list(range(bound))
    assert all(abs(count - 500) <= 125 for count in counts.values())
