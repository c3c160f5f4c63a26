"""The scheduler of a live cluster: what the API server says goes into the engine, and its plan comes out as writes.

One loop, one thread. Watches keep the cache in step; each round takes what has changed since the last one, lets the
engine decide, and starts what the plan asks for: binds, evictions, words on the pods that wait. Nothing waits for a
write: its outcome is an event like any other, and a failure only means that the next round knows better. Rounds follow
one another no faster than half of the time may be spent on them, so that watches are always read.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry

from railwise.controllers.announcer import Announcer
from railwise.controllers.cache import Binding, ClusterCache, Stop
from railwise.controllers.clocks import MICROSECOND
from railwise.controllers.feeds import Feeds
from railwise.controllers.journal import Journal
from railwise.controllers.metrics import SchedulerMetrics
from railwise.controllers.modes import Mode
from railwise.controllers.notices import Notices
from railwise.controllers.words import Words
from railwise.engine.cycle import Engine
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.objects import Unreadable
from railwise.kubeapi.pods import Answer
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.kubeapi.resources import NODES, Resource
from railwise.model.plan import Plan

log = logging.getLogger("railwise.scheduler")

SHORTEST = 0.002
"""Seconds between two rounds at least: what arrives together is decided together."""

UNREADABLE = "CannotBeRead"
"""The reason of the event on an object that has not the form of its kind."""

PULSE = 60.0
"""Seconds between two rounds at most, so that who watches sees a quiet cluster from a loop that stands still."""

FAREWELL = 10.0
"""Seconds that binds on their way are waited for at the end."""


@dataclass
class Tally:
    """What was done since the start."""

    rounds: int = 0
    decisions: int = 0
    bound: int = 0
    failed: int = 0
    evicted: int = 0
    engines: int = 0
    deciding: float = 0.0


class Scheduler:
    """Places the pods that are its own, through a client whose writes are fenced by leadership."""

    def __init__(
        self,
        client: Client,
        cache: ClusterCache,
        recorder: Recorder | None = None,
        mode: Mode | None = None,
        journal: Journal | None = None,
        metrics: SchedulerMetrics | None = None,
    ) -> None:
        """Keep the connection, an empty cache, how plans are carried out, and who is told of it."""
        self.cache = cache
        self.tally = Tally()
        self.ready = asyncio.Event()
        self._mode = mode or Mode()
        self._recorder = recorder or Recorder(client, controller=self._mode.controller)
        self._journal = journal or Journal()
        self._metrics = metrics or SchedulerMetrics(CollectorRegistry())
        self._announcer = Announcer(client, self._recorder, self._mode.about)
        self._words = Words(cache, self._announcer, self._recorder, self._mode.about)
        self._notices = Notices(client, self._recorder)
        self._feeds = Feeds(client, cache, self._spoiled)
        self._binder = self._mode.binder(client, cache, self._bound, self._bind_failed)
        self._evictor = self._mode.evictor(client, cache, self._stays)
        self._engine: Engine | None = None

    async def run(self) -> None:
        """Schedule until cancelled; then wait for binds on their way.

        Raises:
            ApiError: the server does not let us read what we need.
            DeposedError: another leads by now.
        """
        helpers: list[Coroutine[Any, Any, None]] = [
            self._feeds.run(),
            self._announcer.run(),
            self._notices.run(),
            self._recorder.run(),
            self._deposed(),
            self._rounds(),
            *self._mode.duties(self._evictor, self._recorder),
        ]
        tasks = [asyncio.create_task(one) for one in helpers]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except BaseExceptionGroup as several:
            raise _first(several) from None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._evictor.finish()
            await self._binder.finish(FAREWELL)
            await self._recorder.drain(1.0)

    async def _deposed(self) -> None:
        waits = [asyncio.create_task(one.deposed.wait()) for one in (self._binder, self._evictor)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
        raise DeposedError("another replica leads by now")

    async def _rounds(self) -> None:
        await self._feeds.synced.wait()
        while True:
            started = time.monotonic()
            self._feeds.news.clear()
            self.round()
            if not self.ready.is_set():
                log.info("ready: the first round took %.1f s", time.monotonic() - started)
                self.ready.set()
            spent = time.monotonic() - started
            await asyncio.sleep(max(spent, SHORTEST))
            try:
                async with asyncio.timeout(self._wake()):
                    await self._feeds.news.wait()
            except TimeoutError:
                pass

    def round(self) -> None:
        """Tell the engine what has changed, and begin what it decides."""
        cache = self.cache
        self._binder.look_again()
        events = cache.events()
        if events is None or self._engine is None:
            scenario = cache.begin()
            cache.makers.changed = True
            for warning in scenario.warnings:
                log.warning("%s", warning)
            self._engine = Engine(scenario)
            self._journal.began(scenario, cache.clock.now())
            self._metrics.began(self._engine)
            log.info("plans for %d nodes and %d workloads", len(scenario.nodes), len(scenario.workloads))
            self.tally.engines += 1
            keep_for_good()
            events = []
        if cache.makers.changed:
            cache.makers.changed = False
            sources, findings = cache.makers.told()
            self._notices.tell([*cache.queues.sources(), *sources], [*cache.queues.catalog.findings, *findings])
        for name, uid, trouble in cache.nodes.trouble():
            self._spoiled(NODES, Unreadable("", name, uid, trouble))
        self._words.ignored()
        now = cache.clock.now()
        self._metrics.incomplete.set(len(cache.lacking))
        if not events and self._engine.idle(now):
            self._metrics.idle()
            self._words.incomplete()
            return
        started = time.monotonic()
        self._journal.told(events, now)
        plan = self._engine.cycle(events, now)
        spent = time.monotonic() - started
        self.tally.deciding += spent
        self.tally.rounds += 1
        self.tally.decisions += plan.decisions
        self._journal.decided(plan, now, self._engine)
        self._metrics.decided(plan, spent)
        self._bury(self._engine)
        self._carry_out(plan, self._engine)

    def _bury(self, engine: Engine) -> None:
        """Give up the pods of nodes that have not been ready for too long."""
        for record, keys, node in engine.workloads.fallen:
            stops = self.cache.fallen(record.workload.name, {record.pod_name(key) for key in keys})
            lost = f"{engine.state.nodes[node].name} has not been ready for too long"
            for stop in stops:
                self._recorder.say(self._mode.about(stop.pod), "NodeLost", lost, action="Deleting")
            self._evictor.bury(stops)

    def _carry_out(self, plan: Plan, engine: Engine) -> None:
        stops = self.cache.stopped(plan)
        bindings = self.cache.decided(plan)
        self._evictor.add(stops)
        self.tally.evicted += len(stops)
        for stop in stops:
            about = self._mode.about(stop.pod)
            self._recorder.say(about, "Preempted", f"makes room for {stop.beneficiary}", action="Preempting")
        self._metrics.binding([one.pod.uid for one in bindings])
        self._binder.add(bindings)
        for entry in plan.workloads:
            self._words.reason(entry)
        self._words.surplus(engine)
        self._words.clearing(self._binder.clearing())
        self._words.incomplete()

    def _bound(self, binding: Binding) -> None:
        self.tally.bound += 1
        self._metrics.bound(binding.pod.uid)
        self._announcer.forget(binding.pod)
        said = self._mode.placed(binding)
        if said is not None:
            self._recorder.say(self._mode.about(binding.pod), said.reason, said.note, action=said.action)

    def _bind_failed(self, binding: Binding, answer: Answer) -> None:
        self.tally.failed += 1
        self._metrics.failed(binding.pod.uid, answer.outcome.value)
        log.warning("%s of %s/%s to %s: %s", self._mode.deed, *binding.pod[:2], binding.node, answer.message)
        self._feeds.news.set()

    def _stays(self, stop: Stop, answer: Answer) -> None:
        log.warning("eviction of %s/%s: %s", *stop.pod[:2], answer.message)
        self._metrics.stayed()
        self._binder.withdraw(stop.beneficiary)
        self.cache.pods.stays(stop.pod.uid)
        self._feeds.news.set()

    def _spoiled(self, resource: Resource, what: Unreadable) -> None:
        log.warning("%s %s/%s cannot be read: %s", resource.kind, what.namespace, what.name, what.message)
        about = Regarding(resource, what.namespace, what.name, what.uid)
        self._recorder.say(about, UNREADABLE, what.message, warning=True, action="Reading")

    def _wake(self) -> float:
        """Return in how many seconds a round is due although nothing happens."""
        waits = [PULSE]
        if (held := self.cache.wake()) is not None:
            waits.append(held)
        if self._engine is not None:
            times = self._engine.wake_times()
            if times:
                waits.append(max(0.0, (min(times) - self.cache.clock.now()) / MICROSECOND))
        return min(waits) + SHORTEST


def keep_for_good() -> None:
    """Tell the garbage collector that what a new engine knows is there to stay: no need to look through it again.

    With everything old put aside, its own thresholds would have it look through all that is new every few moments.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group of tasks."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
