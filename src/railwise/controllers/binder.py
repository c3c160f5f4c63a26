"""Binding what a plan has placed: many at once, each checked again before it leaves, none into room not yet free.

A plan may count on room that victims still hold. A pod may only be bound there once they are gone, since the kubelet
refuses what does not fit; so bindings to a node that somebody is leaving wait here. Between plan and bind the world may
have changed: a binding that is no longer wanted is dropped, and the cache already knows why.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from railwise.controllers.cache import Binding, ClusterCache
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import Answer, Outcome, PodName, bind

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""Seconds that a pod waits after a bind that failed: doubled each time."""


Batch = tuple[Binding, ...]
"""Bindings that begin at the same time: when nobody leaves any of their nodes."""


class Binder:
    """Binds pods of one cache through one fenced client."""

    def __init__(
        self,
        client: Client,
        cache: ClusterCache,
        bound: Callable[[Binding], None],
        failed: Callable[[Binding, Answer], None],
    ) -> None:
        """Keep whom to tell what became of each binding."""
        self.client = client
        self.cache = cache
        self._bound = bound
        self._failed = failed
        self._parked: list[Batch] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}
        self.deposed = asyncio.Event()

    def batches(self, bindings: Iterable[Binding]) -> Iterable[Batch]:
        """Return which bindings begin together: here each pod by itself."""
        return ((one,) for one in bindings)

    def add(self, bindings: Iterable[Binding]) -> None:
        """Begin to bind, or wait for those who leave the nodes."""
        self._begin(self.batches(bindings))

    def look_again(self) -> None:
        """Begin with what waited for somebody to leave, where nobody does any more."""
        if self._parked:
            parked, self._parked = self._parked, []
            self._begin(parked)

    def _begin(self, batches: Iterable[Batch]) -> None:
        leaving = set(self.cache.pods.leaving.values())
        beside = bool(leaving) and self.cache.pods.some_matter()
        for batch in batches:
            if any(one.node in leaving or (beside and self.cache.minds_others(one)) for one in batch):
                self._parked.append(batch)
            elif all(self.cache.wanted(one) for one in batch):
                self.start(batch)
            else:
                self._drop(batch)

    def clearing(self) -> dict[str, int]:
        """Return the workloads that wait for somebody to leave, and how many pods have to go from their nodes.

        Who minds others, by a rule between pods, may have to wait for pods of other nodes.
        """
        leaving = Counter(self.cache.pods.leaving.values())
        nodes: dict[str, set[str]] = {}
        for batch in self._parked:
            for one in batch:
                nodes.setdefault(one.workload, set()).add(one.node)
        everybody = leaving.total()
        return {one: sum(leaving[node] for node in there) or everybody for one, there in nodes.items()}

    def withdraw(self, workload: str) -> None:
        """Drop what waits here for a workload; its pods wait for another plan."""
        parked, self._parked = self._parked, []
        for batch in parked:
            if batch[0].workload == workload:
                self._drop(batch)
            else:
                self._parked.append(batch)

    def _drop(self, batch: Batch) -> None:
        for one in batch:
            self.cache.pods.refute(one.pod.uid)

    def busy(self) -> int:
        """Return how many bindings are on their way."""
        return len(self._tasks)

    async def finish(self, seconds: float) -> None:
        """Wait for the bindings on their way; what takes longer is given up."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def start(self, batch: Batch) -> None:
        """Begin with bindings that are wanted, and whose nodes nobody leaves."""
        for binding in batch:
            self.work(self._bind(binding))

    def work(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do something that ``finish`` waits for."""
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def send(self, binding: Binding) -> Answer:
        """Carry a binding out.

        Raises:
            DeposedError: this process may no longer lead; nothing was sent.
        """
        return await bind(self.client, PodName(*binding.pod), binding.node)

    async def _bind(self, binding: Binding) -> None:
        try:
            answer = await self.send(binding)
        except DeposedError:
            self.deposed.set()
            return
        self.ended(binding, answer)

    def ended(self, binding: Binding, answer: Answer, *, tell: bool = True) -> None:
        """Take in what became of a binding; unless ``tell``, a failure has been told of another one of its batch."""
        uid = binding.pod.uid
        if answer.outcome is Outcome.DONE:
            self._failures.pop(uid, None)
            self._bound(binding)
            return
        count = self._failures[uid] = self._failures.get(uid, 0) + 1
        self.cache.pods.refute(uid, min(FIRST_PAUSE * 2.0 ** (count - 1), LONGEST_PAUSE))
        if answer.outcome in (Outcome.GONE, Outcome.ELSEWHERE):
            self._failures.pop(uid, None)
        if tell:
            self._failed(binding, answer)
