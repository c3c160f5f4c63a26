"""What free room is worth, so that a placement can be judged by what it destroys.

A node with f free card-slots is worth the sum over gang sizes k of k·⌊f/k⌋: a node with 8 free slots still holds
one 8, two 4s, four 2s and eight 1s, a node with 7 no 8 any more. Whole free nodes of a domain are worth the same
over sizes of several nodes. The placement that destroys the least uses up broken nodes and broken racks before
whole ones.
"""

from __future__ import annotations

from typing import Final


def powers_up_to(limit: int) -> list[int]:
    """Return 1, 2, 4, … up to ``limit``."""
    sizes: list[int] = []
    size = 1
    while size <= limit:
        sizes.append(size)
        size *= 2
    return sizes


class Potential:
    """Tables of worth for one cluster; ``sizes`` are pairs (cards, weight), empty for the powers of two."""

    def __init__(self, most_cards: int, sizes: tuple[tuple[int, int], ...] = ()) -> None:
        """Tabulate nodes of up to ``most_cards`` free slots."""
        self.sizes: Final = sizes
        chosen = list(sizes) if sizes else [(size, 1) for size in powers_up_to(most_cards)]
        self.node: Final[list[int]] = [
            sum(weight * size * (free // size) for size, weight in chosen) for free in range(most_cards + 1)
        ]
        self._whole: dict[tuple[int, int, int], list[int]] = {}

    def whole(self, cards: int, above: int, largest: int) -> list[int]:
        """Return the worth of w whole free nodes of ``cards`` cards each, as a growing table over w.

        Only sizes of at least two nodes, more than ``above`` and at most ``largest`` nodes (0: no bound) count.
        """
        key = (cards, above, largest)
        table = self._whole.get(key)
        if table is None:
            table = [0]
            self._whole[key] = table
        return table

    def whole_worth(self, cards: int, free: int, above: int = 1, largest: int = 0) -> int:
        """Return the worth of ``free`` whole free nodes of ``cards`` cards in one domain."""
        table = self.whole(cards, above, largest)
        while len(table) <= free:
            table.append(self._worth(cards, len(table), above, largest))
        return table[free]

    def _worth(self, cards: int, free: int, above: int, largest: int) -> int:
        bound = free if largest == 0 else min(free, largest)
        if not self.sizes:
            return cards * sum(size * (free // size) for size in powers_up_to(bound) if size > above)
        total = 0
        for size, weight in self.sizes:
            nodes, rest = divmod(size, cards) if cards else (0, 1)
            if rest == 0 and nodes > max(above, 1) and nodes <= bound:
                total += weight * size * (free // nodes)
        return total
