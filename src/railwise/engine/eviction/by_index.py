"""Victims in large clusters, by the index of who stands where: proposals domain by domain, then a closer look.

A proposal clears a domain at about the least loss, node by node. The best of them is then compared with all who stand
on the nodes that are cheapest to clear there, as exactly as where few may go. Proposals do not know the rights of
several victims together; where these fail, the victims of one queue after the other are proposed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final

from railwise.engine.eviction.claim import Claim, Way
from railwise.engine.eviction.holders import Holders
from railwise.engine.eviction.proposals import Proposal, Proposals
from railwise.engine.eviction.survey import Survey
from railwise.engine.eviction.together import own_units, surplus_of, wholes_of
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.wide import search_wide
from railwise.engine.gangs.record import Record

MOST_PROPOSALS: Final = 8
"""So many domains are tried."""

MOST_SURPLUS: Final = 256
"""So many surplus pods are tried."""

CLOSE: Final = 24
"""So many workloads on the cheapest nodes of the best domain are compared with its proposal,"""

CLOSE_TRIALS: Final = 100
"""with so many searches."""

MOST_QUEUES: Final = 8
"""So many queues are asked one by one."""


def search_by_index(claim: Claim, holders: Holders) -> Way | None:
    """Return the cheapest way found by the least important victims that suffice."""
    manners = [
        manner
        for manner in holders.manners
        if claim.rights.may_take_from(manner.queue, manner.priority, preemptible=manner.preemptible)
    ]
    priorities = sorted({manner.priority for manner in manners})
    if not priorities:
        return None
    shape = claim.demand.root.shape
    if not claim.demand.simple or shape is None:
        ways = (_surplus(claim, holders, one) or search_wide(claim, holders, one) for one in priorities)
        return next((way for way in ways if way is not None), None)
    pods = claim.demand.root.group.min_pods - len(claim.demand.root.fixed)

    def proposals(priority: int, queues: frozenset[str] | None) -> Proposals:
        return Proposals(claim, Survey(claim, holders, shape, pods, priority, queues), pods)

    of_all: dict[int, Proposals] = {}

    def possible(priority: int) -> bool:
        if priority not in of_all:
            of_all[priority] = proposals(priority, None)
        return of_all[priority].possible()

    queues = sorted({manner.queue for manner in manners})
    for priority in priorities[bisect_left(priorities, True, key=possible) :]:  # noqa: FBT003
        way = _surplus(claim, holders, priority) or _best(claim, of_all.get(priority) or proposals(priority, None))
        for some in _some_queues(claim, queues) if way is None else ():
            way = way or _best(claim, proposals(priority, some))
        if way is not None:
            return way
    return None


def _some_queues(claim: Claim, queues: list[str]) -> Iterator[frozenset[str]]:
    """Yield the claimant's own queue, and each other one beside it."""
    if len(queues) > 1:
        yield frozenset({claim.rights.queue})
        yield from [frozenset({claim.rights.queue, name}) for name in queues if name != claim.rights.queue][
            :MOST_QUEUES
        ]


def _surplus(claim: Claim, holders: Holders, priority: int) -> Way | None:
    """Try the surplus pods of all that may shrink, the cheapest of them where there are many."""
    tier = [
        record for record in holders.elastic if record.workload.priority <= priority and claim.rights.may_take(record)
    ]
    units = sorted(surplus_of(claim, tier), key=lambda unit: (unit.cost, -unit.since))
    return Trial(claim, own_units(claim) + units[:MOST_SURPLUS], MOST_SURPLUS).run() if units else None


def _best(claim: Claim, proposals: Proposals) -> Way | None:
    """Return the cheapest of the first proposals, and what a closer look makes of it."""
    best: tuple[Way, Proposal] | None = None
    own = own_units(claim)
    for proposal in islice(proposals.each(), MOST_PROPOSALS):
        if best is not None and best[0].key[0][0] <= proposal.least and best[0].key[0][0]:
            break
        way = Trial(claim, own + proposal.units, len(proposal.units) + MOST_PROPOSALS).run()
        if way is not None and (best is None or way.key < best[0].key):
            best = (way, proposal)
    if best is None:
        return None
    (lost, wholes, _), proposal = best[0].key[0], best[1]
    if lost <= proposal.least and wholes <= proposals.pods:
        return best[0]
    closer = _closer(claim, proposals.survey, proposal)
    return min(best[0], closer, key=lambda way: way.key) if closer is not None else best[0]


def _closer(claim: Claim, survey: Survey, proposal: Proposal) -> Way | None:
    """Compare a proposal with all who stand on the nodes that are cheapest to clear in its domain."""
    records: dict[Record, None] = {unit.record: None for unit in proposal.units}
    for node in proposal.nodes:
        more = [record for record in survey.victims(node) if record not in records]
        if len(records) + len(more) > CLOSE:
            break
        records.update(dict.fromkeys(more))
    tier = list(records)
    return Trial(claim, own_units(claim) + surplus_of(claim, tier) + wholes_of(claim, tier), CLOSE_TRIALS).run()
