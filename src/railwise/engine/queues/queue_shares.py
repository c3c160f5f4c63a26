"""Fair shares of all queues at one moment: demand from the workloads, capacity from the nodes, shares down the tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from railwise.engine.cluster.shapes import UNLIMITED
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU, Amounts, add
from railwise.engine.queues.fairness import CARD, Sharing, shares_and_quotas
from railwise.engine.queues.queue_tree import TOP, QueueTree
from railwise.engine.queues.siblings import Part, Siblings, Wants

Shares = dict[str, dict[str, Part]]
"""Base units due per queue and resource."""

Steps = dict[tuple[str, str], Sharing]
"""How it was shared, by (parent queue, resource)."""


class _Found(NamedTuple):
    """What is found out while resources are shared."""

    shares: Shares
    quotas: Shares
    steps: Steps | None


def capacity_of(state: ClusterState) -> Amounts:
    """Return what there is on the nodes that are ready and schedulable."""
    total: Amounts = {}
    nodes: dict[int, int] = {}
    for node, spec in zip(state.nodes, state.specs, strict=True):
        if node.ready and not node.unschedulable:
            nodes[spec.index] = nodes.get(spec.index, 0) + 1
    for spec in state.specs_in_use():
        if spec.index in nodes:
            own: Amounts = {GPU: CARD * spec.whole_mask().bit_count(), "cpu": spec.cpu, "memory": spec.memory}
            own.update(spec.others)
            add(total, own, nodes[spec.index])
    return total


def capacity_with(there: Amounts, running: Iterable[Amounts]) -> Amounts:
    """Return what the cluster can give: what there is, and what still runs on nodes that take no new pods."""
    total = dict(there)
    for amounts in running:
        add(total, amounts)
    return {resource: min(amount, UNLIMITED) for resource, amount in total.items()}


def queue_shares(
    tree: QueueTree,
    demand: dict[str, Amounts],
    capacity: Amounts,
    steps: Steps | None = None,
    held: dict[str, Amounts] | None = None,
) -> tuple[Shares, Shares]:
    """Return the fair share of every queue, and its quota shrunk to what there is.

    ``demand`` is per leaf queue, ``held`` per queue (default: what the tree says); ``steps`` is filled where
    somebody wants to know how it came about.
    """
    holds = tree.held if held is None else held
    found = _Found({name: {} for name in tree.sound}, {name: {} for name in tree.sound}, steps)
    for resource in tree.counted:
        wanted = _wanted(tree, demand, resource)
        due: dict[str, Part] = {TOP: capacity.get(resource, 0)}
        for parent in tree.downward:
            _share_below(tree, parent, resource, due, (wanted, holds), found)
    return found.shares, found.quotas


def _wanted(tree: QueueTree, demand: dict[str, Amounts], resource: str) -> dict[str, int]:
    """Return what every queue asks for with all queues below it, never more than its limit."""
    wanted = dict.fromkeys(tree.upward, 0)
    for name, amounts in demand.items():
        if name in wanted:
            wanted[name] = amounts.get(resource, 0)
    for name, queue in tree.upward.items():
        amount = wanted[name]
        if queue.limit and resource in queue.limit and amount > queue.limit[resource]:
            wanted[name] = amount = queue.limit[resource]
        if queue.parent and amount:
            wanted[queue.parent] += amount
    return wanted


def _share_below(
    tree: QueueTree,
    parent: str,
    resource: str,
    due: dict[str, Part],
    books: tuple[dict[str, int], dict[str, Amounts]],
    found: _Found,
) -> None:
    """Share among the children of one parent what is ``due`` to it, and note what is due to them."""
    wanted, held = books
    steps = found.steps
    among = _siblings(tree, parent, resource)
    names = among.names
    wants = Wants(
        [wanted[name] for name in names],
        [tree.weights[name] for name in names],
        [held[name].get(resource, 0) for name in names],
        tree.finer,
    )
    traced = None if steps is None else Sharing()
    if steps is not None and traced is not None:
        steps[parent, resource] = traced
    own, reduced = shares_and_quotas(among, wants, due[parent], CARD if resource == GPU else 1, traced)
    for at, name in enumerate(names):
        found.shares[name][resource] = due[name] = own[at]
        found.quotas[name][resource] = reduced[at]


def _siblings(tree: QueueTree, parent: str, resource: str) -> Siblings:
    """Return what stays the same about the queues below a parent; made once."""
    known = tree.siblings.get((parent, resource))
    if known is None:
        names = tree.children.get(parent, [])
        queues = [tree.by_name[name] for name in names]
        known = tree.siblings[parent, resource] = Siblings(
            names,
            [tree.quota[name].get(resource, 0) for name in names],
            [tree.kept(name, resource) for name in names],
            [queue.limit.get(resource, -1) for queue in queues],
            [queue.priority for queue in queues],
        )
    return known
