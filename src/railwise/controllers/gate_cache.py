"""The cache of gate mode: pods are taken in without our marks, so that cache and engine are those of the scheduler.

What the engine takes for running is here *released*: told where to go, and not yet bound by the stock scheduler. Such
pods are kept as the API has them too, because whether they arrive has to be watched (``gate_watch.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from railwise.controllers.cache import LIVE_POLICY, ClusterCache
from railwise.controllers.clocks import LiveClock
from railwise.controllers.makers import Maker
from railwise.controllers.node_book import NodeBook
from railwise.controllers.pod_book import PodBook
from railwise.controllers.roles import ENDED
from railwise.engine.cycle import Event
from railwise.formats.kubernetes.gangs import key_of, namespace
from railwise.formats.kubernetes.gate_jobs import Hold, as_maker, hold_of, is_placeholder, refusal_of, shown
from railwise.formats.kubernetes.gate_marks import GATE, as_ours, released_to
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Part, Pod, PodStatus
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario

OURS = GATE
"""The scheduler that the cache believes our pods to name."""


class Condition(Part, frozen=True):
    """A condition of a pod with its reason and message."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class SeenStatus(PodStatus, frozen=True):
    """The state of a pod, with what the stock scheduler says of it."""

    conditions: tuple[Condition, ...] = ()

    def scheduled(self) -> Condition:
        """Return the condition ``PodScheduled``; an empty one if there is none."""
        return next((one for one in self.conditions if one.type == "PodScheduled"), Condition())


class SeenPod(Pod, frozen=True):
    """A pod, with what the stock scheduler says of it."""

    status: SeenStatus = SeenStatus()


class GatePods(PodBook):
    """Pods by uid, without our marks, and placeholders of Jobs that are held as a whole.

    ``released`` holds, as they are, pods that were told where to go and are not bound yet; ``jobs`` holds Jobs that are
    held by the key of their gang, and ``refused`` those that cannot be, with the reason. A Job may have news of
    hundreds of pods in one round, so what is seen of it is brought up to date once a round, by ``settle``.
    """

    kind = SeenPod

    def __init__(self, scheduler: str, nodes: NodeBook, steady: Callable[[], float] = time.monotonic) -> None:
        """Start empty; pods that pass the gate are taken to name ``scheduler``."""
        super().__init__(scheduler, nodes, steady)
        self.released: dict[str, SeenPod] = {}
        self.jobs: dict[ObjectName, Job] = {}
        self.refused: dict[ObjectName, tuple[Job, str]] = {}
        self._made: dict[ObjectName, dict[str, Pod]] = {}
        self._maker: dict[str, ObjectName] = {}
        self._placeholders: dict[ObjectName, set[str]] = {}
        self._halted: set[ObjectName] = set()
        self._stale: dict[ObjectName, None] = {}

    def put(self, pod: Pod) -> None:
        """Take in a pod as it is now."""
        uid, key = pod.metadata.uid, key_of(pod.metadata, pod.spec)
        if key.kind == "job":
            self._made.setdefault(key, {})[uid] = pod
            self._maker[uid] = key
            if key in self.jobs:
                self._stale[key] = None
                if not _on_its_way(pod):
                    self.released.pop(uid, None)
                return
        self._put(pod, as_ours(pod, self.scheduler), released=bool(released_to(pod)))

    def settle(self) -> None:
        """Show held Jobs of which there was news as they are now."""
        stale, self._stale = self._stale, {}
        for key in stale:
            if key in self.jobs:
                self._show(key)

    def _put(self, pod: Pod, seen: Pod, *, released: bool) -> None:
        if isinstance(pod, SeenPod) and released and _on_its_way(pod):
            self.released[pod.metadata.uid] = pod
        else:
            self.released.pop(pod.metadata.uid, None)
        super().put(seen)

    def drop(self, uid: str) -> None:
        """Forget a pod that is gone."""
        self.released.pop(uid, None)
        key = self._maker.pop(uid, None)
        if key is not None:
            self._made[key].pop(uid, None)
            if not self._made[key]:
                del self._made[key]
            self._stale[key] = None
        super().drop(uid)

    def replace(self, pods: Sequence[Pod]) -> None:
        """Take in all pods there are; placeholders stay as long as their Jobs do."""
        there = {pod.metadata.uid for pod in pods}
        for uid in {*self.pods, *self._maker} - there:
            if not is_placeholder(uid):
                self.drop(uid)
        for pod in pods:
            self.put(pod)

    def put_job(self, job: Job) -> None:
        """Take in a Job as it is now."""
        key = _key(job)
        before, refusal, hold = self.jobs.get(key), refusal_of(job), hold_of(job)
        self.refused.pop(key, None)
        if hold is Hold.WAITING and refusal:
            self.refused[key] = job, refusal
        if hold is Hold.NONE or refusal:
            if before is not None:
                self.drop_job(before.metadata.uid)
            return
        self.jobs[key] = job
        if hold is Hold.WAITING:
            self._halted.discard(key)
        self._stale[key] = None

    def drop_job(self, uid: str) -> None:
        """Forget a Job that is gone, or is not held any more; its pods are what they are by themselves."""
        key = next((key for key, job in self.jobs.items() if job.metadata.uid == uid), None)
        if key is not None:
            del self.jobs[key]
            self.halt(key)
            self._halted.discard(key)
            for pod in list(self._made.get(key, {}).values()):
                self.put(pod)

    def halt(self, key: ObjectName) -> None:
        """Hear that a Job is being suspended: it has no claim to places for pods that do not exist."""
        self._halted.add(key)
        for uid in self._placeholders.pop(key, set()):
            super().drop(uid)

    def made_by(self, key: ObjectName) -> list[tuple[str, str]]:
        """Return uid and node of the pods that a Job has made, as far as they have a node."""
        self.settle()
        seen = [(uid, self.pods[uid].spec.node_name) for uid in self._made.get(key, {}) if uid in self.pods]
        return [(uid, node) for uid, node in seen if node]

    def resume(self, key: ObjectName) -> None:
        """Hear that a Job could not be suspended."""
        self._halted.discard(key)
        self._stale[key] = None

    def _show(self, key: ObjectName) -> None:
        job, made = self.jobs[key], self._made.get(key, {})
        seen = {} if key in self._halted else shown(job, made.values(), self.scheduler)
        kept = {uid for uid in seen if is_placeholder(uid)}
        for uid in self._placeholders.get(key, set()) - kept:
            super().drop(uid)
        self._placeholders[key] = kept
        for uid, pod in made.items():
            self._put(pod, seen.get(uid, pod), released=uid in seen)
        for uid in kept:
            super().put(seen[uid])


