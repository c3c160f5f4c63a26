"""The kinds that make pods, as typed structures: Jobs, JobSets, and so many copies of one template.

They matter before their pods exist: a Job that was just submitted is already a gang that can be planned.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from railwise.formats.kubernetes.schema import Condition, Meta, Part, Template

MOST_PODS = 1_000_000
"""No object makes more pods at once."""

Number = Annotated[int, msgspec.Meta(ge=0, le=MOST_PODS)]
"""A number of pods or of copies."""


class JobSpec(Part, frozen=True):
    """A Job: so many pods at once."""

    parallelism: Number | None = None
    completions: Annotated[int, msgspec.Meta(ge=0)] | None = None
    suspend: bool = False
    completion_mode: str = ""
    template: Template = Template()


class ControllerStatus(Part, frozen=True):
    """How far a Job or JobSet has come."""

    succeeded: Annotated[int, msgspec.Meta(ge=0)] = 0
    start_time: object = None
    conditions: tuple[Condition, ...] = ()

    def finished(self) -> bool:
        """Return whether it has completed or failed for good."""
        ends = ("Complete", "Completed", "Failed")
        return any(condition.type in ends and condition.status == "True" for condition in self.conditions)


class Job(Part, frozen=True):
    """A batch Job."""

    metadata: Meta = Meta()
    spec: JobSpec = JobSpec()
    status: ControllerStatus = ControllerStatus()


class JobTemplate(Part, frozen=True):
    """The Job that a JobSet makes copies of."""

    metadata: Meta = Meta()
    spec: JobSpec = JobSpec()


class ReplicatedJob(Part, frozen=True):
    """Equal Jobs of a JobSet."""

    name: str = ""
    replicas: Number = 1
    template: JobTemplate = JobTemplate()


class JobSetSpec(Part, frozen=True):
    """The Jobs of a JobSet."""

    replicated_jobs: tuple[ReplicatedJob, ...] = ()
    suspend: bool = False


class JobSet(Part, frozen=True):
    """A JobSet."""

    metadata: Meta = Meta()
    spec: JobSetSpec = JobSetSpec()
    status: ControllerStatus = ControllerStatus()

    def pods(self) -> int:
        """Return how many pods it makes at once, at least one for each copy of a Job."""
        return sum(job.replicas * max(job.template.spec.parallelism or 1, 1) for job in self.spec.replicated_jobs)


class ReplicasSpec(Part, frozen=True):
    """So many equal pods: Deployment, ReplicaSet, StatefulSet."""

    replicas: Number = 1
    template: Template = Template()


class Replicas(Part, frozen=True):
    """A Deployment, ReplicaSet or StatefulSet."""

    metadata: Meta = Meta()
    spec: ReplicasSpec = ReplicasSpec()


class LeaderWorkerTemplate(Part, frozen=True):
    """One leader and ``size - 1`` workers."""

    size: Number = 1
    leader_template: Template | None = None
    worker_template: Template = Template()


class LeaderWorkerSpec(Part, frozen=True):
    """So many groups of one leader and its workers."""

    replicas: Number = 1
    leader_worker_template: LeaderWorkerTemplate = LeaderWorkerTemplate()


class LeaderWorkerSet(Part, frozen=True):
    """A LeaderWorkerSet."""

    metadata: Meta = Meta()
    spec: LeaderWorkerSpec = LeaderWorkerSpec()

    def pods(self) -> int:
        """Return how many pods it makes."""
        return self.spec.replicas * self.spec.leader_worker_template.size


class PriorityClass(Part, frozen=True):
    """A priority class."""

    metadata: Meta = Meta()
    value: int = 0
    global_default: bool = False
    preemption_policy: str = ""


class Gang(Part, frozen=True):
    """The demand that so many pods start together."""

    min_count: Number = 0


class SchedulingPolicy(Part, frozen=True):
    """How the pods of an upstream PodGroup start: all together, or each alone."""

    gang: Gang | None = None
    basic: dict[str, object] | None = None


class TopologyKey(Part, frozen=True):
    """A node label whose value all pods must share."""

    key: str = ""


class SchedulingConstraints(Part, frozen=True):
    """Where the pods of an upstream PodGroup may lie."""

    topology: tuple[TopologyKey, ...] = ()


class PodGroupSpec(Part, frozen=True):
    """The rules of an upstream PodGroup."""

    scheduling_policy: SchedulingPolicy = SchedulingPolicy()
    scheduling_constraints: SchedulingConstraints = SchedulingConstraints()
    priority_class_name: str = ""
    resource_claims: tuple[object, ...] = ()


class PodGroup(Part, frozen=True):
    """A PodGroup of the API group scheduling.k8s.io."""

    metadata: Meta = Meta()
    spec: PodGroupSpec = PodGroupSpec()
