"""Kueue's queues: ClusterQueues and Cohorts as one tree, LocalQueues as ways into it, flavors as nodes to go to.

Kueue counts quotas by flavor and has cohorts whose quota comes on top of their queues'. Here a queue has one amount per
resource, and a parent's amount is that of all below it. So flavors are added up, a cohort's own quota is added to what
its queues have, and who stands alone, or at the top, may use no more than its quota: borrowing ends with the cohort.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from railwise.formats.kubernetes.dialects.admission import Admission
from railwise.formats.kubernetes.dialects.kueue_admission import admission_of
from railwise.formats.kubernetes.dialects.kueue_quota import Amounts, amounts_of, of_cluster_queue, of_cohort, totals
from railwise.formats.kubernetes.dialects.kueue_schema import ClusterQueueSpec, CohortSpec, FlavorSpec, LocalQueueSpec
from railwise.formats.kubernetes.dialects.reading import note, spec_of, weight_of
from railwise.formats.kubernetes.dialects.sources import (
    CLUSTER_QUEUE,
    COHORT,
    ERROR,
    IGNORED,
    KUEUE,
    LOCAL_QUEUE,
    RESOURCE_FLAVOR,
    Draft,
    Finding,
    Kind,
    Source,
)
from railwise.formats.kubernetes.names import ObjectName
from railwise.model.errors import Fault

NEVER = 10 * 365 * 86_400_000_000
"""µs: a workload that is protected for so long is never taken from."""

STOPPED = ("Hold", "HoldAndDrain")
LARGEST_PRIORITY = 2_147_483_647
_GROUPS = ".spec.resourceGroups"
_WEIGHT = ".spec.fairSharing.weight"


@dataclass
class KueueQueues:
    """What is read of Kueue: queues, what they ask of their work, and where LocalQueues lead (and are held)."""

    drafts: list[Draft] = field(default_factory=list)
    admissions: dict[ObjectName, Admission] = field(default_factory=dict)
    routes: dict[tuple[str, str], tuple[ObjectName, bool]] = field(default_factory=dict)


def cluster_queue_key(name: str) -> ObjectName:
    """Return how the queue of a ClusterQueue is known."""
    return ObjectName(KUEUE, "clusterqueue", name)


def cohort_key(name: str) -> ObjectName:
    """Return how the queue of a cohort is known."""
    return ObjectName(KUEUE, "cohort", name)


def read_queues(by_kind: Mapping[Kind, Sequence[Source]], findings: list[Finding]) -> KueueQueues:
    """Return the queues; one that cannot be read, or asks for what nobody keeps, is found and costs its own branch."""
    found = KueueQueues()
    flavors = {}
    for source in by_kind.get(RESOURCE_FLAVOR, ()):
        flavor = spec_of(source, FlavorSpec, findings)
        if flavor is not None:
            flavors[source.name()] = flavor
    own: dict[ObjectName, Amounts] = {}
    policies: dict[ObjectName, str] = {}
    for source in by_kind.get(CLUSTER_QUEUE, ()):
        spec = spec_of(source, ClusterQueueSpec, findings)
        if spec is not None:
            key = cluster_queue_key(source.name())
            draft = _cluster_queue(source, spec, own, findings)
            if draft is not None:
                found.drafts.append(draft)
                found.admissions[key] = admission_of(source, spec, flavors, findings)
                policies[key] = spec.preemption.reclaim_within_cohort
    _add_cohorts(found, by_kind.get(COHORT, ()), own, findings)
    _protect(found, policies, findings)
    for source in by_kind.get(LOCAL_QUEUE, ()):
        _local_queue(source, found, findings)
    return found


def _cluster_queue(
    source: Source, spec: ClusterQueueSpec, own: dict[ObjectName, Amounts], findings: list[Finding]
) -> Draft | None:
    faults: list[Fault] = []
    amounts = amounts_of(spec.resource_groups, _GROUPS, faults)
    weight = weight_of(spec.fair_sharing.weight, _WEIGHT, faults)
    if not note(source, faults, findings):
        return None
    cohort = spec.cohort_name or spec.cohort
    key = cluster_queue_key(source.name())
    own[key] = amounts
    queue = replace(
        of_cluster_queue(amounts, alone=not cohort),
        weight=weight,
        stopped=spec.stop_policy in STOPPED,
        preempt_min_runtime=NEVER if spec.preemption.within_cluster_queue == "Never" else 0,
    )
    if spec.preemption.within_cluster_queue not in ("Never", "LowerPriority"):
        text = f"{spec.preemption.within_cluster_queue} counts as LowerPriority"
        findings.append(Finding(source, IGNORED, ".spec.preemption.withinClusterQueue", text))
    return Draft(key, source, queue, cohort_key(cohort) if cohort else None)


def _add_cohorts(
    found: KueueQueues, sources: Sequence[Source], own: dict[ObjectName, Amounts], findings: list[Finding]
) -> None:
    """Add the cohorts, also those that are only named."""
    drafts: dict[ObjectName, Draft] = {}
    for source in sources:
        spec = spec_of(source, CohortSpec, findings)
        if spec is None:
            continue
        faults: list[Fault] = []
        amounts = amounts_of(spec.resource_groups, _GROUPS, faults)
        weight = weight_of(spec.fair_sharing.weight, _WEIGHT, faults)
        if note(source, faults, findings):
            key, above = cohort_key(source.name()), spec.parent_name or spec.parent
            own[key] = amounts
            plain = replace(of_cohort(amounts, {}, root=False), weight=weight)
            drafts[key] = Draft(key, source, plain, cohort_key(above) if above else None)
    for draft in [*found.drafts, *drafts.values()]:
        if draft.parent is not None and draft.parent not in drafts:
            own[draft.parent] = Amounts()
            drafts[draft.parent] = Draft(draft.parent, draft.source, of_cohort(Amounts(), {}, root=False))
    parents = {draft.key: draft.parent for draft in [*found.drafts, *drafts.values()]}
    whole = totals(own, parents)
    for key, draft in drafts.items():
        held = of_cohort(own[key], whole[key], root=draft.parent is None)
        queue = replace(draft.queue, quota=held.quota, limit=held.limit, lend=held.lend)
        found.drafts.append(draft._replace(queue=queue))


def _protect(found: KueueQueues, policies: Mapping[ObjectName, str], findings: list[Finding]) -> None:
    """Protect from reclaim whom nobody of the same cohort may reclaim from.

    The rules here are about victims, Kueue's about claimants: where only some of a cohort may reclaim, all may.
    """
    parents = {draft.key: draft.parent for draft in found.drafts}
    roots = {key: _root(key, parents) for key in policies}
    for place, draft in enumerate(found.drafts):
        policy = policies.get(draft.key)
        if policy is None:
            continue
        others = [policies[key] for key, root in roots.items() if root == roots[draft.key] and key != draft.key]
        if all(other == "Never" for other in others):
            found.drafts[place] = draft._replace(queue=replace(draft.queue, reclaim_min_runtime=NEVER))
        if policy == "Never" and draft.parent is not None and any(other != "Never" for other in others):
            text = "Never is not kept, since other queues of the cohort may reclaim"
            findings.append(Finding(draft.source, IGNORED, ".spec.preemption.reclaimWithinCohort", text))
        elif policy == "LowerPriority":
            text = "LowerPriority counts as Any: between queues, quota and fair share decide"
            findings.append(Finding(draft.source, IGNORED, ".spec.preemption.reclaimWithinCohort", text))


def _root(key: ObjectName, parents: Mapping[ObjectName, ObjectName | None]) -> ObjectName:
    seen: set[ObjectName] = set()
    above = parents.get(key)
    while above is not None and above not in seen:
        seen.add(above)
        key, above = above, parents.get(above)
    return key


def _local_queue(source: Source, found: KueueQueues, findings: list[Finding]) -> None:
    spec = spec_of(source, LocalQueueSpec, findings)
    if spec is None:
        return
    key = cluster_queue_key(spec.cluster_queue)
    if key not in found.admissions:
        text = f"there is no ClusterQueue '{spec.cluster_queue}' that can be read"
        findings.append(Finding(source, IGNORED, ".spec.clusterQueue", text))
    space = source.object.metadata.namespace or "default"
    found.routes[space, source.name()] = key, spec.stop_policy in STOPPED


def read_classes(sources: Sequence[Source], findings: list[Finding]) -> dict[str, int]:
    """Return the priorities of WorkloadPriorityClasses by name."""
    found = {}
    for source in sources:
        value = source.object.value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_PRIORITY:
            found[source.name()] = value
        else:
            findings.append(Finding(source, ERROR, ".value", "expected a whole number"))
    return found
