"""Making room in gate mode: pods are evicted, Jobs that are held as a whole are suspended again.

To evict the pods of such a Job one by one would only make it create others, which its template sends to the same nodes.
Suspended, it ends its pods itself and waits, and is planned again like a new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from railwise.controllers.cache import Stop
from railwise.controllers.evictor import Evictor
from railwise.controllers.gate_cache import GateCache
from railwise.controllers.gate_release import answered
from railwise.formats.kubernetes.gate_jobs import held_again
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.names import ObjectName
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import Answer, Outcome
from railwise.kubeapi.resources import JOBS


class GateEvictor(Evictor):
    """Evicts pods and suspends Jobs of one cache through one fenced client."""

    def __init__(self, client: Client, cache: GateCache, refused: Callable[[Stop, Answer], None]) -> None:
        """Keep whom to tell of a victim that stays."""
        super().__init__(client, cache, refused)
        self._jobs = cache

    def add(self, stops: Iterable[Stop]) -> None:
        """Begin to make room."""
        single: list[Stop] = []
        whole: dict[ObjectName, list[Stop]] = {}
        for stop in stops:
            job = self._jobs.job_of(stop.workload)
            if job is None:
                single.append(stop)
            else:
                whole.setdefault(self.cache.pods.by_name[stop.workload].key, []).append(stop)
        super().add(single)
        for key, its in whole.items():
            self._stop(key, its)

    def _stop(self, key: ObjectName, stops: list[Stop]) -> None:
        pods, job = self._jobs.pods, self._jobs.pods.jobs[key]
        there = pods.made_by(key)
        for uid, node in there:
            pods.leaves(uid, node)
        pods.halt(key)
        self.work(self._suspend(key, job, stops, [uid for uid, _ in there]))

    async def _suspend(self, key: ObjectName, job: Job, stops: list[Stop], there: list[str]) -> None:
        pods = self._jobs.pods
        meta = job.metadata
        try:
            answer = await answered(self.client.patch(JOBS, meta.namespace, meta.name, held_again(job)))
        except DeposedError:
            self.deposed.set()
            return
        if answer.outcome is Outcome.GONE:
            return
        if answer.outcome is Outcome.DONE:
            await asyncio.sleep(self.patience)
            if not any(uid in pods.leaving for uid in there):
                return
            answer = Answer(Outcome.UNKNOWN, f"{meta.name} was suspended and has pods after {self.patience:.0f} s")
        for uid in there:
            pods.stays(uid)
        pods.resume(key)
        self.refused(stops[0], answer)
