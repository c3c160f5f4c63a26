"""What can be taken from a running workload: all of it, or pods beyond its minimum.

A gang goes whole. Surplus pods of a batch or a service go one by one; an elastic training gang gives its highest ranks,
and pays with the work of all of them. A group that is not needed (K of N) goes as a whole, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.eviction.loss import cards_of, loss_of_gang, loss_of_surplus
from railwise.engine.gangs.demand import Part
from railwise.engine.gangs.record import PodKey, Record, minimum_met

Cost = tuple[int, int, int]
"""(lost work, workloads that go whole, thousandths of cards)."""

FREE: Final[Cost] = (0, 0, 0)


class Unit:
    """Pods of one workload that go together.

    ``whole``: nothing of the workload is left. ``after``: a unit that must have gone before, None where there is none.
    """

    def __init__(self, record: Record, keys: list[PodKey], cost: Cost, *, whole: bool, after: Unit | None) -> None:
        """Keep the parts."""
        self.record: Final = record
        self.keys: Final = keys
        self.cost: Final = cost
        self.whole: Final = whole
        self.after: Final = after
        self.priority: Final = record.workload.priority
        self.since: Final = min([record.since(key) for key in keys])


def whole_unit(record: Record, state: ClusterState, now: int) -> Unit:
    """Return all pods of a workload as what goes."""
    keys = sorted(record.pods)
    cost = (loss_of_gang(record, state, now), 1, sum([cards_of(record, key, state) for key in keys]))
    return Unit(record, keys, cost, whole=True, after=None)


def surplus_units(record: Record, state: ClusterState, now: int) -> list[Unit]:
    """Return the pods and groups that a workload can lose and still run, none where it cannot shrink."""
    workload = record.workload
    if workload.kind == "training" and not workload.elastic:
        return []
    units: list[Unit] = []
    for number, leaf in enumerate(record.demand.leaves):
        if len(leaf.fixed) > leaf.group.min_pods:
            units += _pods_of(record, number, leaf, state, now)
    if record.demand.root.shape is None:
        for part in _spare_groups(record.demand.root):
            keys = [
                (number, rank)
                for number, leaf in enumerate(record.demand.leaves)
                if leaf in part.leaves()
                for rank in leaf.fixed
            ]
            units.append(_unit(record, sorted(keys), state, now, None))
    return units


def _pods_of(record: Record, number: int, leaf: Part, state: ClusterState, now: int) -> list[Unit]:
    """Return the pods of a leaf, highest ranks first: each alone, or (training) one after the other.

    Equal pods on one node are as good as each other; naming their order spares a search the other orders, and all that
    are more than may go.
    """
    ranks = sorted(leaf.fixed, reverse=True)
    units: list[Unit] = []
    if record.workload.kind == "training":
        last: Unit | None = None
        for rank in ranks[: len(ranks) - leaf.group.min_pods]:
            cards = cards_of(record, (number, rank), state)
            lost = loss_of_gang(record, state, now) if last is None else 0
            last = Unit(record, [(number, rank)], (lost, 0, cards), whole=False, after=last)
            units.append(last)
        return units
    spare = len(ranks) - leaf.group.min_pods
    chains: dict[tuple[int, int], list[Unit]] = {}
    for rank in ranks:
        node, grant = record.pods[number, rank]
        plain = state.specs[node].simple and not grant.shares
        chain = chains.setdefault((node, record.since((number, rank))), []) if plain else []
        if len(chain) < spare:
            unit = _unit(record, [(number, rank)], state, now, chain[-1] if chain else None)
            chain.append(unit)
            units.append(unit)
    return units


def _unit(record: Record, keys: list[PodKey], state: ClusterState, now: int, after: Unit | None) -> Unit:
    cards = sum([cards_of(record, key, state) for key in keys])
    return Unit(record, keys, (loss_of_surplus(record, keys, state, now), 0, cards), whole=False, after=after)


def _spare_groups(part: Part) -> list[Part]:
    """Return the groups, at any depth, of which fewer would still do."""
    found: list[Part] = []
    counts = {leaf.index: len(leaf.fixed) for leaf in part.leaves()}
    running = [child for child in part.children if minimum_met(child, counts)]
    if len(running) > part.group.min_groups:
        found += running
    for child in part.children:
        if child.shape is None:
            found += _spare_groups(child)
    return found


def lives_on(record: Record, before: Iterable[PodKey], after: Iterable[PodKey]) -> bool:
    """Return whether a workload with fewer pods still has its minimum, or all of it that it had, and no part groups."""
    return _met(record.demand.root, _per_leaf(record, before), _per_leaf(record, after))


def _per_leaf(record: Record, keys: Iterable[PodKey]) -> dict[int, int]:
    counts: dict[int, int] = {}
    leaves = record.demand.leaves
    for number, _ in keys:
        index = leaves[number].index
        counts[index] = counts.get(index, 0) + 1
    return counts


def _met(part: Part, before: dict[int, int], after: dict[int, int]) -> bool:
    if part.shape is not None:
        return after.get(part.index, 0) >= min(part.group.min_pods, before.get(part.index, 0))
    ran = [child for child in part.children if minimum_met(child, before)]
    kept = [child for child in part.children if minimum_met(child, after)]
    if len(kept) < min(part.group.min_groups, len(ran)):
        return False
    return all(
        not any(after.get(leaf.index, 0) for leaf in child.leaves()) or _met(child, before, after)
        for child in part.children
    )


def added(cost: Cost, more: Cost) -> Cost:
    """Return the sum of two costs."""
    return cost[0] + more[0], cost[1] + more[1], cost[2] + more[2]
