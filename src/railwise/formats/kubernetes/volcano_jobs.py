"""Jobs of Volcano as gangs: a group for each task where there are several, and what the Job needs to begin.

The Job says all that the PodGroup says which its controller makes of it, and says it before there is one; so the pods
of a Job belong to the Job.
"""

from __future__ import annotations

import msgspec

from railwise.formats.kubernetes.dialects.compatibility import ROWS
from railwise.formats.kubernetes.dialects.fields import walked
from railwise.formats.kubernetes.dialects.grouping import VOLCANO_JOB_GROUP
from railwise.formats.kubernetes.dialects.reading import spec_of
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import ERROR, REFUSED, VOLCANO, Finding, Source
from railwise.formats.kubernetes.dialects.volcano import closeness, segments
from railwise.formats.kubernetes.dialects.volcano_schema import JobSpec, Task
from railwise.formats.kubernetes.gangs import Gang, Part
from railwise.formats.kubernetes.kinds import MOST_PODS
from railwise.formats.kubernetes.names import ObjectName

ENDED = ("Completed", "Failed", "Aborted", "Terminated")
DEFAULT_SCHEDULER = "volcano"


def of_volcano_job(source: Source, position: int, findings: list[Finding]) -> Gang | None:
    """Return the gang of a Job; None where it is over or wants no pods, or, with a finding, cannot be read."""
    refused = [one for one in walked(source, ROWS[source.kind]) if one.grade == REFUSED]
    findings += walked(source, ROWS[source.kind])
    spec = spec_of(source, JobSpec, findings)
    if spec is None or _phase(source) in ENDED:
        return None
    tasks = [task for task in spec.tasks if task.replicas]
    if sum(task.replicas for task in tasks) > MOST_PODS:
        findings.append(Finding(source, ERROR, ".spec.tasks", f"makes more than {MOST_PODS} pods"))
        return None
    if not tasks:
        return None
    where = f"{source.where}.spec"
    says = {**closeness(spec.network_topology, f"{where}.networkTopology")}
    says["queue"] = Said(spec.queue or "default", f"{where}.queue", VOLCANO)
    if spec.priority_class_name:
        says["priority-class"] = Said(spec.priority_class_name, f"{where}.priorityClassName")
    if spec.running_estimate:
        says["duration"] = Said(spec.running_estimate, f"{where}.runningEstimate")
    if refused:
        says["refused"] = Said(f"{refused[0].path.lstrip('.')} of a Job of Volcano is not supported", where)
    scheduler = spec.scheduler_name or DEFAULT_SCHEDULER
    parts = [_part(task, index, where, scheduler, alone=len(tasks) == 1) for index, task in enumerate(tasks)]
    least = _least(spec, tasks)
    if len(parts) > 1 and least > sum(part.min_count for part in parts):
        says["refused"] = Said(
            "minAvailable above that of the tasks together is not supported", f"{where}.minAvailable"
        )
    meta = source.object.metadata
    key = ObjectName(meta.namespace or "default", VOLCANO_JOB_GROUP, meta.name)
    gang = Gang(key, source.where, meta, parts, position=position)
    gang.says = says
    gang.min_count = least
    return gang


def _phase(source: Source) -> object:
    status = source.object.status
    state = status.get("state") if isinstance(status, dict) else None
    return state.get("phase") if isinstance(state, dict) else None


def _least(spec: JobSpec, tasks: list[Task]) -> int:
    """Return how many pods have to be there."""
    if spec.min_available is not None:
        policies = [task.partition_policy for task in tasks if task.partition_policy is not None]
        return max(spec.min_available, sum(one.min_partitions * one.partition_size for one in policies), 1)
    return max(sum(_needed(task) for task in tasks), 1)


def _needed(task: Task) -> int:
    """Return how many pods a task needs: what it says, and no fewer than its partitions."""
    least = task.replicas if task.min_available is None else task.min_available
    policy = task.partition_policy
    return max(least, policy.min_partitions * policy.partition_size) if policy is not None else least


def _part(task: Task, index: int, where: str, scheduler: str, *, alone: bool) -> Part:
    path = f"{where}.tasks[{index}]"
    template = task.template
    spec = msgspec.structs.replace(template.spec, scheduler_name=template.spec.scheduler_name or scheduler)
    part = Part(
        "" if alone else task.name or f"task-{index}", task.replicas, f"{path}.template", template.metadata, spec
    )
    part.indexed = True
    policy = task.partition_policy
    if policy is not None:
        part.says = segments(policy.partition_size, policy.network_topology, f"{path}.partitionPolicy")
    if not alone:
        part.min_count = max(_needed(task), 1)
    return part
