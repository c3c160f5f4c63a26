"""Who lends whom: what queues hold above their quota, and of whose unused quota it comes.

A card has no owner, so this is book-keeping. Level by level, what siblings hold above their quotas comes first from
what their parent borrows itself, then from what no sibling was promised, and then from the unused quotas of siblings,
in proportion to what each leaves unused and lends. What a queue lends to the outside its children lend in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable

from railwise.engine.gangs.charges import GPU, Amounts
from railwise.engine.queues.fairness import CARD
from railwise.engine.queues.queue_tree import TOP, QueueTree


def borrowed(tree: QueueTree, name: str, resource: str) -> int:
    """Return what a queue holds above its quota, in base units; 0 where no quota counts for the resource."""
    quota = tree.quota[name]
    if not tree.any_quota or (resource != GPU and resource not in quota):
        return 0
    return max(tree.held[name].get(resource, 0) - quota.get(resource, 0), 0)


def all_lent(tree: QueueTree, capacity: Amounts) -> dict[str, Amounts]:
    """Return what others use of every queue's quota, per resource in base units."""
    lent: dict[str, Amounts] = {name: {} for name in tree.sound}
    for resource in tree.counted:
        _below(tree, TOP, resource, capacity.get(resource, 0), 0, lent)
    return lent


def _below(tree: QueueTree, parent: str, resource: str, promised: int, outside: int, lent: dict[str, Amounts]) -> None:
    """Find the lenders among siblings; ``outside`` is what their parent lends less what it borrows."""
    children = tree.children.get(parent, [])
    quotas = {name: tree.quota[name].get(resource, 0) for name in children}
    needed = outside + sum(borrowed(tree, name, resource) for name in children)
    needed -= max(promised - sum(quotas.values()), 0)
    unused = {name: _unused(tree, name, resource, quota) for name, quota in quotas.items()}
    unit = CARD if resource == GPU else 1
    for name, amount in split(max(needed, 0), unused.items(), unit).items():
        if amount:
            lent[name][resource] = amount
        _below(tree, name, resource, quotas[name], amount - borrowed(tree, name, resource), lent)


def _unused(tree: QueueTree, name: str, resource: str, quota: int) -> int:
    """Return the part of a quota that its queue does not hold and does lend."""
    free = quota - tree.held[name].get(resource, 0)
    return max(min(free, quota - tree.kept(name, resource)), 0)


def split(amount: int, most: Iterable[tuple[str, int]], unit: int) -> dict[str, int]:
    """Split an amount in proportion to ``most``, never giving anyone more, in whole units by largest remainder."""
    limits = dict(most)
    together = sum(limits.values())
    if amount >= together:
        return limits
    exact = {name: amount * limit for name, limit in limits.items()}
    given = {name: part // together // unit * unit for name, part in exact.items()}
    left = amount - sum(given.values())
    order = sorted(limits, key=lambda name: given[name] * together - exact[name])
    for most_each in (unit, left):
        for name in order:
            more = min(most_each, left, limits[name] - given[name])
            given[name] += more
            left -= more
    return given
