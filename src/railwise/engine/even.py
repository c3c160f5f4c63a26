"""``balance: even``: among placements with the fewest domains, the one whose domains have the most equal shares.

The spread between the largest and the smallest share does not add up, so it is bounded from outside: windows of allowed
shares per level are tried from the narrowest possible one upwards until one is feasible.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.exact import Entry, ExactSearch
from railwise.engine.problem import Problem
from railwise.engine.state import ClusterState

EVEN_STEPS: Final = 400_000

COUNT_MASK: Final = (1 << 24) - 1


def best_even(problem: Problem, state: ClusterState, level: int, first: Entry, domains: list[int]) -> Entry:
    """Return the most even answer at a level of the ladder; ``first`` is the best one without regard to evenness."""
    search = ExactSearch(problem, state, EVEN_STEPS)
    counted = [step for step in range(level + 1, search.depth + 1) if step <= search.count_to]
    pods = sum(len(tokens) for tokens in problem.ranks.values()) + sum(
        len(leaf.fixed) for leaf in problem.demand.leaves
    )
    least = search.fields.counts(first[0])
    found = _narrow(problem, state, level, domains, counted, {}, pods, least)
    return found if found is not None else first


def _narrow(
    problem: Problem,
    state: ClusterState,
    level: int,
    domains: list[int],
    counted: list[int],
    windows: dict[int, tuple[int, int]],
    pods: int,
    least: int,
) -> Entry | None:
    if not counted:
        search = ExactSearch(problem, state, EVEN_STEPS, windows)
        best: Entry | None = None
        for domain in domains:
            entry = search.best(level, domain)
            if entry is None or search.fields.counts(entry[0]) != least:
                continue
            if best is None or entry[:3] < best[:3]:
                best = entry
        return best
    step, rest = counted[0], counted[1:]
    fields = ExactSearch(problem, state, EVEN_STEPS).fields
    used = max(least >> (fields.count[step].bit_length() - 1 - fields.counts_shift) & COUNT_MASK, 1)
    for spread in range(pods):
        best = None
        for low in range(max(1, -(-pods // used) - spread), pods // used + 1):
            window = {**windows, step: (low, low + spread)}
            entry = _narrow(problem, state, level, domains, rest, window, pods, least)
            if entry is not None and (best is None or entry[:3] < best[:3]):
                best = entry
        if best is not None:
            return best
    return None
