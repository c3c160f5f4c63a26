"""What is going to happen and when: a heap of moments in virtual time, in whole microseconds.

An end that is put off stays on the heap and is passed over when its time comes; so a run never stops at a moment at
which nothing happens.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from railwise.engine.events import Event, Finish

FINISH, CHANGE, ARRIVE, WAKE = range(4)
"""What happens at one moment, in this order."""

Entry = tuple[int, int, int, Event | None]
"""(time, kind, number, what happens); equal times and kinds go by number, which counts up."""


class Calendar:
    """The entries to come. A workload has one end at most; a time to wake up is noted once."""

    def __init__(self) -> None:
        """Start empty."""
        self._heap: Final[list[Entry]] = []
        self._number = 0
        self._ends: Final[dict[str, int]] = {}
        self._waking: Final[set[int]] = set()

    def note(self, at: int, kind: int, what: Event) -> None:
        """Let something happen at a time (µs)."""
        self._push(at, kind, what)

    def wake(self, at: int) -> None:
        """Let the engine decide again at a time although nothing happens."""
        if at not in self._waking:
            self._waking.add(at)
            self._push(at, WAKE, None)

    def end(self, name: str, at: int | None) -> None:
        """Let a workload end at a time and at no other; None: never, as things are."""
        if at is None:
            self._ends.pop(name, None)
        elif self._ends.get(name) != at:
            self._ends[name] = at
            self._push(at, FINISH, Finish(name))

    def next(self) -> int | None:
        """Return the time of the next moment, None where nothing happens any more."""
        heap = self._heap
        while heap:
            at, _, _, what = heap[0]
            if not isinstance(what, Finish) or self._ends.get(what.name) == at:
                return at
            heappop(heap)
        return None

    def take(self, now: int) -> list[Event]:
        """Remove everything of a moment and return it, in its order."""
        events: list[Event] = []
        while self.next() == now:
            what = heappop(self._heap)[-1]
            if what is None:
                self._waking.discard(now)
                continue
            if isinstance(what, Finish):
                del self._ends[what.name]
            events.append(what)
        return events

    def _push(self, at: int, kind: int, what: Event | None) -> None:
        self._number += 1
        heappush(self._heap, (at, kind, self._number, what))
