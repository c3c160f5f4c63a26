"""Which pods belong together: from the objects that make pods, and from the marks those leave on their pods.

A gang is seen twice, as a Job and as the Job's pods, and often only half of it is there: the Job before its pods, or
pods whose Job nobody listed. So both sides are brought to one form, a ``Gang`` known by the object that makes it, and
pods are laid into the gang they name. A pod that nobody made is a gang of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from railwise.formats.kubernetes.annotations import GROUP, PREFIX
from railwise.formats.kubernetes.dialects.grouping import PART_LABELS, Branch, group_key
from railwise.formats.kubernetes.dialects.sayings import Says
from railwise.formats.kubernetes.kinds import Job, JobSet, JobSpec, LeaderWorkerSet, Replicas
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Meta, Pod, PodSpec, Template
from railwise.model.natural import NaturalKey, natural_key

JOB_LABELS = ("batch.kubernetes.io/job-name", "job-name")
JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"
JOBSET_PART = "jobset.sigs.k8s.io/replicatedjob-name"
JOBSET_INDEX = "jobset.sigs.k8s.io/job-index"
LEADER_NAME = "leaderworkerset.sigs.k8s.io/name"
LEADER_GROUP = "leaderworkerset.sigs.k8s.io/group-index"
LEADER_RANK = "leaderworkerset.sigs.k8s.io/worker-index"
TRAINING_NAME = "training.kubeflow.org/job-name"
TRAINING_ROLE = "training.kubeflow.org/job-role"
GROUP_LABELS = ("training.kubeflow.org/replica-type", "ray.io/group", TRAINING_ROLE)
"""Labels by which operators tell the roles inside one gang apart."""

RANK_LABELS = (
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    LEADER_RANK,
    "training.kubeflow.org/replica-index",
    "kueue.x-k8s.io/pod-group-pod-index",
    "volcano.sh/task-index",
)
TEMPLATE_HASH = "pod-template-hash"

ALL = "all"
ONE = "one"
"""How many pods a gang needs unless told otherwise: all of them, or one (copies that work alone)."""

_RANK = re.compile(r"[0-9]{1,9}")


@dataclass
class Member:
    """A pod that is there, with the path of its document."""

    where: str
    pod: Pod

    def rank(self) -> int:
        """Return the rank its maker gave it, -1 if none."""
        meta = self.pod.metadata
        for key in RANK_LABELS:
            text = meta.labels.get(key, meta.annotations.get(key, ""))
            if _RANK.fullmatch(text):
                return int(text)
        return -1


@dataclass
class Part:
    """Equal pods of a gang: how many are wanted, what they look like, and those that are there.

    ``group`` is the name the pods give, of which ``name`` is made unique; ``indexed`` tells that a pod's index is its
    rank here; ``outer`` are further objects whose annotations speak of the part, outermost first. What a PodGroup says
    of it is ``says``, the pods it needs ``min_count`` (0: not said), and it lies in a ``branch``.
    """

    name: str
    pods: int
    where: str
    meta: Meta
    spec: PodSpec
    indexed: bool = False
    outer: tuple[tuple[str, Meta], ...] = ()
    group: str = ""
    members: list[Member] = field(default_factory=list)
    says: Says = field(default_factory=dict)
    branch: str = ""
    min_count: int = 0


@dataclass
class Gang:
    """What becomes one workload. ``meta`` and ``where`` are those of what makes the pods, or of the first pod.

    ``whole`` tells that there is such an object, whose annotations speak of the gang as a whole. ``min_count`` and
    ``required`` come from an upstream PodGroup: pods needed (0: not said) and the level (or label) they must share.
    PodGroups of others say more: what stands in ``says``, and how parts lie in ``branches``.
    """

    key: ObjectName
    where: str
    meta: Meta
    parts: list[Part]
    whole: bool = True
    suspend: bool = False
    kind: str = ""
    needs: str = ALL
    min_count: int = 0
    required: str = ""
    position: int = 0
    says: Says = field(default_factory=dict)
    branches: dict[str, Branch] = field(default_factory=dict)
    min_groups: int = 0


def namespace(meta: Meta) -> str:
    """Return the namespace; what names none is in ``default``."""
    return meta.namespace or "default"


def of_job(where: str, job: Job, position: int) -> Gang | None:
    """Return the gang of a Job: as many pods as run at once; None if it is done or wants none."""
    pods = _pods(job.spec) if job.spec.completions is None else min(_pods(job.spec), _left(job))
    if pods <= 0 or job.status.finished():
        return None
    part = Part("", pods, f"{where}.spec.template", job.spec.template.metadata, job.spec.template.spec)
    part.indexed = job.spec.completion_mode == "Indexed" and job.spec.completions in (None, _pods(job.spec))
    key = ObjectName(namespace(job.metadata), "job", job.metadata.name)
    return Gang(key, where, job.metadata, [part], suspend=job.spec.suspend, position=position)


def _pods(spec: JobSpec) -> int:
    return 1 if spec.parallelism is None else spec.parallelism


def _left(job: Job) -> int:
    return (job.spec.completions or 0) - job.status.succeeded


def of_jobset(where: str, jobset: JobSet, position: int) -> Gang | None:
    """Return the gang of a JobSet: a group for each copy of each Job (``workers-0``); None if done or empty."""
    parts = []
    for index, replicated in enumerate(jobset.spec.replicated_jobs):
        spec = replicated.template.spec
        pods = _pods(spec) if spec.completions is None else min(_pods(spec), spec.completions)
        if pods <= 0:
            continue
        path = f"{where}.spec.replicatedJobs[{index}].template"
        for copy in range(replicated.replicas):
            part = _template(f"{replicated.name}-{copy}", pods, f"{path}.spec.template", spec.template)
            part.indexed = spec.completion_mode in ("", "Indexed")
            part.outer = ((path, replicated.template.metadata),)
            parts.append(part)
    if not parts or jobset.status.finished():
        return None
    key = ObjectName(namespace(jobset.metadata), "jobset", jobset.metadata.name)
    return Gang(key, where, jobset.metadata, parts, suspend=jobset.spec.suspend, position=position)


def of_replicas(where: str, kind: str, replicas: Replicas, position: int) -> Gang | None:
    """Return the gang of a Deployment, ReplicaSet or StatefulSet: copies of use alone; None if there are none."""
    if replicas.spec.replicas <= 0 or (kind == "ReplicaSet" and replicas.metadata.controller() is not None):
        return None
    template = replicas.spec.template
    part = Part("", replicas.spec.replicas, f"{where}.spec.template", template.metadata, template.spec)
    part.indexed = kind == "StatefulSet"
    key = ObjectName(namespace(replicas.metadata), kind.lower(), replicas.metadata.name)
    return Gang(key, where, replicas.metadata, [part], kind="inference", needs=ONE, position=position)


def of_leader_workers(where: str, leaders: LeaderWorkerSet, position: int) -> list[Gang]:
    """Return the gangs of a LeaderWorkerSet, one for each replica (``serve-0``): a leader and its workers."""
    shape = leaders.spec.leader_worker_template
    path = f"{where}.spec.leaderWorkerTemplate"
    gangs: list[Gang] = []
    for copy in range(leaders.spec.replicas if shape.size else 0):
        key = ObjectName(namespace(leaders.metadata), "leaderworkerset", f"{leaders.metadata.name}-{copy}")
        worker = shape.worker_template
        if shape.leader_template is None:
            parts = [_template("", shape.size, f"{path}.workerTemplate", worker)]
            parts[0].indexed = True
        else:
            parts = [_template("leader", 1, f"{path}.leaderTemplate", shape.leader_template)]
            if shape.size > 1:
                parts.append(_template("worker", shape.size - 1, f"{path}.workerTemplate", worker))
        gangs.append(Gang(key, where, leaders.metadata, parts, kind="inference", position=position))
    return gangs


def _template(name: str, pods: int, where: str, template: Template) -> Part:
    return Part(name, pods, where, template.metadata, template.spec)


def key_of(meta: Meta, spec: PodSpec) -> ObjectName:
    """Return the key of the gang that a pod belongs to; a pod that nobody made is its own."""
    labels, space = meta.labels, namespace(meta)
    grouped = group_key(meta, space)
    if grouped is not None:
        return grouped
    if labels.get(JOBSET_NAME):
        return ObjectName(space, "jobset", labels[JOBSET_NAME])
    if labels.get(LEADER_NAME):
        return ObjectName(space, "leaderworkerset", f"{labels[LEADER_NAME]}-{labels.get(LEADER_GROUP, '0')}")
    if spec.scheduling_group is not None and spec.scheduling_group.pod_group_name:
        return ObjectName(space, "podgroup", spec.scheduling_group.pod_group_name)
    if labels.get(TRAINING_ROLE) == "launcher" and labels.get(TRAINING_NAME):
        return ObjectName(space, "mpijob", labels[TRAINING_NAME])  # it is made by a Job that the MPIJob makes
    owner = meta.controller()
    if owner is None:
        job = next((labels[key] for key in JOB_LABELS if labels.get(key)), "")
        return ObjectName(space, "job", job) if job else ObjectName(space, "pod", meta.name)
    name, kind = owner.name, owner.kind
    suffix = f"-{labels.get(TEMPLATE_HASH, '')}"
    if kind == "ReplicaSet" and suffix != "-" and name.endswith(suffix):
        kind, name = "Deployment", name.removesuffix(suffix)
    return ObjectName(space, kind.lower(), name)


def part_of(meta: Meta) -> str:
    """Return the name of the group a pod says it belongs to; empty: none."""
    own = meta.annotations.get(f"{PREFIX}group", "")
    if GROUP.fullmatch(own):
        return own
    labels = meta.labels
    grouped = next((labels[key] for key in PART_LABELS if labels.get(key)), "")
    if grouped:
        return grouped
    if labels.get(JOBSET_PART):
        return f"{labels[JOBSET_PART]}-{labels.get(JOBSET_INDEX, '0')}"
    if labels.get(LEADER_NAME):
        return "leader" if labels.get(LEADER_RANK) == "0" else "worker"
    role = next((labels[key].lower() for key in GROUP_LABELS if labels.get(key)), "")
    return role.replace("_", "-").replace(".", "-")


def _turn(member: Member) -> tuple[bool, int, NaturalKey]:
    rank = member.rank()
    return rank < 0, rank, natural_key(member.pod.metadata.name)


def seat(part: Part) -> list[Member | None]:
    """Return who holds each rank of a part: by the rank its maker gave it, the others in natural order of names."""
    ordered = sorted(part.members, key=_turn)
    size = max(part.pods, len(ordered))
    seats: list[Member | None] = [None] * size
    late: list[Member] = []
    for member in ordered:
        rank = member.rank()
        if part.indexed and 0 <= rank < size and seats[rank] is None:
            seats[rank] = member
        else:
            late.append(member)
    free = (rank for rank in range(size) if seats[rank] is None)
    for member, rank in zip(late, free, strict=False):
        seats[rank] = member
    return seats
