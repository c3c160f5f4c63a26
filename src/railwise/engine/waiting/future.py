"""The live state moved ahead in time: what is known to have ended by then is away, and comes back exactly.

There is no second state. Ends are applied one after the other in the order of their times and undone in reverse, so
that a question about later costs what ends until then, and asks the same search as every decision.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final, NamedTuple

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import Shut
from railwise.engine.gangs.charges import Amounts, add, of_pod
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.placement import Found
from railwise.engine.waiting.outlook import Outlook
from railwise.engine.waiting.promise import UNKNOWN, Promise
from railwise.engine.workloads import Pods, Workloads

Fit = tuple[Demand, Found]
"""A way to run a workload with the places of its pods."""

Ask = Callable[[], Fit | None]
"""Asks whether a workload fits the state as it is."""

Booked = list[tuple[Shape, int, Grant]]
"""Pods that are put on the state for a moment."""


class Future:
    """The known ends of one moment; nothing is away between two questions."""

    def __init__(self, workloads: Workloads) -> None:
        """Know nothing yet."""
        self.workloads: Final = workloads
        self.state: Final = workloads.state
        self.tree: Final = workloads.accounts.tree
        self.guarantee: Final = workloads.accounts.guarantee
        self.outlook: Final = Outlook(workloads)
        self._ends: list[tuple[int, int, str, Record]] | None = []
        self._times: list[int] = []
        self._counts: list[int] = []
        self._gone: Final[list[_Gone]] = []
        self._before: Shut | None = None
        self._moment: tuple[int, int, Record | None] = (-1, 0, None)

    def look(self, apart: Record, *, again: bool = True) -> None:
        """Find out what is known to end, apart from one workload; ``again``: also if something has started since."""
        now = self.workloads.now
        running = apart if apart.pods else None
        moment = (self.workloads.changes if again else self._moment[0], now, running)
        if moment == self._moment:
            return
        self._moment = (self.workloads.changes, now, running)
        self.outlook.sync(now, running)
        self._ends = None

    def knows_all(self) -> bool:
        """Return whether nothing has changed since ends were looked at last."""
        return self._moment[0] == self.workloads.changes

    def overdue(self) -> bool:
        """Return whether anybody should have ended by now, as far as ends are known."""
        return next(self.outlook.ends.until(self.workloads.now), None) is not None

    def times(self) -> list[int]:
        """Return the distinct times of the ends, ascending."""
        self._laid_out()
        return self._times

    def _laid_out(self) -> list[tuple[int, int, str, Record]]:
        """Return the ends in their order, laid out by their times."""
        if self._ends is None:
            self._ends = self.outlook.known()
            self._times, self._counts = [], []
            for number, (end, _, _, _) in enumerate(self._ends):
                if not self._times or self._times[-1] != end:
                    self._times.append(end)
                    self._counts.append(0)
                self._counts[-1] = number + 1
        return self._ends

    def open(self) -> None:
        """Begin a what-if; ``back`` ends it."""
        self._before = self.state.shut(())

    def back(self) -> None:
        """Bring everything back: the state is as it was."""
        while self._gone:
            self._bring_back()
        if self._before is not None:
            self.state.open_again(self._before)
            self._before = None

    def move(self, index: int) -> None:
        """Let everything end up to the time of this index (-1: nothing), or come back."""
        ends = self._laid_out()
        count = self._counts[index] if index >= 0 else 0
        while len(self._gone) > count:
            self._bring_back()
        while len(self._gone) < count:
            self.take(ends[len(self._gone)][3])

    def index_at(self, time: int) -> int:
        """Return the index of the last end at or before a time, -1 where there is none."""
        return bisect_right(self.times(), time) - 1

    def first(self, ask: Ask, start: int) -> tuple[int, Fit] | None:
        """Return the first index from ``start`` on at which a workload fits, with the way; None where no end helps.

        What frees more never fits less, so the steps double until one fits and the gap is then halved.
        """
        last = len(self.times()) - 1
        low, step = start - 1, 1
        high = min(low + step, last)
        found: Fit | None = None
        self.open()
        while low < last:
            self.move(high)
            found = ask()
            if found is not None:
                break
            low, step = high, 2 * step
            high = min(low + step, last)
        while found is not None and high - low > 1:
            middle = (low + high) // 2
            self.move(middle)
            earlier = ask()
            if earlier is None:
                low = middle
            else:
                high, found = middle, earlier
        self.back()
        return None if found is None else (high, found)

    def at(
        self, time: int, run: int, promises: Sequence[Promise], ask: Ask, nodes: frozenset[int] | None = None
    ) -> Fit | None:
        """Ask at a time, with what is promised then in its place and the nodes of what begins meanwhile closed.

        ``run`` is how long the asker would run, µs (0: not known). With ``nodes`` only what ends there is away: where
        the asker fits then, it fits all the more.
        """
        self.open()
        if nodes is None:
            self.move(self.index_at(time))
        else:
            for promise in promises:
                if promise.start <= time < promise.end and not promise.nodes.isdisjoint(nodes):
                    nodes |= promise.nodes
            self._end_on(nodes, time)
        booked: Booked = []
        soon: set[int] = set()
        whole = True
        for promise in promises:
            if promise.start == UNKNOWN or promise.start > time:
                if not run or promise.until < time + run:
                    soon.update(promise.nodes)
            elif time < promise.end and nodes is not None and not promise.nodes <= nodes:
                soon.update(promise.nodes)
            elif time < promise.end:
                whole = whole and self.put(promise.demand, promise.found.pods, booked)
        shut = self.state.shut(sorted(soon))
        found = ask() if whole else None
        self.state.open_again(shut)
        self.take_off(booked)
        self.back()
        return found

    def _end_on(self, nodes: frozenset[int], time: int) -> None:
        """Let the pods on some nodes end that have ended by a time."""
        seen: dict[Record, None] = {}
        for node in sorted(nodes):
            for ending in self.outlook.endings(node, time):
                seen[ending.record] = None
        for record in seen:
            self.take(record, nodes)

    def put(self, demand: Demand, spots: Iterable[Spot], booked: Booked) -> bool:
        """Put pods on the state and note them in ``booked``; return whether all of them fit."""
        for number, _, node, chosen in spots:
            shape = demand.leaves[number].shape
            grant = None if shape is None else self.state.put(shape, node, chosen)
            if shape is None or grant is None:
                return False
            booked.append((shape, node, grant))
        return True

    def take_off(self, booked: Booked) -> None:
        """Undo ``put``."""
        while booked:
            self.state.take_away(*booked.pop())

    def take(self, record: Record, nodes: Container[int] | None = None) -> None:
        """Let a workload end (or its pods on some nodes), until ``back``."""
        before = dict(record.pods)
        keys = [key for key, (node, _) in before.items() if nodes is None or node in nodes]
        fixed = [dict(leaf.fixed) for leaf in record.demand.leaves] if len(keys) < len(before) else []
        counted: Amounts = {}
        if self.tree.declared:
            for number, rank in keys:
                node, grant = before[number, rank]
                shape = record.demand.leaves[number].shape
                if shape is not None:
                    add(counted, of_pod(shape, node, grant, self.state))
            self.tree.charge(record.workload.queue, counted, -1, firm=not record.workload.preemptible)
        record.take_away(self.state, keys)
        if self.guarantee is not None:
            self.guarantee.recharge(record)
        self._gone.append(_Gone(record, keys, before, fixed, counted))

    def _bring_back(self) -> None:
        gone = self._gone.pop()
        record = gone.record
        record.put_back(self.state, {key: gone.pods[key] for key in gone.keys})
        if gone.fixed:
            record.pods.clear()
            record.pods.update(gone.pods)
            for leaf, fixed in zip(record.demand.leaves, gone.fixed, strict=True):
                leaf.fixed.clear()
                leaf.fixed.update(fixed)
        if self.tree.declared:
            self.tree.charge(record.workload.queue, gone.counted, 1, firm=not record.workload.preemptible)
        if self.guarantee is not None:
            self.guarantee.recharge(record)


class _Gone(NamedTuple):
    """A workload some pods of which are away: its pods as they were, and (``fixed``) per leaf where some stay."""

    record: Record
    keys: list[PodKey]
    pods: Pods
    fixed: list[dict[int, int]]
    counted: Amounts