def _on_its_way(pod: Pod) -> bool:
    """Return whether a pod is neither bound nor going away."""
    return pod.metadata.deletion_timestamp is None and pod.status.phase not in ENDED and not pod.spec.node_name


def _key(job: Job) -> ObjectName:
    return ObjectName(namespace(job.metadata), "job", job.metadata.name)


class GateCache(ClusterCache):
    """Nodes, pods and their makers, for the gate."""

    pods: GatePods

    def __init__(
        self,
        levels: str = "",
        clock: LiveClock | None = None,
        steady: Callable[[], float] = time.monotonic,
        policy: Policy = LIVE_POLICY,
        scheduler: str = OURS,
    ) -> None:
        """Start empty; ``steady`` gives seconds by which pods are waited for and held back.

        Pods that pass the gate are taken to name ``scheduler``, as others may by themselves.
        """
        super().__init__(scheduler, levels, clock, steady, policy)
        self.pods = GatePods(scheduler, self.nodes, steady)

    def begin(self) -> Scenario:
        """Return everything as one scenario, for a new engine; all that was marked is told by it."""
        self.pods.settle()
        return super().begin()

    def events(self) -> list[Event] | None:
        """Return what the engine has to be told; None: it has to be made anew from ``begin``."""
        self.pods.settle()
        return super().events()

    def put_maker(self, maker: Maker) -> None:
        """Take in what makes pods as it is now."""
        if isinstance(maker, Job):
            self.pods.put_job(maker)
            maker = as_maker(maker, self.pods.scheduler) if _key(maker) in self.pods.jobs else maker
        super().put_maker(maker)

    def drop_maker(self, uid: str, *, gone: bool = True) -> None:
        """Forget what makes pods; not ``gone``: it is only seen no more."""
        super().drop_maker(uid, gone=gone)
        self.pods.drop_job(uid)

    def job_of(self, workload: str) -> Job | None:
        """Return the held Job that a workload stands for, None if it is none."""
        gang = self.pods.by_name.get(workload)
        return None if gang is None else self.pods.jobs.get(gang.key)
