"""Fair shares of all queues at one moment: demand from the workloads, capacity from the nodes, shares down the tree."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from railwise.engine.cluster.shapes import UNLIMITED
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU, Amounts, add
from railwise.engine.queues.fairness import CARD, Claim, Sharing, shares_and_quotas
from railwise.engine.queues.queue_tree import TOP, QueueTree

Shares = dict[str, dict[str, Fraction]]
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
    wanted: dict[str, Amounts] = {}
    for name in tree.children[TOP]:
        _demand_of(tree, name, demand, wanted)
    found = _Found({name: {} for name in tree.sound}, {name: {} for name in tree.sound}, steps)
    for resource in tree.counted:
        _share_below(
            tree,
            TOP,
            resource,
            Fraction(capacity.get(resource, 0)),
            (wanted, tree.held if held is None else held),
            found,
        )
    return found.shares, found.quotas


def _demand_of(tree: QueueTree, name: str, demand: dict[str, Amounts], wanted: dict[str, Amounts]) -> Amounts:
    """Return what a queue asks for with all queues below it, never more than its limit."""
    total: Amounts = dict(demand.get(name, {}))
    for child in tree.children.get(name, []):
        add(total, _demand_of(tree, child, demand, wanted))
    for resource, most in tree.by_name[name].limit.items():
        if total.get(resource, 0) > most:
            total[resource] = most
    wanted[name] = total
    return total


def _share_below(
    tree: QueueTree,
    parent: str,
    resource: str,
    total: Fraction,
    books: tuple[dict[str, Amounts], dict[str, Amounts]],
    found: _Found,
) -> None:
    wanted, held = books
    steps = found.steps
    claims = [
        Claim(
            name=name,
            quota=tree.quota[name].get(resource, 0),
            demand=wanted[name].get(resource, 0),
            keep=tree.kept(name, resource),
            limit=tree.by_name[name].limit.get(resource, -1),
            weight=tree.weights[name],
            priority=tree.by_name[name].priority,
            held=held[name].get(resource, 0),
            finer=tree.finer,
        )
        for name in tree.children.get(parent, [])
    ]
    unit = CARD if resource == GPU else 1
    traced = None if steps is None else Sharing()
    if steps is not None and traced is not None:
        steps[parent, resource] = traced
    due, reduced = shares_and_quotas(claims, total, unit, traced)
    for name, share in due.items():
        found.shares[name][resource] = share
        found.quotas[name][resource] = reduced[name]
        if name in tree.children:
            _share_below(tree, name, resource, share, books, found)
