"""Vectors as integers: sums and bounds as of the vectors themselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.search.packed import Packing

counts = st.integers(0, 9)
triples = st.integers(1, 5).flatmap(
    lambda size: st.tuples(*(st.lists(counts, min_size=size, max_size=size).map(tuple) for _ in range(3)))
)


@given(triples)
def test_packed_vectors_add_up_and_compare_like_vectors(vectors: tuple[tuple[int, ...], ...]) -> None:
    left, right, bound = vectors
    packing = Packing([bound, left, right])
    total = tuple(a + b for a, b in zip(left, right, strict=True))
    packed = packing.pack(left) + packing.pack(right)
    assert packing.unpack(packed) == total
    within = (packing.pack(bound) | packing.guards) - packed
    assert (within & packing.guards == packing.guards) is all(a <= b for a, b in zip(total, bound, strict=True))
