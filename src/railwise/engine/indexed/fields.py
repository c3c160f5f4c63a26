"""The criteria of the exact search as fields of one integer, for one tree and one workload.

As in ``cost``, but with a field for the free slots left per level (the search compares whole placements, so the domains
used are not given beforehand), and above the potential the fields that depend on domains. From the top: levels above a
group's preference; domains used per level, widest first; the same summed over groups; cut segments; then pods without
GPUs on nodes with GPUs, dead rails, potential lost, nodes, room left on nodes, room left in domains, narrowest first.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.potential import Potential

FREE_BITS: Final = 40
LEFT_BITS: Final = 60
COUNT_BITS: Final = 24
LOSS_BITS: Final = 60


class Fields:
    """The unit of every criterion, for a tree of ``depth`` declared levels (index ``depth`` is the node).

    Criterion 3 has no field: it stands between the fields above and below ``rank_shift``.
    """

    def __init__(self, depth: int) -> None:
        """Lay the fields out."""
        self.free: Final = [1 << (FREE_BITS * level) for level in range(depth)]
        shift = FREE_BITS * depth
        self.left: Final = 1 << shift
        shift += LEFT_BITS
        self.node: Final = 1 << shift
        shift += COUNT_BITS
        self.loss: Final = 1 << shift
        shift += LOSS_BITS
        self.dead: Final = 1 << shift
        shift += COUNT_BITS
        self.misplaced: Final = 1 << shift
        shift += COUNT_BITS
        self.cut: Final = 1 << shift
        self.rank_shift: Final = shift
        shift += COUNT_BITS
        self.group_count: Final = [1 << (shift + COUNT_BITS * (depth - level)) for level in range(depth + 1)]
        shift += COUNT_BITS * (depth + 1)
        self.counts_shift: Final = shift
        self.count: Final = [1 << (shift + COUNT_BITS * (depth - level)) for level in range(depth + 1)]
        shift += COUNT_BITS * (depth + 1)
        self.above: Final = 1 << shift
        self.all_free: Final = sum(self.free)

    def counts(self, cost: int) -> int:
        """Return only the fields from the domain counts upwards."""
        return cost >> self.counts_shift


def wide_worth(potential: Potential, cards: int, free: int, above: int, largest: int) -> int:
    """Return the worth of whole free nodes in a wider domain: only gangs that no narrower one holds count."""
    return potential.whole_worth(cards, free, max(above, 1), largest)
