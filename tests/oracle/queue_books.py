"""What queues hold, may hold and are due, read from the rules without the engine's code: for few queues, by definition.

Amounts are base units (gpu: thousandths). The readings that the rules leave open:

* A parent without a quota has the sum of its children's; a limit below a quota wins.
* Fair shares are found by the level of the water, not by pouring: among queues of one priority each gets on top of its
  quota the same multiple of its weight, or what it still wants if that is less.
* Whole cards: only those who get less than they want are rounded, and nobody is rounded up who had no remainder.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from railwise.model.queue import Queue

Amounts = dict[str, int]

GPU = "gpu"
CARD = 1000


class Wish(NamedTuple):
    """What one of several siblings brings: its quota, what it wants (limit included), what it keeps back, its rank."""

    name: str
    quota: Fraction
    wants: Fraction
    keeps: Fraction
    weight: int
    priority: int
    holds: int


class Tree:
    """Queues in a tree of any depth, with what runs in them."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        """Read the tree; all queues are expected to stand in it."""
        self.queues = {queue.name: queue for queue in queues}
        self.below: dict[str, list[str]] = {}
        for queue in self.queues.values():
            self.below.setdefault(queue.parent, []).append(queue.name)
        self.quota = {name: self._quota(name) for name in self.queues}
        named = {resource for queue in self.queues.values() for resource in (*queue.quota, *queue.limit)}
        self.resources = sorted({GPU, *named})
        self.any_quota = any(queue.quota for queue in self.queues.values())

    def _quota(self, name: str) -> Amounts:
        queue = self.queues[name]
        total: Amounts = {}
        for child in self.below.get(name, []):
            for resource, amount in self._quota(child).items():
                total[resource] = total.get(resource, 0) + amount
        if queue.quota:
            total.update(queue.quota)
        return {resource: min(amount, queue.limit.get(resource, amount)) for resource, amount in total.items()}

    def path(self, name: str) -> list[str]:
        """Return a queue and all above it, from below."""
        found = []
        while name:
            found.append(name)
            name = self.queues[name].parent
        return found

    def counts(self, name: str, resource: str) -> bool:
        """Return whether a resource counts in a queue."""
        return resource == GPU or resource in self.quota[name] or resource in self.queues[name].limit

    def keeps(self, name: str, resource: str) -> int:
        """Return the part of a quota that is never lent."""
        lend = self.queues[name].lend
        quota = self.quota[name].get(resource, 0)
        return 0 if lend is None or resource not in lend else max(quota - lend[resource], 0)

    def sums(self, leaves: dict[str, Amounts]) -> dict[str, Amounts]:
        """Return amounts of all queues from those of the leaves."""
        total: dict[str, Amounts] = {name: {} for name in self.queues}
        for leaf, amounts in leaves.items():
            for name in self.path(leaf):
                for resource, amount in amounts.items():
                    total[name][resource] = total[name].get(resource, 0) + amount
        return total


def due(
    tree: Tree, demand: dict[str, Amounts], held: dict[str, Amounts], capacity: Amounts
) -> tuple[dict[tuple[str, str], Fraction], dict[tuple[str, str], Fraction]]:
    """Return fair shares and quotas shrunk to what there is, by (queue, resource); ``demand`` is that of the leaves."""
    shares: dict[tuple[str, str], Fraction] = {}
    quotas: dict[tuple[str, str], Fraction] = {}

    def wants(name: str, resource: str) -> int:
        own = demand.get(name, {}).get(resource, 0) + sum(wants(child, resource) for child in tree.below.get(name, []))
        return min(own, tree.queues[name].limit.get(resource, own))

    def go(parent: str, resource: str, total: Fraction) -> None:
        names = tree.below.get(parent, [])
        promised = sum(tree.quota[name].get(resource, 0) for name in names)
        part = Fraction(total, promised) if promised > total else Fraction(1)
        wishes = [
            Wish(
                name,
                part * tree.quota[name].get(resource, 0),
                Fraction(wants(name, resource)),
                part * tree.keeps(name, resource),
                tree.queues[name].weight,
                tree.queues[name].priority,
                held[name].get(resource, 0),
            )
            for name in names
        ]
        found = share(wishes, total, CARD if resource == GPU else 1)
        for wish in wishes:
            quotas[wish.name, resource] = wish.quota
            shares[wish.name, resource] = found[wish.name]
            go(wish.name, resource, found[wish.name])

    for resource in tree.resources:
        go("", resource, Fraction(capacity.get(resource, 0)))
    return shares, quotas


def share(wishes: list[Wish], total: Fraction, unit: int) -> dict[str, Fraction]:
    """Return what each of several siblings is due of a total; quotas are shrunk already."""
    found = {wish.name: min(wish.quota, wish.wants) for wish in wishes}
    left = total - sum(max(found[wish.name], wish.keeps) for wish in wishes)
    groups = [[wish for wish in wishes if wish.weight and wish.priority == tier] for tier in _tiers(wishes)]
    groups.append([wish for wish in wishes if not wish.weight])
    for group in groups:
        more = _level(group, {wish.name: wish.wants - found[wish.name] for wish in group}, max(left, Fraction(0)))
        for name, amount in more.items():
            found[name] += amount
            left -= amount
    if sum(wish.wants for wish in wishes) > total:
        _whole(wishes, found, unit)
    return found


def _tiers(wishes: list[Wish]) -> list[int]:
    return sorted({wish.priority for wish in wishes}, reverse=True)


def _level(group: list[Wish], room: dict[str, Fraction], left: Fraction) -> dict[str, Fraction]:
    """Return min(room, level x weight) per queue, with the highest level for which the sum is no more than is left."""
    weight = {wish.name: Fraction(wish.weight or 1) for wish in group}
    if sum(room.values()) <= left:
        return room
    for full in sorted({room[name] / weight[name] for name in room}):
        below = sum(room[name] for name in room if room[name] / weight[name] < full)
        open_weight = sum(weight[name] for name in room if room[name] / weight[name] >= full)
        level = (left - below) / open_weight
        if level <= full:
            return {name: min(room[name], level * weight[name]) for name in room}
    raise AssertionError("the sum of what is wanted is more than is left, so some level must do")


def _whole(wishes: list[Wish], found: dict[str, Fraction], unit: int) -> None:
    short = [wish for wish in wishes if found[wish.name] < wish.wants]
    left = sum((found[wish.name] for wish in short), Fraction(0))
    rests = {wish.name: found[wish.name] % unit for wish in short}
    for wish in short:
        found[wish.name] -= rests[wish.name]
        left -= found[wish.name]
    for wish in sorted(short, key=lambda wish: (-rests[wish.name], -wish.holds, wish.name)):
        if left >= unit and rests[wish.name] and found[wish.name] + unit <= wish.wants:
            found[wish.name] += unit
            left -= unit
