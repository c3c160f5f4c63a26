"""Pods that are none of ours: they keep their room, and others away, and are never moved."""

from __future__ import annotations

from railwise.formats.kubernetes.gangs import Member, namespace
from railwise.formats.kubernetes.pod_rules import between_pods, read_rules
from railwise.formats.kubernetes.requests import demanded, in_base_units, ports
from railwise.formats.kubernetes.schema import Meta, PodSpec
from railwise.formats.kubernetes.workloads import Built, LivePod, Surroundings
from railwise.model.errors import Fault
from railwise.model.pod_rules import PodRules
from railwise.model.requirement import Requirement
from railwise.model.workload import Group, Request, Running, Selection, TopologyRule, Workload


def occupant(member: Member, name: str, order: int, around: Surroundings) -> Built:
    """Return the workload of a pod that is none of ours: it takes its room on its node."""
    spec, meta = member.pod.spec, member.pod.metadata
    faults: list[Fault] = []
    where, space = f"{member.where}.spec", namespace(meta)
    demand = in_base_units(demanded(spec, where, faults)) | ports(spec)
    demand |= around.volumes.rule(spec, space, where).attached
    request, _ = around.offers.request(demand, spec.node_name)
    here = ((Requirement("metadata.name", "In", (spec.node_name,), of_field=True),),)
    since = around.clock.since(member.pod.status.start_time or meta.creation_timestamp)
    root = Group(
        pods=1,
        min_pods=1,
        request=Request(request.cards, request.resources),
        topology=TopologyRule(),
        selection=Selection(terms=here),
        running=Running((spec.node_name,), since),
        pod_rules=_of_occupant(spec, meta, around),
    )
    priority = spec.priority if spec.priority is not None else 0
    submit = around.clock.since(meta.creation_timestamp)
    workload = Workload(name=name, root=root, priority=priority, submit=submit, order=order, preemptible=False)
    return Built(workload, {("", 0): LivePod(namespace(meta), meta.name, meta.uid)}, faults, [])


def _of_occupant(spec: PodSpec, meta: Meta, around: Surroundings) -> PodRules | None:
    """Return what a pod that runs is to others: whom it keeps away, and the labels that others ask for."""
    space = namespace(meta)
    labels = around.selectors.labels(space, meta.labels)
    rules = read_rules(spec, space, meta.labels, "")[0] if between_pods(spec) else PodRules(space)
    if labels is None and not rules.anti_affinity:
        return None
    leaving = meta.deletion_timestamp is not None
    return PodRules(space, labels or (), anti_affinity=rules.anti_affinity, leaving=leaving)
