"""A search that remembers what did not fit: the same ask is not searched for again while room is only taken.

Thousands of workloads that wait ask for the same few things, round after round. What was proven not to fit cannot fit
once more room is taken; only when room was given back is it worth another search. What the bounded search failed to
find without proof is searched again as soon as anything changed, since it may find a way by luck.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.ask import Ask, ask_of
from railwise.engine.gangs.demand import Demand
from railwise.engine.search.placement import Found, Refused

MOST_REFUSALS: Final = 65_536
"""How many refusals are remembered."""

Tried = tuple[Ask, tuple[tuple[int, int], ...], tuple[int, ...]]
"""What is asked for, the number of ranks per leaf, and the parts that take part where there is a choice."""

Moment = tuple[int, int]
"""Generation of the state and length of its journal: equal moments of a state are the same."""


Search = Callable[[Demand, dict[int, list[int]], set[int]], Found | Refused]
"""``Placer.place``, or what does the same."""


class Remembered:
    """A search without the tries that are known to be in vain. It must depend on the state and the demand alone."""

    def __init__(self, search: Search, state: ClusterState, ruled: Search | None = None) -> None:
        """Start with nothing refused; ``ruled`` searches where rules between pods matter: they change with the pods."""
        self.search: Final = search
        self.state: Final = state
        self.ruled: Final = ruled
        self._proven: Final[dict[Tried, int]] = {}
        self._unproven: Final[dict[Tried, Moment]] = {}

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Find places for the given ranks per leaf (by part index) of the chosen parts, as the search would."""
        if demand.ruled and self.ruled is not None:
            return self.ruled(demand, ranks, chosen)
        tried = _tried(demand, ranks, chosen)
        if tried is None:
            return self.search(demand, ranks, chosen)
        state = self.state
        if self._proven.get(tried, -1) == state.freed:
            return Refused(proven=True)
        now = (state.generation, len(state.journal))
        if self._unproven.get(tried) == now:
            return Refused(proven=False)
        answer = self.search(demand, ranks, chosen)
        if isinstance(answer, Refused):
            if len(self._proven) + len(self._unproven) >= MOST_REFUSALS:
                self._proven.clear()
                self._unproven.clear()
            if answer.proven:
                self._proven[tried] = state.freed
            else:
                self._unproven[tried] = now
        return answer

    def knows(self, demand: Demand) -> bool:
        """Return whether the minimum of equal pods, none of which runs, is known not to fit the state as it is."""
        root, ask = demand.root, ask_of(demand)
        return ask is not None and self._proven.get((ask, ((root.index, root.group.min_pods),), ())) == self.state.freed


def _tried(demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Tried | None:
    """Return what is tried, None where it is not the lowest ranks of a workload of which nothing runs."""
    ask = ask_of(demand)
    if ask is None:
        return None
    numbers: list[tuple[int, int]] = []
    for leaf, wanted in ranks.items():
        if not wanted or wanted[-1] != len(wanted) - 1:
            return None
        numbers.append((leaf, len(wanted)))
    numbers.sort()
    parts = () if demand.root.shape is not None else tuple(sorted(chosen))
    return ask, tuple(numbers), parts
