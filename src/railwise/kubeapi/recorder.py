"""Events for people (``kubectl get events``): few, short, and never in the way of the work they tell of.

A scheduler that says the same about ten thousand pods in every round would fill etcd. So what is said again about the
same object becomes a count on one event, an object has a small allowance, all together have a rate, and what exceeds
it is dropped and counted. Nobody waits for an event: ``say`` only puts it in a bounded queue, ``run`` writes.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from railwise.kubeapi.client import Client
from railwise.kubeapi.election import new_identity
from railwise.kubeapi.errors import ApiError, NotFoundError
from railwise.kubeapi.lease import timestamp
from railwise.kubeapi.resources import EVENTS, Resource

LONGEST_NOTE = 1024
"""Bytes of a note that the API takes."""

CONTROLLER = "railwise.dev/scheduler"


class Regarding(NamedTuple):
    """The object that an event is about."""

    resource: Resource
    namespace: str
    name: str
    uid: str = ""


@dataclass(frozen=True)
class EventRates:
    """How much is said: ``rate`` writes a second after a burst of ``burst``, all together.

    An object gets ``allowance`` new events and another one every ``refill`` seconds; ``memory`` events are remembered
    for counting, ``queue`` wait to be written.
    """

    rate: float = 20.0
    burst: int = 100
    allowance: int = 10
    refill: float = 60.0
    memory: int = 4096
    queue: int = 1000


_WIDEST = 4
"""Bytes of a character in UTF-8 at most."""


def cut_to(text: str, most: int) -> str:
    """Return a text of so many bytes in UTF-8 at most, with an ellipsis where something is missing."""
    if len(text) * _WIDEST <= most:
        return text
    data = text.encode()
    if len(data) <= most:
        return text
    return data[: most - len("…".encode())].decode(errors="ignore") + "…"


class Bucket:
    """An allowance that fills up again."""

    def __init__(self, most: float, per_second: float, now: float) -> None:
        """Start full."""
        self._most = most
        self._per_second = per_second
        self._left = most
        self._at = now

    def take(self, now: float) -> bool:
        """Take one; return whether there was one."""
        self._left = min(self._most, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def wait(self, now: float) -> float:
        """Return the seconds until there is one to take."""
        left = min(self._most, self._left + (now - self._at) * self._per_second)
        return max(0.0, (1 - left) / self._per_second)


@dataclass
class _Told:
    """One event: what it says, how often it was said, and how often the server knows of."""

    regarding: Regarding
    reason: str
    note: str
    action: str
    warning: bool
    name: str = ""
    count: int = 1
    written: int = 0
    waiting: bool = True
    first: str = field(default_factory=timestamp)


class Recorder:
    """Says things about objects. Start ``run`` as a task; ``drain`` writes what is left before the end."""

    def __init__(
        self,
        client: Client,
        instance: str = "",
        rates: EventRates | None = None,
        clock: Callable[[], float] = time.monotonic,
        controller: str = CONTROLLER,
    ) -> None:
        """Keep who writes and who says so."""
        self._client = client
        self._controller = controller
        self._instance = instance or new_identity()
        self._rates = rates or EventRates()
        self._clock = clock
        self._told: OrderedDict[tuple[str, ...], _Told] = OrderedDict()
        self._allowances: OrderedDict[tuple[str, ...], Bucket] = OrderedDict()
        self._queue: deque[_Told] = deque()
        self._some = asyncio.Event()
        self._bucket = Bucket(self._rates.burst, self._rates.rate, clock())

    def say(
        self, regarding: Regarding, reason: str, note: str, *, action: str = "Scheduling", warning: bool = False
    ) -> bool:
        """Say something about an object; return False if it was dropped, because too much is said already."""
        note = cut_to(note, LONGEST_NOTE)
        who = (regarding.namespace, regarding.resource.plural, regarding.name, regarding.uid)
        key = (*who, reason, note, action)
        told = self._told.get(key)
        if told is not None:
            told.count += 1
            self._told.move_to_end(key)
            if told.waiting:
                return True
        if len(self._queue) >= self._rates.queue:
            self._client.transport.observer.dropped_event("queue")
            return False
        if told is None and not self._allowance(who).take(self._clock()):
            self._client.transport.observer.dropped_event("rate")
            return False
        if told is None:
            told = _Told(regarding, reason, note, action, warning)
            self._told[key] = told
            while len(self._told) > self._rates.memory:
                self._told.popitem(last=False)
        told.waiting = True
        self._queue.append(told)
        self._some.set()
        return True

    def _allowance(self, who: tuple[str, ...]) -> Bucket:
        bucket = self._allowances.get(who)
        if bucket is None:
            bucket = Bucket(self._rates.allowance, 1 / self._rates.refill, self._clock())
            self._allowances[who] = bucket
            if len(self._allowances) > self._rates.memory:
                self._allowances.popitem(last=False)
        self._allowances.move_to_end(who)
        return bucket

    async def run(self) -> None:
        """Write what is said, for ever, no faster than the rate; what the server does not take is lost."""
        while True:
            while self._queue:
                await asyncio.sleep(self._bucket.wait(self._clock()))
                if self._bucket.take(self._clock()):
                    await self._write(self._queue.popleft())
            self._some.clear()
            await self._some.wait()

    async def drain(self, seconds: float) -> None:
        """Write what waits, as far as that is done within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while self._queue:
                    await self._write(self._queue.popleft())
        except TimeoutError:
            return

    async def _write(self, told: _Told) -> None:
        told.waiting = False
        count = told.count
        space = told.regarding.namespace or "default"
        try:
            if told.name:
                series = {"series": {"count": max(count, 2), "lastObservedTime": timestamp()}}
                try:
                    await self._client.patch(EVENTS, space, told.name, series)
                except NotFoundError:  # events expire
                    told.name = ""
            if not told.name:
                told.name = self._new_name(told)
                await self._client.create(EVENTS, space, self._body(told, space))
        except ApiError:
            told.name = told.name if told.written else ""
            return
        told.written = count

    def _new_name(self, told: _Told) -> str:
        digest = hashlib.sha256(f"{self._instance} {told.regarding} {told.reason} {told.note} {timestamp()}".encode())
        return f"{told.regarding.name[:200]}.{digest.hexdigest()[:16]}"

    def _body(self, told: _Told, space: str) -> dict[str, object]:
        about = told.regarding
        regarding = {"apiVersion": about.resource.api_version(), "kind": about.resource.kind, "name": about.name}
        regarding |= {"namespace": about.namespace} if about.namespace else {}
        regarding |= {"uid": about.uid} if about.uid else {}
        body: dict[str, object] = {
            "apiVersion": EVENTS.api_version(),
            "kind": EVENTS.kind,
            "metadata": {"name": told.name, "namespace": space},
            "eventTime": told.first,
            "reportingController": self._controller,
            "reportingInstance": self._instance[:128],
            "action": told.action,
            "reason": told.reason,
            "regarding": regarding,
            "note": told.note,
            "type": "Warning" if told.warning else "Normal",
        }
        if told.count > 1:
            body["series"] = {"count": told.count, "lastObservedTime": timestamp()}
        return body
