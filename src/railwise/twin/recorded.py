"""A recorded cluster lives on: what runs there holds its places for the rest of its time, and others arrive.

A record says where pods run and since when. How long they are meant to run is known only where somebody wrote it down,
so what is left of the others has to be assumed, or they never end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.formats.beginning import running_since
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload


def with_remaining(scenario: Scenario, remaining: int) -> Scenario:
    """Return a scenario in which running workloads that tell no duration run for ``remaining`` µs more.

    With 0 they never end, as before.
    """

    def timed(workload: Workload) -> Workload:
        since = running_since(workload.root)
        if since is None or workload.duration or not remaining:
            return workload
        return replace(workload, duration=max(-since, 0) + remaining)

    return replace(scenario, workloads=tuple(timed(workload) for workload in scenario.workloads))


def counts(scenario: Scenario) -> tuple[int, int]:
    """Return how many workloads run when the document begins, and how many of them tell no duration."""
    running = [workload for workload in scenario.workloads if running_since(workload.root) is not None]
    return len(running), sum(not workload.duration for workload in running)


def arriving(cluster: Scenario, stream: Scenario, quota: dict[str, int]) -> tuple[Scenario, Sequence[str]]:
    """Return a cluster as it was recorded at which the workloads of a stream arrive, and names that both have.

    ``stream`` is the same cluster with the stream in place of its workloads. A queue that the cluster does not declare
    although its workloads name it is promised ``quota``, like those of the stream, where there are any.
    """
    known = {queue.name for queue in stream.queues}
    named = dict.fromkeys(workload.queue for workload in cluster.workloads)
    own = tuple(Queue(name, quota=quota) for name in named if stream.queues and name not in known)
    first = len(cluster.workloads)
    later = tuple(replace(workload, order=first + workload.order) for workload in stream.workloads)
    here = {workload.name for workload in cluster.workloads}
    twice = [workload.name for workload in later if workload.name in here]
    return replace(stream, queues=stream.queues + own, workloads=(*cluster.workloads, *later)), twice
