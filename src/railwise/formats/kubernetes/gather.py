"""Sorting what was handed in: lists unfold, kinds that decide are converted, the rest is ignored or named in a warning.

A folder of manifests holds Services, ConfigMaps and custom resources of every kind. They must not stand in the way;
but a kind that makes pods and is not understood would silently miss from the plan, so it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from railwise.formats.kubernetes.dialects.compatibility import ROWS
from railwise.formats.kubernetes.dialects.fields import walked
from railwise.formats.kubernetes.dialects.grouping import GroupRule, total_of
from railwise.formats.kubernetes.dialects.rules import rule_of
from railwise.formats.kubernetes.dialects.sources import (
    GANG_KINDS,
    OPERATOR_KINDS,
    UPSTREAM_POD_GROUP,
    VOLCANO_JOB,
    Finding,
    Foreign,
    Source,
    kind_of,
)
from railwise.formats.kubernetes.gangs import (
    ALL,
    ONE,
    Gang,
    Member,
    Part,
    key_of,
    of_job,
    of_jobset,
    of_leader_workers,
    of_replicas,
    part_of,
)
from railwise.formats.kubernetes.gate_jobs import Hold, as_maker, hold_of
from railwise.formats.kubernetes.gate_marks import as_ours
from railwise.formats.kubernetes.kinds import MOST_PODS, Job, JobSet, LeaderWorkerSet, PodGroup, PriorityClass, Replicas
from railwise.formats.kubernetes.names import ObjectName, check_names
from railwise.formats.kubernetes.obedience import obey, said_upstream
from railwise.formats.kubernetes.operators import of_operator
from railwise.formats.kubernetes.ownership import SCHEDULER, chosen
from railwise.formats.kubernetes.schema import NodeObject, Pod, PodSpec, converted
from railwise.formats.kubernetes.storage import Claim, CSINode, Volume, Volumes
from railwise.formats.kubernetes.volcano_jobs import of_volcano_job
from railwise.model.errors import Fault

GROUPS = {
    "Node": "",
    "Pod": "",
    "Job": "batch",
    "JobSet": "jobset.x-k8s.io",
    "Deployment": "apps",
    "ReplicaSet": "apps",
    "StatefulSet": "apps",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io",
    "PriorityClass": "scheduling.k8s.io",
    "PodGroup": "scheduling.k8s.io",
    "PersistentVolumeClaim": "",
    "PersistentVolume": "",
    "CSINode": "storage.k8s.io",
}
"""The kinds that are read, with their API group."""

MAKERS_NOT_READ = frozenset(
    (
        *("AppWrapper", "CompositePodGroup", "Job", "Notebook", "PodCliqueSet", "PodGang", "PodGroup", "RayJob"),
        *("RayService", "ReplicationController", "SparkApplication", "TrainJob", "Workflow", "Workload"),
    )
)
"""Kinds that make pods, or rule over them, and are not read (in API groups other than those above)."""

PARTS_OF = ("jobset", "mpijob")
"""Makers of Jobs that are a part of the maker's own gang."""

COPIES = ("daemonset", "deployment", "replicaset", "statefulset")
"""Makers of pods of which each is of use alone."""

T = TypeVar("T")


