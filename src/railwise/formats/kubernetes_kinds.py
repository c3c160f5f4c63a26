"""The kinds that make pods, as typed structures: Jobs, JobSets, and so many copies of one template.

They matter before their pods exist: a Job that was just submitted is already a gang that can be planned.
"""

from __future__ import annotations

from railwise.formats.kubernetes_schema import Condition, Meta, Part, Template


class JobSpec(Part):
    """A Job: so many pods at once."""

    parallelism: int | None = None
    completions: int | None = None
    suspend: bool = False
    completion_mode: str = ""
    template: Template = Template()


class ControllerStatus(Part):
    """How far a Job or JobSet has come."""

    succeeded: int = 0
    conditions: tuple[Condition, ...] = ()

    def finished(self) -> bool:
        """Return whether it has completed or failed for good."""
        ends = ("Complete", "Completed", "Failed")
        return any(condition.type in ends and condition.status == "True" for condition in self.conditions)


class Job(Part):
    """A batch Job."""

    metadata: Meta = Meta()
    spec: JobSpec = JobSpec()
    status: ControllerStatus = ControllerStatus()


class JobTemplate(Part):
    """The Job that a JobSet makes copies of."""

    metadata: Meta = Meta()
    spec: JobSpec = JobSpec()


class ReplicatedJob(Part):
    """Equal Jobs of a JobSet."""

    name: str = ""
    replicas: int = 1
    template: JobTemplate = JobTemplate()


class JobSetSpec(Part):
    """The Jobs of a JobSet."""

    replicated_jobs: tuple[ReplicatedJob, ...] = ()
    suspend: bool = False


class JobSet(Part):
    """A JobSet."""

    metadata: Meta = Meta()
    spec: JobSetSpec = JobSetSpec()
    status: ControllerStatus = ControllerStatus()


class ReplicasSpec(Part):
    """So many equal pods: Deployment, ReplicaSet, StatefulSet."""

    replicas: int = 1
    template: Template = Template()


class Replicas(Part):
    """A Deployment, ReplicaSet or StatefulSet."""

    metadata: Meta = Meta()
    spec: ReplicasSpec = ReplicasSpec()


class LeaderWorkerTemplate(Part):
    """One leader and ``size - 1`` workers."""

    size: int = 1
    leader_template: Template | None = None
    worker_template: Template = Template()


class LeaderWorkerSpec(Part):
    """So many groups of one leader and its workers."""

    replicas: int = 1
    leader_worker_template: LeaderWorkerTemplate = LeaderWorkerTemplate()


class LeaderWorkerSet(Part):
    """A LeaderWorkerSet."""

    metadata: Meta = Meta()
    spec: LeaderWorkerSpec = LeaderWorkerSpec()


class PriorityClass(Part):
    """A priority class."""

    metadata: Meta = Meta()
    value: int = 0
    global_default: bool = False


class Gang(Part):
    """The demand that so many pods start together."""

    min_count: int = 0


class SchedulingPolicy(Part):
    """How the pods of an upstream PodGroup start: all together, or each alone."""

    gang: Gang | None = None
    basic: dict[str, object] | None = None


class TopologyKey(Part):
    """A node label whose value all pods must share."""

    key: str = ""


class SchedulingConstraints(Part):
    """Where the pods of an upstream PodGroup may lie."""

    topology: tuple[TopologyKey, ...] = ()


class PodGroupSpec(Part):
    """The rules of an upstream PodGroup."""

    scheduling_policy: SchedulingPolicy = SchedulingPolicy()
    scheduling_constraints: SchedulingConstraints = SchedulingConstraints()


class PodGroup(Part):
    """A PodGroup of the API group scheduling.k8s.io."""

    metadata: Meta = Meta()
    spec: PodGroupSpec = PodGroupSpec()
