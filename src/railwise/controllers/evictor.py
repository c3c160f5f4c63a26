"""Making room: pods that a plan stops are evicted by the API, which respects budgets, and watched until they are gone.

The engine has given their room away already. If a pod cannot be evicted, or does not go, that has to be taken back: the
victim holds its room after all, the beneficiary waits for another plan, and the victim is left alone for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from railwise.controllers.cache import ClusterCache, Stop
from railwise.controllers.clocks import MICROSECOND
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, ConflictError, DeposedError
from railwise.kubeapi.pods import Answer, Outcome, PodName, evict
from railwise.kubeapi.resources import PODS

AGAIN = 10.0
"""Seconds after which it is tried again to delete a pod whose node is lost."""


class Evictor:
    """Evicts pods of one cache through one fenced client.

    ``patience`` are the seconds after which a pod that was evicted and is still there no longer counts as leaving: the
    policy's ``victimWait``.
    """

    def __init__(self, client: Client, cache: ClusterCache, refused: Callable[[Stop, Answer], None]) -> None:
        """Keep whom to tell of a victim that stays."""
        self.client = client
        self.cache = cache
        self.refused = refused
        self.patience = cache.policy.victim_wait / MICROSECOND
        self._tasks: set[asyncio.Task[None]] = set()
        self.deposed = asyncio.Event()

    def add(self, stops: Iterable[Stop]) -> None:
        """Begin to evict."""
        for stop in stops:
            self.cache.pods.leaves(stop.pod.uid, stop.node)
            self.work(self._evict(stop))

    def bury(self, stops: Iterable[Stop]) -> None:
        """Delete pods whose node is lost, as the cluster does by itself, only sooner: their owners make others.

        Nobody can say what still runs there, so the pods keep their names until their node, or who removes it, says
        that they have ended.
        """
        for stop in stops:
            self.cache.pods.leaves(stop.pod.uid, stop.node)
            self.work(self._bury(stop))

    def work(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do something until it ends or this one does."""
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Stop waiting for victims."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _bury(self, stop: Stop) -> None:
        pod = stop.pod
        while True:
            try:
                await self.client.delete(PODS, pod.namespace, pod.name, pod.uid)
            except DeposedError:
                self.deposed.set()
            except ConflictError:
                pass
            except ApiError:
                await asyncio.sleep(AGAIN)
                continue
            return

    async def _evict(self, stop: Stop) -> None:
        try:
            answer = await evict(self.client, PodName(*stop.pod))
        except DeposedError:
            self.deposed.set()
            return
        if answer.outcome is Outcome.DONE:
            await asyncio.sleep(self.patience)
            still = f"{stop.pod.name} was evicted and is still there after {self.patience:.0f} s"
            answer = Answer(Outcome.UNKNOWN, still)
        if answer.outcome is not Outcome.GONE and stop.pod.uid in self.cache.pods.leaving:
            self.refused(stop, answer)
