"""All sources at once, and the map that follows from them: asked once, or kept up to date.

Sources tell whenever they like; the map is drawn when something has changed and lasted. Between the two stands one
queue, so that a flood of messages becomes one map, and a map is never drawn in the middle of a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Final

from railwise.discovery.hearing import Failed, Gone, Hearing, Source
from railwise.discovery.tables import Tables
from railwise.fabric.elements import Fabric
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import Mapper
from railwise.fabric.observations import Inventory
from railwise.fabric.settling import Patience

Clock = Callable[[], int]
"""The time in µs; it may never go backwards."""

AT_ONCE: Final = 256
"""So many sources are asked at the same time."""

GATHER: Final = 0.05
"""Seconds to wait for more before a map is drawn."""

CONFIRM_EVERY: Final = 15_000_000
"""µs after which the map hears again which sources are still well."""


class Collector:
    """The live side of a map. ``tables`` say how each source is doing, ``failures`` why some tell nothing."""

    def __init__(
        self,
        sources: Sequence[Source],
        tables: Tables,
        clock: Clock,
        previous: Map | None = None,
        intent: Fabric | None = None,
        inventory: Inventory | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Prepare, without asking anybody."""
        self._sources: Final = sources
        self.tables: Final = tables
        self._clock: Final = clock
        self._mapper: Final = Mapper(previous, intent, inventory, patience)
        self._news: Final = asyncio.Event()
        self.failures: Final[dict[str, Failed]] = {}
        self._unmapped: int | None = None
        self._mapped: int | None = None

    async def once(self) -> Map:
        """Ask every source once, and return the map; what could not be had stands in ``failures``."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(source: Source) -> None:
            async with gate:
                await source.once(self._take)

        await asyncio.gather(*(ask(source) for source in self._sources))
        return self._mapper.map(self._clock())

    async def watch(self) -> AsyncIterator[Map]:
        """Yield a map when one has changed, for ever; the first one when all sources have told or failed once."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(source.watch(self._take)) for source in self._sources]
            try:
                await self._everybody()
                async for one in self._maps():
                    yield one
            finally:
                for task in tasks:
                    task.cancel()

    async def _everybody(self) -> None:
        """Wait until every source has told something or failed."""
        names = {source.name for source in self._sources}
        while not names <= self._spoken():
            await self._news.wait()
            self._news.clear()

    def _spoken(self) -> set[str]:
        """Return who has told something or failed: by name, and by kind where one tells as several instances."""
        heard = {source for source, _ in self.tables.standing()} | set(self.failures)
        return heard | {source.partition(":")[0] for source in heard}

    async def _maps(self) -> AsyncIterator[Map]:
        last: Map | None = None
        confirmed = self._clock()
        while True:
            now = self._clock()
            if now - confirmed >= CONFIRM_EVERY:
                self._confirm()
                confirmed = now
            drawn = self._mapper.map(now)
            due = self._mapper.next_due()
            if last is None or not same(last, drawn):
                self._mapped = self._unmapped if self._mapped is None else self._mapped
                yield drawn
                last = drawn
            if due is None:
                self._unmapped = None
            until = min(confirmed + CONFIRM_EVERY, due if due is not None else confirmed + CONFIRM_EVERY)
            await self._quiet(max(until - self._clock(), 0) / 1_000_000)

    def take_wait(self) -> float | None:
        """Return how many seconds ago the first news was heard that maps say since this was asked last; None: none."""
        since, self._mapped = self._mapped, None
        return None if since is None else max(self._clock() - since, 0) / 1_000_000

    async def _quiet(self, seconds: float) -> None:
        """Wait for news, at most so long, and then a moment for what comes with them."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return
        await asyncio.sleep(GATHER)
        self._news.clear()

    def _confirm(self) -> None:
        """Let the map hear which tables their sources have confirmed since it last heard of them."""
        for (source, device), time in self.tables.confirmed():
            self._mapper.confirm(source, device, time)

    def _take(self, hearing: Hearing) -> None:
        report = self.tables.take(hearing, self._clock())
        if isinstance(hearing, Failed):
            self.failures[hearing.source] = hearing
            self._news.set()
            return
        if isinstance(hearing, Gone):
            return
        for whole in (hearing.source, hearing.source.partition(":")[0]):
            self.failures.pop(whole, None)
        if report is not None:
            self._mapper.hear(report)
            if self._unmapped is None:
                self._unmapped = report.time
            self._news.set()


def same(first: Map, second: Map) -> bool:
    """Return whether two maps say the same, whenever they were drawn and confirmed."""
    return replace(first, time=0, heard={}) == replace(second, time=0, heard={})
