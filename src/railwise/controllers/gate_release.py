"""Letting pods through the gate: each is told its node and released in one patch, a gang all at the same time.

A pod that is released cannot be held again. So nobody of a gang is released while a victim still holds room that the
gang counts on, or if one of its pods or nodes is no longer as it was when the plan was made: the whole waits for the
next plan instead. A Job that is held as a whole is let through by one patch of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import groupby

from railwise.controllers.binder import Batch, Binder
from railwise.controllers.cache import Binding
from railwise.controllers.gate_cache import GateCache
from railwise.formats.kubernetes.gate_jobs import let_through, planned, pods_of
from railwise.formats.kubernetes.gate_marks import GATE, NODE, is_gated, pinned, released_to, required, terms_of
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.client import STRATEGIC, Client, decoded
from railwise.kubeapi.errors import (
    ApiError,
    ConflictError,
    DeposedError,
    NotFoundError,
    ServerError,
    ThrottledError,
    UnreachableError,
)
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import Answer, Outcome
from railwise.kubeapi.resources import JOBS, PODS


class Releaser(Binder):
    """Releases gated pods and held Jobs of one cache through one fenced client."""

    def __init__(
        self,
        client: Client,
        cache: GateCache,
        done: Callable[[Binding], None],
        failed: Callable[[Binding, Answer], None],
    ) -> None:
        """Keep whom to tell what became of each release."""
        super().__init__(client, cache, done, failed)
        self._jobs = cache

    def batches(self, bindings: Iterable[Binding]) -> Iterable[Batch]:
        """Return which pods are released together: those of one gang that a plan has placed."""
        return (tuple(batch) for _, batch in groupby(bindings, key=lambda one: one.workload))

    def start(self, batch: Batch) -> None:
        """Begin to release pods, or the Job whose placeholders they are."""
        job = self._jobs.job_of(batch[0].workload)
        if job is None:
            super().start(batch)
        else:
            self.work(self._start_job(job, batch))

    async def send(self, binding: Binding) -> Answer:
        """Tell a pod its node and lift the gate, and ask how it stands until that is known.

        A pod that was let through without our knowing would have its room given away a second time.

        Raises:
            DeposedError: this process may no longer lead; nothing was sent.
        """
        pod = self.cache.pods.pods.get(binding.pod.uid)
        if pod is None:
            return Answer(Outcome.GONE, f"{binding.pod.name} is gone")
        where, patch = binding.pod[:2], release(pod, binding.node)
        for pause in pauses():
            answer = await answered(self.client.patch(PODS, *where, patch, content_type=STRATEGIC))
            if answer.outcome in (Outcome.DONE, Outcome.GONE):
                break
            found = await self._standing(binding, answer)
            if found is not None:
                return found
            await asyncio.sleep(pause)
        return answer

    async def _standing(self, binding: Binding, answer: Answer) -> Answer | None:
        """Return how a pod stands after a release whose outcome is open; None: to be tried again."""
        try:
            pod = await self.client.find(PODS, Pod, *binding.pod[:2])
        except ApiError:
            return None
        if pod is None or pod.metadata.uid != binding.pod.uid:
            return Answer(Outcome.GONE, answer.message)
        there = released_to(pod)
        if there:
            return Answer(Outcome.DONE if there == binding.node else Outcome.ELSEWHERE, answer.message, there)
        again = is_gated(pod) and answer.outcome is Outcome.UNKNOWN and self.cache.wanted(binding)
        return None if again else Answer(Outcome.REFUSED, answer.message)

    async def _start_job(self, job: Job, batch: Batch) -> None:
        gang = self.cache.pods.by_name.get(batch[0].workload)
        places = gang.places if gang is not None else {}
        nodes = [places.get(("", rank), "") for rank in range(len(places))]
        try:
            if len(batch) == len(nodes) == pods_of(job) and all(nodes):
                answer = await start_job(self.client, job, nodes)
            else:
                answer = Answer(Outcome.REFUSED, "not all pods of the Job are placed")
        except DeposedError:
            self.deposed.set()
            return
        for index, binding in enumerate(batch):
            self.ended(binding, answer, tell=index == 0)


async def start_job(client: Client, job: Job, nodes: Sequence[str]) -> Answer:
    """Let a held Job through, the pods of rank 0, 1, … to these nodes, and ask how it stands until that is known.

    Its controller writes its status just after it was made, or suspended; that is no reason to plan it anew.

    Raises:
        DeposedError: this process may no longer lead; nothing was sent.
    """
    meta, now = job.metadata, job
    for pause in pauses():
        answer = await answered(_begin(client, now, nodes))
        if answer.outcome is not Outcome.UNKNOWN:
            break
        try:
            found = await client.find(JOBS, Job, meta.namespace, meta.name)
        except ApiError:
            await asyncio.sleep(pause)
            continue
        if found is None or found.metadata.uid != meta.uid:
            return Answer(Outcome.GONE, answer.message)
        if not found.spec.suspend and planned(found) == list(nodes):
            return Answer(Outcome.DONE)
        if found.spec != job.spec:
            return Answer(Outcome.REFUSED, answer.message)
        now = found
        await asyncio.sleep(pause)
    return answer


async def _begin(client: Client, job: Job, nodes: Sequence[str]) -> None:
    """Write nodes into a Job and end its suspension.

    The API takes changes of a template only while the Job has not begun. One that was stopped has; that is taken back
    first, as its controller would not.
    """
    meta = job.metadata
    where, version = (meta.namespace, meta.name), meta.resource_version
    if job.status.start_time is not None:
        body = {"metadata": {"uid": meta.uid, "resourceVersion": version}, "status": {"startTime": None}}
        data = await client.patch(JOBS, *where, body, sub="status")
        version = decoded(PartialObject, data, meta.name).metadata.resource_version
    await client.patch(JOBS, *where, let_through(job, nodes, version))


def pauses() -> Iterator[float]:
    """Yield seconds to wait before each further try, for ever."""
    pause = 0.05
    while True:
        yield pause
        pause = min(2 * pause, 10.0)


async def answered(doing: Awaitable[object]) -> Answer:
    """Return what became of a write that may be done twice.

    Raises:
        DeposedError: this process may no longer lead; nothing was sent.
    """
    try:
        await doing
    except DeposedError:
        raise
    except NotFoundError as error:
        return Answer(Outcome.GONE, str(error))
    except (ConflictError, ServerError, ThrottledError, UnreachableError) as error:
        return Answer(Outcome.UNKNOWN, str(error))
    except ApiError as error:
        return Answer(Outcome.REFUSED, str(error))
    return Answer(Outcome.DONE)


def release(pod: Pod, node: str) -> dict[str, object]:
    """Return the patch that tells a pod its node and lifts our gate, of this very pod only."""
    return {
        "metadata": {"uid": pod.metadata.uid, "annotations": {NODE: node}},
        "spec": {
            "affinity": required(pinned(terms_of(pod.spec), (node,))),
            "schedulingGates": [{"name": GATE, "$patch": "delete"}],
        },
    }
