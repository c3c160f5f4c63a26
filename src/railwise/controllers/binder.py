"""Binding what a plan has placed: many at once, each checked again before it leaves, none into room not yet free.

A plan may count on room that victims still hold. A pod may only be bound there once they are gone, since the kubelet
refuses what does not fit; so bindings to a node that somebody is leaving wait here. Between plan and bind the world may
have changed: a binding that is no longer wanted is dropped, and the cache already knows why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from railwise.controllers.cache import Binding, ClusterCache
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import Answer, Outcome, PodName, bind

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""Seconds that a pod waits after a bind that failed: doubled each time."""


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
        self._client = client
        self._cache = cache
        self._bound = bound
        self._failed = failed
        self._parked: dict[str, list[Binding]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}
        self.deposed = asyncio.Event()

    def add(self, bindings: Iterable[Binding]) -> None:
        """Begin to bind, or wait for those who leave the node."""
        leaving = set(self._cache.pods.leaving.values())
        for binding in bindings:
            if binding.node in leaving:
                self._parked.setdefault(binding.node, []).append(binding)
            else:
                self._start(binding)

    def look_again(self) -> None:
        """Begin with what waited for somebody to leave, where nobody does any more."""
        if not self._parked:
            return
        leaving = set(self._cache.pods.leaving.values())
        for node in [node for node in self._parked if node not in leaving]:
            for binding in self._parked.pop(node):
                self._start(binding)

    def withdraw(self, workload: str) -> None:
        """Drop what waits here for a workload; its pods wait for another plan."""
        for node, bindings in list(self._parked.items()):
            kept = [one for one in bindings if one.workload != workload]
            for one in bindings:
                if one.workload == workload:
                    self._cache.pods.refute(one.pod.uid)
            if kept:
                self._parked[node] = kept
            else:
                del self._parked[node]

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

    def _start(self, binding: Binding) -> None:
        if not self._cache.wanted(binding):
            self._cache.pods.refute(binding.pod.uid)
            return
        task = asyncio.create_task(self._bind(binding))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _bind(self, binding: Binding) -> None:
        pod = PodName(*binding.pod)
        try:
            answer = await bind(self._client, pod, binding.node)
        except DeposedError:
            self.deposed.set()
            return
        if answer.outcome is Outcome.DONE:
            self._failures.pop(pod.uid, None)
            self._bound(binding)
            return
        count = self._failures[pod.uid] = self._failures.get(pod.uid, 0) + 1
        self._cache.pods.refute(pod.uid, min(FIRST_PAUSE * 2.0 ** (count - 1), LONGEST_PAUSE))
        if answer.outcome in (Outcome.GONE, Outcome.ELSEWHERE):
            self._failures.pop(pod.uid, None)
        self._failed(binding, answer)
