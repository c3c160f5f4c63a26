"""KAI's Queues and PodGroups.

KAI counts GPUs in devices, CPU in millicores and memory in megabytes, as bare numbers; -1 is unlimited and what is not
said is 0. Our queues have no unlimited quota: to promise everything to somebody is to promise nothing to others. Such a
queue has none of its own and lives on what others leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import msgspec

from railwise.formats.kubernetes.dialects.grouping import KAI_GROUP, Branch, GroupRule, PartRule
from railwise.formats.kubernetes.dialects.reading import note, spec_of, weight_of
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import IGNORED, KAI, Draft, Finding, Source
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Part
from railwise.model.errors import Fault
from railwise.model.quantity import MIB, parse_duration
from railwise.model.queue import Queue

UNLIMITED: Final = -1
PRIORITY: Final = 100
"""A queue's priority where none is said."""

MEGABYTE: Final = 1_000_000
RESOURCES: Final = ("gpu", "cpu", "memory")
MOST: Final = 10**12


class Amount(Part, frozen=True):
    """What a queue has of one resource."""

    quota: float = 0
    limit: float | None = None
    over_quota_weight: float = 0


class Amounts(Part, frozen=True):
    """What a queue has."""

    gpu: Amount = Amount()
    cpu: Amount = Amount()
    memory: Amount = Amount()


class QueueSpec(Part, frozen=True):
    """A queue."""

    parent_queue: str = ""
    priority: int = PRIORITY
    resources: Amounts = Amounts()
    preempt_min_runtime: str = ""
    reclaim_min_runtime: str = ""


class Constraint(Part, frozen=True):
    """Where pods may lie."""

    topology: str = ""
    required_topology_level: str = ""
    preferred_topology_level: str = ""


class SubGroup(Part, frozen=True):
    """A part of a PodGroup: pods, or further parts."""

    name: str = ""
    parent: str = ""
    min_member: int = 0
    min_sub_group: int = 0
    topology_constraint: Constraint = Constraint()


class PodGroupSpec(Part, frozen=True):
    """A PodGroup."""

    queue: str = ""
    priority_class_name: str = ""
    preemptibility: str = ""
    min_member: int = 0
    min_sub_group: int = 0
    topology_constraint: Constraint = Constraint()
    sub_groups: tuple[SubGroup, ...] = msgspec.field(default=())


def queue_key(name: str) -> ObjectName:
    """Return how a Queue is known."""
    return ObjectName(KAI, "queue", name)


def read_queues(sources: Sequence[Source], findings: list[Finding]) -> list[Draft]:
    """Return the queues; one that cannot be read is a finding."""
    drafts = []
    for source in sources:
        spec = spec_of(source, QueueSpec, findings)
        draft = None if spec is None else _queue(source, spec, findings)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _queue(source: Source, spec: QueueSpec, findings: list[Finding]) -> Draft | None:
    faults: list[Fault] = []
    quota, limit = {}, {}
    for resource in RESOURCES:
        amount: Amount = getattr(spec.resources, resource)
        path = f".spec.resources.{resource}"
        if amount.quota != UNLIMITED:
            quota[resource] = _units(resource, amount.quota, f"{path}.quota", faults)
        if amount.limit is None:
            text = f"no limit is said, which is 0: nothing that asks for {resource} starts; -1 is unlimited"
            findings.append(Finding(source, IGNORED, path, text))
        if amount.limit != UNLIMITED:
            limit[resource] = _units(resource, amount.limit or 0, f"{path}.limit", faults)
    quota = {resource: amount for resource, amount in quota.items() if amount or resource == "gpu"}
    weight = weight_of(spec.resources.gpu.over_quota_weight, ".spec.resources.gpu.overQuotaWeight", faults)
    preempt = _runtime(spec.preempt_min_runtime, ".spec.preemptMinRuntime", faults)
    reclaim = _runtime(spec.reclaim_min_runtime, ".spec.reclaimMinRuntime", faults)
    if not note(source, faults, findings):
        return None
    queue = Queue(
        "",
        quota=quota,
        limit=limit,
        weight=weight,
        priority=spec.priority,
        preempt_min_runtime=preempt,
        reclaim_min_runtime=reclaim,
    )
    parent = queue_key(spec.parent_queue) if spec.parent_queue else None
    return Draft(queue_key(source.name()), source, queue, parent)


def _units(resource: str, amount: float, path: str, faults: list[Fault]) -> int:
    """Return an amount in our units: thousandths of cards, millicores, MiB."""
    if not 0 <= amount <= MOST:
        faults.append(Fault(path, f"expected a number from 0 to {MOST}, or -1 for unlimited, not {amount}"))
        return 0
    exact = Decimal(repr(amount))
    if resource == "memory":
        return int(exact * MEGABYTE) // MIB
    return int(exact * 1000) if resource == "gpu" else int(exact)


def _runtime(text: str, path: str, faults: list[Fault]) -> int:
    try:
        found = parse_duration(text) if text and text != "0" else 0
    except ValueError as error:
        faults.append(Fault(path, f"{error}, not '{text}'"))
        return 0
    if found < 0:
        faults.append(Fault(path, f"expected a duration of 0 or more, not '{text}'"))
    return max(found, 0)


def group_rule(source: Source, findings: list[Finding]) -> GroupRule | None:
    """Return what a PodGroup says of its gang; None, and a finding, where it cannot be read."""
    spec = spec_of(source, PodGroupSpec, findings)
    if spec is None:
        return None
    where = f"{source.where}.spec"
    says = {**_constraint(spec.topology_constraint, f"{where}.topologyConstraint")}
    says["preemptible"] = Said(_PREEMPTIBLE.get(spec.preemptibility, "by-priority"), f"{where}.preemptibility")
    if spec.queue:
        says["queue"] = Said(spec.queue, f"{where}.queue", KAI)
    if spec.priority_class_name:
        says["priority-class"] = Said(spec.priority_class_name, f"{where}.priorityClassName")
    parents = {one.parent for one in spec.sub_groups if one.parent}
    branches, parts = {}, {}
    for index, one in enumerate(spec.sub_groups):
        rule = _constraint(one.topology_constraint, f"{where}.subGroups[{index}].topologyConstraint")
        if one.name in parents:
            branches[one.name] = Branch(one.name, one.parent, rule, max(one.min_sub_group, 0))
        else:
            parts[one.name] = PartRule(one.parent, rule, max(one.min_member, 0))
    return GroupRule(
        key=ObjectName(source.object.metadata.namespace or "default", KAI_GROUP, source.name()),
        where=source.where,
        meta=source.object.metadata,
        says=says,
        min_count=max(spec.min_member, 0) or sum(part.min_count for part in parts.values()),
        branches=branches,
        parts=parts,
        min_groups=max(spec.min_sub_group, 0),
    )


_PREEMPTIBLE: Final = {"preemptible": "true", "non-preemptible": "false"}


def _constraint(constraint: Constraint, where: str) -> dict[str, Said]:
    found = {}
    if constraint.topology:
        found["topology"] = Said(constraint.topology, f"{where}.topology", KAI)
    if constraint.required_topology_level:
        found["required"] = Said(constraint.required_topology_level, f"{where}.requiredTopologyLevel")
    if constraint.preferred_topology_level:
        found["preferred"] = Said(constraint.preferred_topology_level, f"{where}.preferredTopologyLevel")
    return found
