"""The criteria of the exact search are fields that do not overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest

from railwise.engine.cluster.potential import Potential
from railwise.engine.indexed.fields import Fields, wide_worth

MANY = 10**6
"""More nodes, pods or domains than a document may hold."""


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_no_field_runs_over_into_the_next(depth: int) -> None:
    fields = Fields(depth)
    slots = 16 * MANY
    ascending = [(unit, slots) for unit in fields.free]
    ascending += [(fields.left, (1 << 40) * 10**4), (fields.node, MANY), (fields.loss, 10**12)]
    ascending += [(fields.dead, MANY), (fields.misplaced, MANY), (fields.cut, MANY)]
    ascending += [(unit, MANY) for unit in reversed(fields.group_count)]
    ascending += [(unit, MANY) for unit in reversed(fields.count)]
    ascending += [(fields.above, 64)]
    for (low, most), (high, _) in pairwise(ascending):
        assert low * most < high
    assert fields.all_free == sum(fields.free)


def test_counts_are_read_from_the_top() -> None:
    fields = Fields(2)
    cost = 3 * fields.above + 2 * fields.count[0] + 5 * fields.count[2] + 7 * fields.group_count[0] + 9 * fields.loss
    assert fields.counts(cost) == fields.counts(3 * fields.above + 2 * fields.count[0] + 5 * fields.count[2])
    assert fields.counts(cost) > fields.counts(2 * fields.above + 99 * fields.count[0])


def test_wider_levels_count_only_what_no_narrower_domain_holds() -> None:
    potential = Potential(8)
    assert wide_worth(potential, 8, 8, 0, 8) == wide_worth(potential, 8, 8, 1, 8) == potential.whole_worth(8, 8)
    assert wide_worth(potential, 8, 8, 4, 8) == 8 * 8
    assert wide_worth(potential, 8, 8, 8, 8) == 0
