"""Victims in a large cluster for a claimant whose pods are not all alike: domain by domain, then by trial.

All that may go is lifted off one domain; where the claimant then goes, only those who stand there can be in its way.
Bounded: the domains that look cheapest are tried, from the level that the claimant would like upwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from railwise.engine.eviction.claim import Claim, Way
from railwise.engine.eviction.holders import Holders
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.units import whole_unit
from railwise.engine.gangs.charges import GPU
from railwise.engine.gangs.demand import NOT_GIVEN
from railwise.engine.gangs.record import Record
from railwise.engine.search.placement import Found

MOST_DOMAINS: Final = 8
"""So many domains of one level are tried."""

Domain = tuple[int, int, list[int]]
"""(loss if all that may go goes, number, nodes)."""


def search_wide(claim: Claim, holders: Holders, priority: int) -> Way | None:
    """Return the cheapest way found with victims of at most this priority, None where none was found."""
    best: Way | None = None
    for domains in _by_level(claim, holders, priority):
        for _, _, nodes in domains[:MOST_DOMAINS]:
            way = _inside(claim, holders, priority, nodes)
            if way is not None and (best is None or way.key < best.key):
                best = way
        if best is not None:
            return best
    return None


def _by_level(claim: Claim, holders: Holders, priority: int) -> Iterator[list[Domain]]:
    """Yield the domains that could hold the claimant by their cards, cheapest first, one level after the other."""
    demand = claim.demand
    tree = claim.state.trees[demand.root.tree].tree
    required = demand.root.required
    narrowest = min(demand.preferred, tree.depth - 1) if demand.preferred >= 0 else -1
    for level in range(max(narrowest, required), max(required, -1) - 1, -1):
        members: dict[int, list[int]] = {}
        for node in tree.order:
            members.setdefault(_domain(node, level, tree.domain_of, tree.depth), []).append(node)
        found: list[Domain] = []
        for number, nodes in members.items():
            cards, loss = _judged(claim, holders, priority, nodes)
            if cards >= claim.ask.get(GPU, 0):
                found.append((loss, number, nodes))
        yield sorted(found)


def _domain(node: int, level: int, domain_of: list[list[int]], depth: int) -> int:
    if level == NOT_GIVEN:
        return 0
    return node if level >= depth else domain_of[level][node]


def _judged(claim: Claim, holders: Holders, priority: int, nodes: list[int]) -> tuple[int, int]:
    """Return (thousandths of cards that could be had, work lost in having them) for some nodes."""
    cards, loss, now = 0, 0, claim.workloads.now
    for node in nodes:
        cards += 1000 * claim.state.room_of[node].slots
        for manner, heap in holders.heaps[node].items():
            if manner.priority <= priority and claim.rights.may_take_from(
                manner.queue, manner.priority, preemptible=manner.preemptible
            ):
                cards += heap.cards
                loss += heap.cards * now - heap.moment
    return cards, loss


def _inside(claim: Claim, holders: Holders, priority: int, nodes: list[int]) -> Way | None:
    pool: dict[Record, None] = {}
    for node in nodes:
        for record in holders.on[node]:
            if record.workload.priority <= priority and claim.rights.may_take(record):
                pool[record] = None
    found = _all_lifted(claim, list(pool))
    if found is None:
        return None
    used = {spot.node for spot in found.pods}
    near = [record for record in pool if any(node in used for node, _ in record.pods.values())]
    units = [whole_unit(record, claim.state, claim.workloads.now) for record in near]
    return Trial(claim, units, len(units) + MOST_DOMAINS).run()


def _all_lifted(claim: Claim, pool: list[Record]) -> Found | None:
    """Return where the claimant goes when all of these are gone; they are back afterwards."""
    freed = claim.state.freed
    lifted = [(record, claim.workloads.lift(record, list(record.pods))) for record in pool]
    found = claim.fits()
    for record, pods in lifted:
        claim.workloads.set_back(record, pods)
    claim.state.freed = freed
    return found