@dataclass
class Gathering:
    """The objects that decide, each with its path; pods and makers also with their place in the input."""

    nodes: list[tuple[str, NodeObject]] = field(default_factory=list)
    pods: list[tuple[int, Member]] = field(default_factory=list)
    gangs: dict[ObjectName, Gang] = field(default_factory=dict)
    pod_groups: dict[ObjectName, tuple[str, PodGroup]] = field(default_factory=dict)
    foreign: list[Source] = field(default_factory=list)
    rules: dict[ObjectName, GroupRule] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    classes: dict[str, int] = field(default_factory=dict)
    default_priority: int = 0
    gentle: set[str] = field(default_factory=set)
    volumes: Volumes = field(default_factory=Volumes)
    limits: dict[str, dict[str, int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, where: str, position: int, value: dict[str, object]) -> None:
        """Take one object in (no list)."""
        kind = value.get("kind")
        version = value.get("apiVersion", "")
        if not isinstance(kind, str) or not kind or not isinstance(version, str):
            self.faults.append(Fault(where, "an object needs kind and apiVersion", "as in kind: Pod, apiVersion: v1"))
            return
        group = version.rpartition("/")[0]
        dialect = kind_of(kind, version)
        if dialect is not None:
            found = converted(Foreign, value, where, self.faults)
            if found is not None and check_names(found.metadata, kind, where, self.faults):
                self._dialect(Source(dialect, where, found), position)
            return
        if kind not in GROUPS or (version and group != GROUPS[kind]):
            if kind in MAKERS_NOT_READ:
                self.warnings.append(f"{where}: kind {kind} ({version}) is not read; its pods are, once they exist")
            return
        if kind == "Node":
            self._keep(where, converted(NodeObject, value, where, self.faults), self.nodes)
        elif kind == "Pod":
            self._pod(where, position, converted(Pod, value, where, self.faults))
        elif kind == "PriorityClass":
            self._class(converted(PriorityClass, value, where, self.faults))
        elif kind in ("PersistentVolumeClaim", "PersistentVolume", "CSINode"):
            self._stored(where, kind, value)
        elif kind == "PodGroup":
            rule = converted(PodGroup, value, where, self.faults)
            if rule is not None:
                key = ObjectName(rule.metadata.namespace or "default", "podgroup", rule.metadata.name)
                self.pod_groups[key] = (where, rule)
                source = Source(UPSTREAM_POD_GROUP, where, Foreign(metadata=rule.metadata, spec=value.get("spec")))
                self.findings += walked(source, ROWS[UPSTREAM_POD_GROUP])
        else:
            self._maker(where, position, kind, value)

    def _dialect(self, source: Source, position: int) -> None:
        if source.kind not in GANG_KINDS:
            self.foreign.append(source)
            return
        if source.kind == VOLCANO_JOB or source.kind in OPERATOR_KINDS:
            read = of_volcano_job if source.kind == VOLCANO_JOB else of_operator
            made = read(source, position, self.findings)
            if made is not None and any(chosen(part.meta, part.spec, (made.meta,)) for part in made.parts):
                self.gangs[made.key] = made
            return
        rule = rule_of(source, self.findings)
        if rule is not None:
            self.rules[rule.key] = rule

    @staticmethod
    def _keep(where: str, found: T | None, target: list[tuple[str, T]]) -> None:
        if found is not None:
            target.append((where, found))

    def _pod(self, where: str, position: int, pod: Pod | None) -> None:
        if pod is None:
            return
        meta = pod.metadata
        if not meta.name and meta.generate_name:
            named = msgspec.structs.replace(meta, name=f"{meta.generate_name}{position}")
            pod = msgspec.structs.replace(pod, metadata=named)
        if check_names(pod.metadata, "pod", where, self.faults):
            self.pods.append((position, Member(where, as_ours(pod, SCHEDULER))))

    def _stored(self, where: str, kind: str, value: dict[str, object]) -> None:
        if kind == "PersistentVolumeClaim":
            claim = converted(Claim, value, where, self.faults)
            if claim is not None:
                self.volumes.claims[claim.metadata.namespace or "default", claim.metadata.name] = claim
        elif kind == "PersistentVolume":
            volume = converted(Volume, value, where, self.faults)
            if volume is not None:
                self.volumes.volumes[volume.metadata.name] = volume
        else:
            drivers = converted(CSINode, value, where, self.faults)
            if drivers is not None:
                self.limits[drivers.metadata.name] = drivers.limits()

    def _class(self, found: PriorityClass | None) -> None:
        if found is not None:
            self.classes[found.metadata.name] = found.value
            if found.global_default:
                self.default_priority = found.value
            if found.preemption_policy == "Never":
                self.gentle.add(found.metadata.name)

    def _maker(self, where: str, position: int, kind: str, value: dict[str, object]) -> None:
        for gang in self._made(where, position, kind, value):
            if not check_names(gang.meta, kind, where, self.faults):
                return
            if gang.key in self.gangs:
                key = gang.key
                self.faults.append(Fault(f"{where}.metadata.name", f"a second {key.kind} {key.namespace}/{key.name}"))
            elif any(
                chosen(part.meta, part.spec, (gang.meta, *(meta for _, meta in part.outer))) for part in gang.parts
            ):
                self.gangs[gang.key] = gang

    def _made(self, where: str, position: int, kind: str, value: dict[str, object]) -> Sequence[Gang]:
        if kind == "Job":
            job = converted(Job, value, where, self.faults)
            if job is None or key_of(job.metadata, PodSpec()).kind in PARTS_OF:
                return ()
            job = job if hold_of(job) is Hold.NONE else as_maker(job, SCHEDULER)
            return _one(of_job(where, job, position))
        if kind == "JobSet":
            jobset = converted(JobSet, value, where, self.faults)
            if jobset is None or self._too_many(where, jobset.pods()):
                return ()
            return _one(of_jobset(where, jobset, position))
        if kind == "LeaderWorkerSet":
            leaders = converted(LeaderWorkerSet, value, where, self.faults)
            if leaders is None or self._too_many(where, leaders.pods()):
                return ()
            return of_leader_workers(where, leaders, position)
        replicas = converted(Replicas, value, where, self.faults)
        if replicas is None or key_of(replicas.metadata, PodSpec()).kind == "leaderworkerset":
            return ()
        return _one(of_replicas(where, kind, replicas, position))

    def _too_many(self, where: str, pods: int) -> bool:
        if pods > MOST_PODS:
            self.faults.append(Fault(f"{where}.spec", f"makes more than {MOST_PODS} pods"))
        return pods > MOST_PODS

    def seat_pods(self, members: Sequence[tuple[int, Member]]) -> None:
        """Lay pods into the gangs they belong to; gangs whose maker was not handed in are made from their pods."""
        for position, member in members:
            key = key_of(member.pod.metadata, member.pod.spec)
            gang = self.gangs.get(key)
            if gang is None:
                gang = Gang(key, member.where, member.pod.metadata, [], whole=False, position=position)
                gang.min_count = total_of(member.pod.metadata, key)
                if key.kind in COPIES:
                    gang.kind, gang.needs = "inference", ONE
                self.gangs[key] = gang
            _seat(gang, member)
        for key, rule in self.rules.items():
            if key in self.gangs:
                obey(self.gangs[key], rule)
        for gang in self.gangs.values():
            if len(gang.parts) > 1:
                for part in gang.parts:
                    part.name = part.name or "pods-1"
        for key, (where, group) in self.pod_groups.items():
            if key in self.gangs:
                _rule(self.gangs[key], where, group)


def _one(gang: Gang | None) -> Sequence[Gang]:
    return () if gang is None else (gang,)


def _seat(gang: Gang, member: Member) -> None:
    name = part_of(member.pod.metadata)
    if gang.whole:
        part = next((part for part in gang.parts if part.name == name), gang.parts[0])
        part.members.append(member)
        return
    bare = _bare(member.pod.spec)
    for part in gang.parts:
        if part.group == name and _bare(part.spec) == bare:
            part.members.append(member)
            return
    same = sum(part.group == name for part in gang.parts)
    label = (name or "pods") + f"-{same + 1}" if same else name
    part = Part(label, 0, member.where, member.pod.metadata, member.pod.spec, group=name, members=[member])
    gang.parts.append(part)


def _bare(spec: PodSpec) -> bytes:
    """Return what makes pods equal: all of the spec but where the pod is and what still holds it."""
    return msgspec.json.encode(msgspec.structs.replace(spec, node_name="", scheduling_gates=()))


def _rule(gang: Gang, where: str, group: PodGroup) -> None:
    gang.where, gang.meta, gang.whole = where, group.metadata, True
    policy = group.spec.scheduling_policy
    if policy.gang is not None:
        gang.min_count = policy.gang.min_count
    gang.needs = ALL if policy.gang is not None else ONE
    gang.says = said_upstream(where, group)
    gang.required = next((constraint.key for constraint in group.spec.scheduling_constraints.topology), "")
