"""Volcano's Queues and PodGroups.

A queue deserves an amount that others may borrow, keeps a guaranteed part of it to itself, and may use no more than its
capability. All queues lie below one named ``root``; here a top queue has no parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.formats.kubernetes.dialects.admission import Admission, NodesFor
from railwise.formats.kubernetes.dialects.grouping import VOLCANO_GROUP, GroupRule, PartRule
from railwise.formats.kubernetes.dialects.kueue import NEVER
from railwise.formats.kubernetes.dialects.measures import queue_amounts
from railwise.formats.kubernetes.dialects.reading import note, spec_of, weight_of
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.dialects.sources import VOLCANO, Draft, Finding, Source
from railwise.formats.kubernetes.dialects.volcano_schema import Network, PodGroupSpec, QueueAffinity, QueueSpec
from railwise.formats.kubernetes.names import ObjectName
from railwise.model.errors import Fault
from railwise.model.queue import Queue
from railwise.model.requirement import Requirement

ROOT: Final = "root"
CLOSED: Final = ("Closed", "Closing")
NODE_GROUP: Final = "volcano.sh/nodegroup-name"
PARTITION: Final = "volcano.sh/partition-id"


def queue_key(name: str) -> ObjectName:
    """Return how a Queue is known."""
    return ObjectName(VOLCANO, "queue", name)


def read_queues(sources: Sequence[Source], findings: list[Finding]) -> tuple[list[Draft], dict[ObjectName, Admission]]:
    """Return the queues but the root, and which nodes they send their work to."""
    drafts, admissions = [], {}
    for source in sources:
        spec = None if source.name() == ROOT else spec_of(source, QueueSpec, findings)
        draft = None if spec is None else _queue(source, spec, findings)
        if spec is not None and draft is not None:
            drafts.append(draft)
            admissions[draft.key] = _admission(spec.affinity)
    return drafts, admissions


def _queue(source: Source, spec: QueueSpec, findings: list[Finding]) -> Draft | None:
    faults: list[Fault] = []
    limit = queue_amounts(spec.capability, ".spec.capability", faults)
    quota = queue_amounts(spec.deserved, ".spec.deserved", faults)
    kept = queue_amounts(spec.guarantee.resource, ".spec.guarantee.resource", faults)
    weight = weight_of(spec.weight, ".spec.weight", faults)
    if not note(source, faults, findings):
        return None
    quota = {**kept, **{resource: max(amount, kept.get(resource, 0)) for resource, amount in quota.items()}}
    status = source.object.status
    queue = Queue(
        "",
        quota=quota,
        limit=limit,
        lend={resource: amount - kept.get(resource, 0) for resource, amount in quota.items()} if kept else None,
        weight=weight,
        priority=spec.priority,
        stopped=isinstance(status, dict) and status.get("state") in CLOSED,
        reclaim_min_runtime=0 if spec.reclaimable else NEVER,
    )
    parent = queue_key(spec.parent) if spec.parent not in ("", ROOT) else None
    return Draft(queue_key(source.name()), source, queue, parent)


def _admission(affinity: QueueAffinity) -> Admission:
    term = []
    if affinity.node_group_affinity.required:
        term.append(Requirement(NODE_GROUP, "In", affinity.node_group_affinity.required))
    if affinity.node_group_anti_affinity.required:
        term.append(Requirement(NODE_GROUP, "NotIn", affinity.node_group_anti_affinity.required))
    return Admission((NodesFor(frozenset(), (tuple(term),)),) if term else ())


def closeness(network: Network | None, where: str, prefix: str = "") -> dict[str, Said]:
    """Return what a network topology asks for; ``hard`` without a tier asks for what nobody can know."""
    if network is None:
        return {}
    key = f"{prefix}{'preferred' if network.mode == 'soft' else 'required'}"
    if network.highest_tier_name:
        return {key: Said(network.highest_tier_name, f"{where}.highestTierName", VOLCANO)}
    if network.highest_tier_allowed is not None:
        return {key: Said(str(network.highest_tier_allowed), f"{where}.highestTierAllowed", VOLCANO)}
    if network.mode == "soft":
        return {}
    return {"refused": Said("networkTopology in hard mode without a tier is not supported", where)}


def segments(size: int, network: Network | None, where: str) -> dict[str, Said]:
    """Return what equal parts ask for."""
    if size < 1:
        return {}
    return {"segment-size": Said(str(size), where), **closeness(network, f"{where}.networkTopology", "segment-")}


def group_rule(source: Source, findings: list[Finding]) -> GroupRule | None:
    """Return what a PodGroup says of its gang; None, and a finding, where it cannot be read."""
    spec = spec_of(source, PodGroupSpec, findings)
    if spec is None:
        return None
    where = f"{source.where}.spec"
    says = {**closeness(spec.network_topology, f"{where}.networkTopology")}
    says["queue"] = Said(spec.queue or "default", f"{where}.queue", VOLCANO)
    if spec.priority_class_name:
        says["priority-class"] = Said(spec.priority_class_name, f"{where}.priorityClassName")
    least = spec.min_member
    if len(spec.sub_group_policy) == 1 and spec.sub_group_policy[0].match_label_keys == (PARTITION,):
        policy = spec.sub_group_policy[0]
        says |= segments(policy.sub_group_size, policy.network_topology, f"{where}.subGroupPolicy[0]")
        least = max(least, policy.min_sub_groups * policy.sub_group_size)
    elif spec.sub_group_policy:
        text = f"a subGroupPolicy other than one by {PARTITION} is not supported"
        says["refused"] = Said(text, f"{where}.subGroupPolicy")
    parts = {task: PartRule(min_count=count) for task, count in spec.min_task_member.items() if count}
    if parts and least > sum(part.min_count for part in parts.values()):
        says["refused"] = Said("minMember above the sum of minTaskMember is not supported", f"{where}.minMember")
    key = ObjectName(source.object.metadata.namespace or "default", VOLCANO_GROUP, source.name())
    return GroupRule(key, source.where, source.object.metadata, says, least, parts=parts)
