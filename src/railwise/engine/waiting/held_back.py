"""A search that leaves reserved room alone: it looks elsewhere, and says for whom the room is kept where there is none.

A placement that touches no reserved node, or that ends in time, delays nobody. Any other is looked at with the future
in mind; where it would delay somebody, the reserved nodes are closed for a moment and the search is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from railwise.engine.cluster.shapes import KIND_WHOLE
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.guard import Search
from railwise.engine.search.bounds import most_pods
from railwise.engine.search.placement import Found, Refused
from railwise.engine.waiting.promise import ENDLESS, UNKNOWN, Promise, run_time
from railwise.model.quantity import SECOND, format_duration
from railwise.model.reason import Code

Harmless = Callable[[Demand, Found, list[Promise]], bool]
"""Tells whether a placement on reserved nodes leaves these starts as they are."""


class HeldBack:
    """One workload's view of a search behind the reservations of others."""

    def __init__(
        self,
        record: Record,
        search: Search,
        promises: Sequence[Promise],
        own: Promise | None,
        state: ClusterState,
        now: int,
        harmless: Harmless,
    ) -> None:
        """Start with nothing refused; ``own`` is the promise that the workload itself has."""
        self.record: Final = record
        self.search: Final = search
        self.promises: Final = promises
        self.own: Final = own
        self.state: Final = state
        self.now: Final = now
        self.harmless: Final = harmless
        self.refusal: tuple[Code, str] | None = None

    def place(self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        """Search, on other nodes where the best placement would delay somebody."""
        found = self.search.place(demand, ranks, chosen)
        if isinstance(found, Refused):
            return found
        run = run_time(demand)
        began = self.record.began if self.record.pods else self.now
        end = began + run if run and began + run > self.now else ENDLESS
        lasting = [promise for promise in self.promises if promise.until < end]
        touched = {spot.node for spot in found.pods}
        harmed = [promise for promise in lasting if not touched.isdisjoint(promise.nodes)]
        if not harmed or self.harmless(demand, found, harmed):
            return found
        elsewhere = self._elsewhere(demand, ranks, chosen, sorted({node for one in lasting for node in one.nodes}))
        if isinstance(elsewhere, Found):
            return elsewhere
        if self.own is not None and self.own.due(demand, ranks, self.state, self.now):
            return self.own.found
        if self.refusal is None:
            self.refusal = (Code.RESERVED, self._text(harmed[0]))
        return Refused(proven=True)

    def _elsewhere(
        self, demand: Demand, ranks: dict[int, list[int]], chosen: set[int], kept: list[int]
    ) -> Found | Refused:
        """Search on other nodes than those that are kept, unless these have too few free cards in all."""
        shape = demand.root.shape
        if shape is not None and shape.kind == KIND_WHOLE and demand.simple:
            pods = sum(len(some) for some in ranks.values())
            if most_pods(shape, self.state, kept) < pods:
                return Refused(proven=True)
        shut = self.state.shut(kept)
        elsewhere = self.search.place(demand, ranks, chosen)
        self.state.open_again(shut)
        return elsewhere

    def _text(self, promise: Promise) -> str:
        waits = promise.record.workload
        if promise.start == UNKNOWN:
            since = span(self.now - waits.submit)
            return f"the free room is kept for {waits.name}, which has waited {since} and whose start is not known"
        start = span(promise.start - self.now)
        return f"would delay {waits.name}, for which the room is kept and which is expected to start in {start}"


def span(micros: int) -> str:
    """Return a time span in whole seconds, rounded up: ``1h30m``."""
    return format_duration(-(-micros // SECOND) * SECOND)
