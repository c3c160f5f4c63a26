"""Where a reserved workload fits at its start, remembered while nothing in the domain in question changes.

A reservation is made anew in every round, and in most rounds it comes out as before: what happened, happened elsewhere.
Who asks for equal pods inside one domain of a required level, does not fit now, and would fit once some pods on known
nodes have ended, fits in the domain of these nodes or nowhere. So the answer depends on nothing but the free room of
that domain and on what ends there; as long as both are the same, the state need not be moved ahead to ask again.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.ask import ask_of
from railwise.engine.gangs.demand import Demand
from railwise.engine.search.placement import MOST_CELLS, Found
from railwise.engine.waiting.ends import Ending
from railwise.engine.waiting.outlook import Chance, Outlook

MOST_SEEN: Final = 256
"""So many answers are remembered before all are forgotten."""

MOST_KINDS: Final = 64
"""With more kinds of room than this nothing is remembered: the searches may then go other ways."""


class _Seen(NamedTuple):
    """An answer, and what it depends on: the generation, the rooms of the domain, what ends on the chance's nodes."""

    chance: Chance
    generation: int
    rooms: list[int]
    endings: list[Ending]
    found: Found


class SeenStarts:
    """Answers by what is asked for and where."""

    def __init__(self, state: ClusterState, outlook: Outlook) -> None:
        """Remember nothing yet."""
        self.state: Final = state
        self.outlook: Final = outlook
        self._seen: Final[dict[tuple[int, int], _Seen]] = {}

    def get(self, demand: Demand, chance: Chance) -> Found | None:
        """Return where a demand that does not fit now fits at a chance, as it was found before; None: not known."""
        key = self._key(demand, chance)
        seen = None if key is None else self._seen.get(key)
        if seen is None or seen.chance != chance or seen.generation != self.state.generation:
            return None
        if seen.rooms != self._rooms(demand, chance):
            return None
        endings = self._endings(chance)
        same = len(endings) == len(seen.endings) and all(map(_same, endings, seen.endings))
        return seen.found if same else None

    def keep(self, demand: Demand, chance: Chance, found: Found) -> None:
        """Remember where a demand that does not fit now fits at a chance."""
        key = self._key(demand, chance)
        if key is None:
            return
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        rooms, endings = self._rooms(demand, chance), self._endings(chance)
        self._seen[key] = _Seen(chance, self.state.generation, rooms, endings, found)

    def _key(self, demand: Demand, chance: Chance) -> tuple[int, int] | None:
        """Return by what an answer is remembered; None where it would depend on more than its domain."""
        root = demand.root
        tree = self.state.trees[root.tree].tree
        if not 0 <= root.required < tree.depth or root.group.min_pods**2 > MOST_CELLS:
            return None
        if len(self.state.trees) > 1 or len(self.state.room_count) > MOST_KINDS:
            return None
        ask = ask_of(demand)
        return None if ask is None else (ask, chance.place)

    def _rooms(self, demand: Demand, chance: Chance) -> list[int]:
        """Return the rooms of the nodes of the domain that begins at the chance's place."""
        trees = self.state.trees[demand.root.tree]
        tier = trees.tree.tiers[demand.root.required]
        domain = trees.tree.domain_of[demand.root.required][trees.tree.order[chance.place]]
        start, end = tier.start[domain], tier.end[domain]
        return list(trees.room_ids[start:end])

    def _endings(self, chance: Chance) -> list[Ending]:
        """Return what has ended on the nodes of a chance by its time."""
        return [ending for node in sorted(chance.nodes) for ending in self.outlook.endings(node, chance.time)]


def _same(one: Ending, other: Ending) -> bool:
    """Return whether two endings are one entry of the books: who is placed anew gets another one."""
    return one is other
