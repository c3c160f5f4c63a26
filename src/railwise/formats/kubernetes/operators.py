"""Workloads of training operators and of Ray as gangs: a group for each kind of replica, known before there are pods.

An operator makes its pods one after the other, and nothing on a pod says how many will come. The object does: so many
replicas of each kind, all of which are needed unless its scheduling policy says less.
"""

from __future__ import annotations

import msgspec

from railwise.formats.kubernetes.dialects.reading import note, spec_of
from railwise.formats.kubernetes.dialects.sources import ERROR, RAY_CLUSTER, Finding, Source
from railwise.formats.kubernetes.gangs import Gang, Part, namespace
from railwise.formats.kubernetes.kinds import MOST_PODS, Number
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Part as Struct
from railwise.formats.kubernetes.schema import Template, converted
from railwise.model.errors import Fault

SPECS = "ReplicaSpecs"
"""How the field ends that holds the replicas of a training job (``pytorchReplicaSpecs``)."""

ENDED = ("Succeeded", "Failed")
HEAD = "headgroup"
"""What Ray calls the group of its head."""


class ReplicaSpec(Struct, frozen=True):
    """Equal pods of a training job."""

    replicas: Number = 1
    template: Template = Template()


class SchedulingPolicy(Struct, frozen=True):
    """How many pods a training job needs."""

    min_available: Number | None = None


class RunPolicy(Struct, frozen=True):
    """How a training job runs."""

    suspend: bool = False
    scheduling_policy: SchedulingPolicy = SchedulingPolicy()


class TrainingSpec(Struct, frozen=True):
    """What training jobs have in common."""

    run_policy: RunPolicy = RunPolicy()


class HeadGroup(Struct, frozen=True):
    """The head of a Ray cluster."""

    template: Template = Template()


class WorkerGroup(Struct, frozen=True):
    """Equal workers of a Ray cluster, each of so many hosts."""

    group_name: str = ""
    replicas: Number | None = None
    min_replicas: Number = 0
    num_of_hosts: Number = 1
    template: Template = Template()


class RaySpec(Struct, frozen=True):
    """A Ray cluster."""

    suspend: bool = False
    head_group_spec: HeadGroup = HeadGroup()
    worker_group_specs: tuple[WorkerGroup, ...] = msgspec.field(default=())


def of_operator(source: Source, position: int, findings: list[Finding]) -> Gang | None:
    """Return the gang of a training job or a Ray cluster; None if it is over, empty, or (with a finding) unreadable."""
    if _over(source.object.status):
        return None
    read = _ray if source.kind == RAY_CLUSTER else _training
    gang = read(source, findings)
    if gang is None or not gang.parts:
        return None
    if sum(part.pods for part in gang.parts) > MOST_PODS:
        findings.append(Finding(source, ERROR, ".spec", f"makes more than {MOST_PODS} pods"))
        return None
    gang.position = position
    return gang


def _training(source: Source, findings: list[Finding]) -> Gang | None:
    spec = spec_of(source, TrainingSpec, findings)
    if spec is None:
        return None
    whole = source.object.spec if isinstance(source.object.spec, dict) else {}
    key = next((one for one in whole if one.endswith(SPECS)), "")
    faults: list[Fault] = []
    replicas = converted(dict[str, ReplicaSpec], whole.get(key, {}), f".spec.{key}", faults)
    note(source, faults, findings)
    if replicas is None:
        return None
    gang = _gang(source)
    gang.suspend = spec.run_policy.suspend
    gang.min_count = spec.run_policy.scheduling_policy.min_available or 0
    for name, one in replicas.items():
        path = f"{source.where}.spec.{key}.{name}.template"
        if one.replicas:
            gang.parts.append(_part(name.lower(), one.replicas, path, one.template))
    if len(gang.parts) == 1:
        gang.parts[0].name = ""
    elif gang.min_count:
        _share_out(gang)
    return gang


def _share_out(gang: Gang) -> None:
    """Let the largest part do with fewer pods where the whole does; the others are needed as they are."""
    spare = max(sum(part.pods for part in gang.parts) - gang.min_count, 0)
    largest = max(gang.parts, key=lambda part: part.pods)
    for part in gang.parts:
        part.min_count = max(part.pods - spare, 1) if part is largest else part.pods
    gang.min_count = sum(part.min_count for part in gang.parts)


def _ray(source: Source, findings: list[Finding]) -> Gang | None:
    spec = spec_of(source, RaySpec, findings)
    if spec is None:
        return None
    gang = _gang(source)
    gang.suspend = spec.suspend
    where = f"{source.where}.spec"
    gang.parts.append(_part(HEAD, 1, f"{where}.headGroupSpec.template", spec.head_group_spec.template))
    for index, group in enumerate(spec.worker_group_specs):
        pods = (group.min_replicas if group.replicas is None else group.replicas) * group.num_of_hosts
        path = f"{where}.workerGroupSpecs[{index}].template"
        if pods:
            gang.parts.append(_part(group.group_name.lower() or f"workers-{index}", pods, path, group.template))
    return gang


def _gang(source: Source) -> Gang:
    meta = source.object.metadata
    return Gang(ObjectName(namespace(meta), source.kind.kind.lower(), meta.name), source.where, meta, [])


def _part(name: str, pods: int, path: str, template: Template) -> Part:
    part = Part(name.replace("_", "-").replace(".", "-"), pods, path, template.metadata, template.spec)
    part.indexed = True
    return part


def _over(status: object) -> bool:
    conditions = status.get("conditions") if isinstance(status, dict) else None
    return isinstance(conditions, list) and any(
        isinstance(one, dict) and one.get("type") in ENDED and one.get("status") == "True" for one in conditions
    )
