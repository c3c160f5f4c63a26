"""The live controller of discovery: follow the map and keep every place that it is published to up to date.

A map is published when it says something new, and again every few minutes, so that what somebody else changed by hand
is mended too. What cannot be written is tried again with the next round; the map goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from railwise.discovery.collector import Collector
from railwise.discovery.metrics import DiscoveryMetrics
from railwise.discovery.publishing.drivers import publish
from railwise.discovery.publishing.publisher import Publisher
from railwise.fabric.changes import differences
from railwise.fabric.fabric_map import Map

AGAIN_EVERY: Final = 300.0
"""Seconds after which a map is held against the cluster again though it has not changed."""

AFTER_FAILURE: Final = 5.0
MOST_LOGGED: Final = 50

log: Final = logging.getLogger("railwise.discovery")


class DiscoveryService:
    """Follows one collector and writes to some places."""

    def __init__(self, collector: Collector, places: Sequence[Publisher], metrics: DiscoveryMetrics) -> None:
        """Prepare, without asking or writing."""
        self._collector: Final = collector
        self._places: Final = places
        self._metrics: Final = metrics
        self._latest: Map | None = None
        self._new: Final = asyncio.Event()

    def ready(self) -> bool:
        """Return whether there is a map."""
        return self._latest is not None

    async def run(self) -> None:
        """Work until cancelled. Raises DeposedError when somebody else leads."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow())
            group.create_task(self._write())

    async def _follow(self) -> None:
        async for drawn in self._collector.watch():
            before, self._latest = self._latest, drawn
            self._metrics.drawn(drawn)
            self._new.set()
            if before is None:
                log.info("first map: %d devices, %d findings", len(drawn.devices), len(drawn.findings))
                continue
            changes = differences(before, drawn)
            for one in changes[:MOST_LOGGED]:
                log.info("%s %s%s: %r -> %r", one.what, one.subject, f" {one.detail}".rstrip(), one.before, one.after)
            if len(changes) > MOST_LOGGED:
                log.info("and %d more changes", len(changes) - MOST_LOGGED)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        wait = AGAIN_EVERY
        while True:
            try:
                async with asyncio.timeout(wait):
                    await self._new.wait()
            except TimeoutError:
                pass
            self._new.clear()
            if self._latest is None:
                continue
            wait = AGAIN_EVERY
            begin = loop.time()
            results = await publish(self._latest, self._places)
            waited = self._collector.take_wait()
            if waited is not None and any(result.changed for _, result in results):
                self._metrics.converged(waited)
            for place, result in results:
                self._metrics.published(place, result, loop.time() - begin)
                for line in result.changed[:MOST_LOGGED]:
                    log.info("changed %s", line)
                for line in (result.passed_over + result.failed)[:MOST_LOGGED]:
                    log.warning("%s", line)
                if result.failed:
                    wait = AFTER_FAILURE
