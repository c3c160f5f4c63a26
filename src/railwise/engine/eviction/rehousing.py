"""New places for those who had to go, found for good or tried out without a trace.

Whether a move helps is known only once everybody has been put somewhere: so pods are put on the live state, and taken
off again in the opposite order together with all that putting them had changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import Search, taking_part
from railwise.engine.workloads import Workloads


def places_for(record: Record, keys: Iterable[PodKey], search: Search) -> Found | None:
    """Return places for just these pods of a workload, beside those that run."""
    demand = record.demand
    ranks: dict[int, list[int]] = {}
    for number, rank in sorted(keys):
        ranks.setdefault(demand.leaves[number].index, []).append(rank)
    found = search(demand, ranks, taking_part(demand, ranks))
    return found if isinstance(found, Found) else None


class Moment(NamedTuple):
    """What putting pods changes of a workload beside the pods themselves."""

    record: Record
    keys: list[PodKey]
    current: int
    began: int
    later: dict[PodKey, int]
    lost: set[PodKey]
    broken: int | None
    changed: bool


class TryOut:
    """Pods that are on the state for a moment."""

    def __init__(self, workloads: Workloads) -> None:
        """Start with none."""
        self.workloads: Final = workloads
        self._moments: Final[list[Moment]] = []

    def put(self, record: Record, spots: list[Spot], index: int) -> None:
        """Put pods of a workload, by its demand of this index, where a search found room for them."""
        keys = [(spot.leaf, spot.rank) for spot in spots]
        self._moments.append(
            Moment(
                record,
                keys,
                record.current,
                record.began,
                dict(record.later),
                set(record.lost),
                record.broken,
                record.changed,
            )
        )
        record.choose(index)
        record.put(self.workloads.state, spots, self.workloads.now)
        self.workloads.accounts.recharge(record)

    def undo(self) -> None:
        """Take all of them off again."""
        while self._moments:
            moment = self._moments.pop()
            record = moment.record
            record.take_away(self.workloads.state, moment.keys)
            record.choose(moment.current)
            record.began, record.broken, record.changed = moment.began, moment.broken, moment.changed
            record.later.clear()
            record.later.update(moment.later)
            record.lost.clear()
            record.lost.update(moment.lost)
            self.workloads.accounts.recharge(record)
