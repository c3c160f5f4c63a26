"""What can go of a workload that runs, and what it counts: whole workloads, single surplus pods, groups not needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_NONE, CARDS_SHARE, Group, Running, Workload
from tests.oracle.cluster import leaves
from tests.oracle.queue_books import CARD, GPU, Amounts
from tests.oracle.room_search import runs

Pod = tuple[str, int]
"""(path of the group, rank)."""


@dataclass(frozen=True)
class Thing:
    """What goes together of one workload: ``pods`` by group and rank; ``whole``: nothing is left of it."""

    name: str
    pods: frozenset[Pod]
    whole: bool = False


def began(workload: Workload) -> int:
    """Return when a running workload started."""
    return min(group.running.since for _, group in leaves(workload.root) if group.running is not None)


def pods_of(workload: Workload) -> dict[Pod, Group]:
    """Return the pods that run."""
    return {("/".join(path), rank): group for path, group in leaves(workload.root) for rank in runs(group)}


def without(scenario: Scenario, gone: frozenset[tuple[str, Pod]]) -> Scenario:
    """Return the scenario without these pods; their cards are free."""

    def group(name: str, one: Group, path: str) -> Group:
        children = tuple(group(name, child, f"{path}/{child.name}" if path else child.name) for child in one.groups)
        running = one.running
        if running is not None:
            nodes = tuple(None if (name, (path, r)) in gone else node for r, node in enumerate(running.nodes))
            running = Running(nodes, running.since, running.cards)
        return replace(one, groups=children, running=running)

    return replace(scenario, workloads=tuple(replace(w, root=group(w.name, w.root, "")) for w in scenario.workloads))


def losses(group: Group, path: str, *, training: bool) -> Iterator[tuple[frozenset[Pod], ...]]:
    """Yield every way to lose pods and groups of a group that still has its minimum afterwards."""
    if not group.groups:
        ranks = runs(group)
        spare = len(ranks) - group.min_pods
        for count in range(max(spare, 0) + 1):
            ways = [tuple(ranks[len(ranks) - count :])] if training else combinations(ranks, count)
            yield from (tuple(frozenset({(path, rank)}) for rank in way) for way in ways)
        return
    paths = {child.name: f"{path}/{child.name}" if path else child.name for child in group.groups}
    per_child: list[list[tuple[bool, tuple[frozenset[Pod], ...]]]] = []
    alive = [child for child in group.groups if any(runs(leaf) for _, leaf in leaves(child))]
    for child in alive:
        prefix = paths[child.name]
        pods = frozenset(("/".join([prefix, *below]), rank) for below, leaf in leaves(child) for rank in runs(leaf))
        per_child.append([*((False, way) for way in losses(child, prefix, training=training)), (True, (pods,))])
    for chosen in product(*per_child):
        if len(alive) - sum(ended for ended, _ in chosen) >= min(group.min_groups, len(alive)):
            yield tuple(part for _, way in chosen for part in way)


def minimum(group: Group) -> list[Group]:
    """Return a leaf per pod that is missing to the minimum, of the cheapest groups where there is a choice."""
    if not group.groups:
        return [group] * max(group.min_pods - len(runs(group)), 0)
    running = [child for child in group.groups if any(runs(leaf) for _, leaf in leaves(child))]
    least = [part for child in running for part in minimum(child)]
    options = sorted(
        (minimum(child) for child in group.groups if child not in running),
        key=lambda parts: sum(counts(part).get(GPU, 0) for part in parts),
    )
    return least + [part for option in options[: max(group.min_groups - len(running), 0)] for part in option]


def counts(group: Group) -> Amounts:
    """Return what one pod of a leaf counts in its queue."""
    cards = group.request.cards
    amounts = dict(group.request.resources)
    if cards.kind != CARDS_NONE:
        amounts[GPU] = cards.fraction if cards.kind == CARDS_SHARE else CARD * cards.count
    return amounts


def summed(total: Counter[str], more: Iterable[Amounts]) -> Counter[str]:
    for amounts in more:
        total.update(amounts)
    return total
