"""The lldpd of this machine: its table at once, and again whenever ``lldpcli watch`` says that something has changed.

What ``watch`` prints is only taken as a sign: the table that follows is read whole, so that nothing depends on having
seen every change. It is read now and then without a sign too, which also says that lldpd still answers.
"""

from __future__ import annotations

import asyncio
from typing import Final

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Failed, Records, Sink, Whole
from railwise.discovery.local.programs import ProgramError, output_of, started
from railwise.fabric.observations import SERVER
from railwise.formats.discovery.settings import Local
from railwise.formats.lldp.lldpctl import Self, read_lldpctl, read_self
from railwise.model.errors import InputError

PROGRAM: Final = "lldpcli"
SETTLE: Final = 0.3
"""Seconds between a sign and the reading: what changes together is read once."""


class LldpdSource:
    """The neighbours that one machine's lldpd knows; ``known_as`` is what it tells them of the machine, once asked."""

    name: Final = "lldpd"

    def __init__(self, local: Local, backoff: Backoff) -> None:
        """Prepare, without asking."""
        self._server: Final = local.server
        self._command: Final = [local.program or PROGRAM, *(["-u", local.path] if local.path else []), "-f", "json0"]
        self._every: Final = local.every / 1_000_000
        self._backoff: Final = backoff
        self._news: Final = asyncio.Event()
        self.known_as: Self | None = None

    async def once(self, sink: Sink) -> None:
        """Read the table."""
        await self._tell(sink)

    async def watch(self, sink: Sink) -> None:
        """Read the table, and again after every sign of a change."""
        watching = asyncio.create_task(self._signs())
        try:
            while True:
                self._news.clear()
                wait = self._every
                if await self._tell(sink):
                    self._backoff.reset()
                else:
                    wait = min(self._backoff.wait(), self._every)
                try:
                    async with asyncio.timeout(wait):
                        await self._news.wait()
                except TimeoutError:
                    continue
                await asyncio.sleep(SETTLE)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _tell(self, sink: Sink) -> bool:
        try:
            self.known_as = read_self(await output_of([*self._command, "show", "chassis"]))
            table = await output_of([*self._command, "show", "neighbors"])
            records = read_lldpctl(table, own_chassis=self.known_as.chassis)
        except ProgramError as error:
            sink(Failed(self.name, self._server, str(error)))
            return False
        except InputError as error:
            sink(Failed(self.name, self._server, f"{PROGRAM}: {error.faults[0].text()[:200]}"))
            return False
        ports: dict[str, Records] = {}
        for record in records:
            ports[record.port] = (*ports.get(record.port, ()), record)
        sink(Whole(self.name, self._server, ports, SERVER))
        return True

    async def _signs(self) -> None:
        """Set ``news`` whenever ``lldpcli watch`` prints anything; start it again when it ends."""
        while True:
            try:
                async with started([*self._command, "watch"]) as process:
                    while process.stdout is not None and await process.stdout.read(64 * 1024):
                        self._news.set()
            except ProgramError:
                pass  # the next reading of the table says so
            await asyncio.sleep(self._every / 10)
