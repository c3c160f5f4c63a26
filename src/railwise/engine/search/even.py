"""``balance: even``: among placements with the fewest domains, the one whose domains have the most equal shares.

The spread between the largest and the smallest share does not add up, so it is bounded from outside: windows of allowed
shares per level are tried from the narrowest possible one upwards until one is feasible.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.search.exact import Entry, ExactSearch
from railwise.engine.search.problem import Problem

EVEN_STEPS: Final = 400_000

COUNT_MASK: Final = (1 << 24) - 1


def best_even(problem: Problem, state: ClusterState, level: int, first: Entry, domains: list[int]) -> Entry:
    """Return the most even answer at a level of the ladder; ``first`` is the best one without regard to evenness.

    Raises ``OverBudgetError`` when all windows together have used up the budget.
    """
    windows = _Windows(problem, state, level, first, domains)
    found = windows.narrow(windows.counted, {})
    return found if found is not None else first


class _Windows:
    """The search through windows; ``steps`` is what is left of the budget that all of them share."""

    def __init__(self, problem: Problem, state: ClusterState, level: int, first: Entry, domains: list[int]) -> None:
        """Read off the first answer how many domains are used at each level."""
        search = ExactSearch(problem, state, EVEN_STEPS)
        self.problem: Final = problem
        self.state: Final = state
        self.level: Final = level
        self.domains: Final = domains
        self.fields: Final = search.fields
        self.least: Final = search.fields.counts(first[0])
        self.counted: Final = [step for step in range(level + 1, search.depth + 1) if step <= search.count_to]
        fixed = sum(len(leaf.fixed) for leaf in problem.demand.leaves)
        self.pods: Final = sum(len(tokens) for tokens in problem.ranks.values()) + fixed
        self.steps = EVEN_STEPS

    def narrow(self, levels: list[int], windows: dict[int, tuple[int, int]]) -> Entry | None:
        """Return the best answer within the windows, and within the narrowest feasible ones at the further levels."""
        if not levels:
            return self._best(windows)
        step, rest = levels[0], levels[1:]
        shift = self.fields.count[step].bit_length() - 1 - self.fields.counts_shift
        used = max(self.least >> shift & COUNT_MASK, 1)
        for spread in range(self.pods):
            best: Entry | None = None
            for low in range(max(1, -(-self.pods // used) - spread), self.pods // used + 1):
                entry = self.narrow(rest, {**windows, step: (low, low + spread)})
                if entry is not None and (best is None or entry[:3] < best[:3]):
                    best = entry
            if best is not None:
                return best
        return None

    def _best(self, windows: dict[int, tuple[int, int]]) -> Entry | None:
        search = ExactSearch(self.problem, self.state, self.steps, windows)
        best: Entry | None = None
        for domain in self.domains:
            entry = search.best(self.level, domain)
            fits = entry is not None and self.fields.counts(entry[0]) == self.least
            if entry is not None and fits and (best is None or entry[:3] < best[:3]):
                best = entry
        self.steps = search.steps
        return best
