"""A job stream on a cluster: which pods a job becomes there, in which queue, and what was decided on the way.

A published job says how many cards it had, not how they lay, and it ran on another cluster than the one it is replayed
on. The rule: a job of no more cards than a node's worth is one pod; a larger one is a gang of whole nodes' worth and,
if cards are left, one pod with the rest; all of its pods start together or not at all. A node's worth is the number of
cards of those nodes that hold most of the cluster's cards. Where the stream says how many pods were asked for, those
are the pods, and a pod that is larger than a node's worth is cut by the same rule. No card is lost or invented by it.

A virtual cluster, account or user becomes a queue. Nobody published quotas, so each is promised the whole cluster: the
turn is that of the queue that holds least, and what runs stays, because a trace knows no checkpoints and evicting would
cost all the work done. Where evicting is allowed, the queues have no quota and share evenly, what runs included. Jobs
that a trace calls evictable always are; their queues have no quota either. Queues of the cluster keep their own rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import msgspec

from railwise.formats.traces.clusters import CARD, node_worth, whole
from railwise.formats.traces.intake import fitting
from railwise.formats.traces.job_trace import JobTrace, TraceJob, TracePart
from railwise.model.natural import natural_key
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRequest,
    CardRule,
    Checkpoint,
    Group,
    Request,
    Traffic,
    Workload,
)


class ReplayOptions(msgspec.Struct, frozen=True):
    """What to add to a stream, which knows none of it.

    ``pattern`` is the traffic of gangs that tell none (empty: none). ``evict`` says whether running jobs may be
    evicted, and ``checkpoint`` how often they save their work, in µs (0: never).
    """

    pattern: str = ""
    evict: bool = False
    checkpoint: int = 0


class Replay:
    """A stream on a cluster: ``scenario``, and ``notes`` on what was decided. Workloads of the cluster are left out."""

    def __init__(self, trace: JobTrace, cluster: Scenario, options: ReplayOptions = ReplayOptions()) -> None:  # noqa: B008
        """Make the scenario."""
        self.notes: list[str] = []
        self._options = options
        self._counts: Counter[str] = Counter()
        self._named: dict[str, str] = {}
        self._taken: set[str] = set()
        self._roots: dict[tuple[object, ...], Group] = {}
        self._checkpoint = Checkpoint(options.checkpoint) if options.checkpoint else None
        self._own = frozenset(queue.name for queue in cluster.queues)
        self._worth = max(node_worth(cluster), 1)
        self._listed = frozenset(name for node in cluster.nodes for name in node.resources) & {"cpu", "memory"}
        self._models = frozenset(cards.model for node in cluster.nodes for cards in node.cards if cards.model)
        workloads = tuple(self._workload(job, order) for order, job in enumerate(trace.jobs))
        self._tell(trace, cluster, workloads)
        self.scenario = replace(
            cluster,
            name=f"{trace.kind}-on-{cluster.name}" if cluster.name else trace.kind,
            queues=cluster.queues + self._queues(workloads, cluster),
            workloads=workloads,
            warnings=(*cluster.warnings, *trace.notes, *self.notes),
        )

    def _queues(self, workloads: tuple[Workload, ...], cluster: Scenario) -> tuple[Queue, ...]:
        """Return a queue for each name that is none of the cluster's; none where nobody has a queue."""
        new = sorted({workload.queue for workload in workloads} - self._own, key=natural_key)
        soft = {workload.queue for workload in workloads if workload.preemptible}
        if not self._own and new == ["default"]:
            return ()
        return tuple(Queue(name, quota={} if name in soft else whole(cluster)) for name in new)

    def _workload(self, job: TraceJob, order: int) -> Workload:
        root = self._root(job)
        gang = root.pods > 1 or bool(root.groups)
        pattern = job.traffic or (self._options.pattern if gang else "")
        if job.duration == 0:
            self._counts["jobs of no duration, which take 1 µs"] += 1
        queue = self._queue(job.queue)
        return Workload(
            name=job.name,
            root=root,
            queue=queue,
            priority=job.priority,
            submit=job.submit,
            order=order,
            kind=job.kind,
            elastic=any(part.least for part in job.parts),
            preemptible=self._options.evict or bool(job.evictable) or queue in self._own,
            duration=0 if job.duration is None else max(job.duration, 1),
            checkpoint=self._checkpoint,
            traffic=Traffic(pattern) if pattern else None,
        )

    def _queue(self, published: str) -> str:
        """Return the name of a queue; two that differ only in letters that a name cannot have are told apart."""
        found = self._named.get(published)
        if found is None:
            name = found = fitting(published) or "default"
            number = 2
            while found in self._taken and name != "default":
                found = f"{name}-{number}"
                number += 1
            self._named[published] = found
            self._taken.add(found)
        return found

    def _root(self, job: TraceJob) -> Group:
        """Return the group of a job; equal jobs share one."""
        parts = job.parts or (TracePart("", job.gpus, job.pods, job.cpu, job.memory),)
        key = (parts, job.models)
        root = self._roots.get(key)
        if root is None:
            groups = [group for part in parts for group in self._groups(part, self._rule(job.models))]
            if len(groups) == 1:
                root = replace(groups[0], name="")
            else:
                root = Group(groups=tuple(groups), min_groups=len(groups))
            self._roots[key] = root
        if job.gpus > self._worth * CARD and not job.parts and not job.pods:
            self._counts[f"jobs of more than {self._worth} GPUs, now gangs of whole nodes' worth"] += 1
        return root

    def _rule(self, models: tuple[str, ...]) -> CardRule:
        known = tuple(model for model in models if model in self._models)
        if models and not known:
            self._counts["kinds of jobs whose card models this cluster does not have, so that any card will do"] += 1
        return CardRule(models=known)

    def _groups(self, part: TracePart, rule: CardRule) -> list[Group]:
        """Return the part as groups of equal pods."""
        runs = pods_of(part.gpus, part.pods, self._worth)
        groups = []
        for place, (count, cards) in enumerate(runs):
            name = part.name or ("nodes" if not place else "rest")
            if place and part.name:
                name = f"{part.name}-rest"
            least = min(part.least, count) or count
            groups.append(Group(name, count, least, self._request(part, cards, sum(run[0] for run in runs)), rule))
        return groups

    def _request(self, part: TracePart, cards: CardRequest, pods: int) -> Request:
        """Return what one pod asks for; CPU and memory go with the cards, evenly where there are none."""
        held = _thousandths(cards)
        resources = []
        for name, amount in (("cpu", part.cpu), ("memory", part.memory)):
            if amount and name in self._listed:
                own = -(-amount * held // part.gpus) if part.gpus else -(-amount // pods)
                resources.append((name, own))
        return Request(cards, tuple(resources))

    def _tell(self, trace: JobTrace, cluster: Scenario, workloads: tuple[Workload, ...]) -> None:
        tell = self.notes.append
        for what, count in self._counts.items():
            tell(f"{trace.kind}: {what}: {count:,}")
        if any(job.cpu for job in trace.jobs) and "cpu" not in self._listed:
            tell(f"{trace.kind}: the cluster does not say how many CPUs its nodes have: requests of CPU not counted")
        if any(job.memory for job in trace.jobs) and "memory" not in self._listed:
            tell(f"{trace.kind}: the cluster does not say how much memory its nodes have: requests of it not counted")
        if not all(workload.preemptible for workload in workloads):
            why = "no checkpoints known: " if not self._options.checkpoint else ""
            tell(f"{trace.kind}: {why}what runs is not evicted unless --assume evict=yes")
        if any(workload.queue in self._own for workload in workloads):
            tell(f"{trace.kind}: jobs in queues of the cluster's own may be evicted, and then start again")
        if cluster.workloads:
            tell(f"{trace.kind}: workloads of the cluster's own, left out: {len(cluster.workloads):,}")
        endless = sum(1 for job in trace.jobs if job.duration is None)
        if endless:
            tell(f"{trace.kind}: jobs without an end in the trace, which run on: {endless:,}")


def combine(trace: JobTrace, cluster: Scenario, options: ReplayOptions = ReplayOptions()) -> Scenario:  # noqa: B008 -- frozen
    """Return the cluster with the stream's jobs in place of its own workloads; notes are among the warnings."""
    return Replay(trace, cluster, options).scenario


def pods_of(gpus: int, pods: int, worth: int) -> list[tuple[int, CardRequest]]:
    """Return (pods, what each asks for) of ``gpus`` thousandths of a card, as told above; ``pods`` 0: not told."""
    if not gpus:
        return [(pods or 1, CardRequest(CARDS_NONE))]
    fits = pods and gpus % pods == 0 and (gpus % CARD or gpus // pods % CARD == 0 or gpus < pods * CARD)
    told = pods if fits else 1
    each = gpus // told
    if each < CARD:
        return [(told, CardRequest(CARDS_SHARE, 1, each))]
    if each % CARD:
        count = -(-each // CARD)
        return [(told, CardRequest(CARDS_SHARE, count, -(-each // count)))]
    nodes, rest = divmod(each // CARD, worth)
    runs = []
    if nodes:
        runs.append((told * nodes, CardRequest(CARDS_WHOLE, worth)))
    if rest:
        runs.append((told, CardRequest(CARDS_WHOLE, rest)))
    return runs


def _thousandths(cards: CardRequest) -> int:
    return cards.count * (cards.fraction or CARD) if cards.kind != CARDS_NONE else 0
