"""From gangs of pods to workloads: one root, or one group for each part, with what the annotations ask for.

Pods that run already carry what admission made of their template, so the first of them speaks for its part; before
there are any, the template does. A pod of another scheduler, or one that is going away, is a workload of its own,
bound to its node and never a victim: its place is a fact, not a choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from railwise.formats.contradictions import contradiction
from railwise.formats.kubernetes.annotations import NODE_POOL, Layer, Wishes, level_named, read_wishes, unknown_keys
from railwise.formats.kubernetes.arrangement import NO_RULE, arranged, paths
from railwise.formats.kubernetes.cards import Offers
from railwise.formats.kubernetes.dialects.admission import Admission
from railwise.formats.kubernetes.dialects.catalog import NOTHING, Catalog
from railwise.formats.kubernetes.dialects.grouping import Branch
from railwise.formats.kubernetes.dialects.marks import Place, resolved
from railwise.formats.kubernetes.dialects.sayings import NOTHING_SAID, Says
from railwise.formats.kubernetes.dialects.speaking import says
from railwise.formats.kubernetes.dialects.trees import Trees
from railwise.formats.kubernetes.gangs import ONE, Gang, Member, Part, namespace, seat
from railwise.formats.kubernetes.pod_rules import Selectors, between_pods, read_rules
from railwise.formats.kubernetes.priorities import may_go, priority_of
from railwise.formats.kubernetes.requests import demanded, in_base_units, ports
from railwise.formats.kubernetes.rules import both, selection, unsupported
from railwise.formats.kubernetes.schema import Meta, PodSpec
from railwise.formats.kubernetes.storage import Volumes
from railwise.formats.kubernetes.time import Clock
from railwise.model.errors import Fault
from railwise.model.pod_rules import PodRules
from railwise.model.topology import Topology
from railwise.model.workload import Group, Running, Selection, TopologyRule, Traffic, Workload

NO_CONDITION = Admission()
"""What a queue asks of its work as a rule: nothing."""


class LivePod(NamedTuple):
    """A pod that is there: what the API server calls it."""

    namespace: str
    name: str
    uid: str


@dataclass
class Surroundings:
    """What a workload is read against: the cluster's topologies and cards, priority classes, and the clock.

    ``catalog`` and ``trees`` are what objects declare of queues and topologies.
    ``volumes`` are what pods may claim, ``selectors`` what the rules of pods ask of others; ``gentle`` names priority
    classes whose pods stop nobody.
    """

    topologies: tuple[Topology, ...]
    offers: Offers
    clock: Clock
    known_nodes: frozenset[str]
    classes: Mapping[str, int] = field(default_factory=dict)
    default_priority: int = 0
    catalog: Catalog = NOTHING
    trees: Trees = field(default_factory=Trees)
    volumes: Volumes = field(default_factory=Volumes)
    selectors: Selectors = field(default_factory=Selectors)
    gentle: frozenset[str] = frozenset()


class Built(NamedTuple):
    """A workload with the pods that hold its ranks: (group, rank) of each live pod, its faults and its warnings."""

    workload: Workload
    pods: dict[tuple[str, int], LivePod]
    faults: list[Fault]
    warnings: list[str]


LONGEST = 500
"""Characters of what is said of a workload that cannot be read."""


def sentence(text: str) -> str:
    """Return a text that may quote what others wrote as one that any document can hold: short, on one line."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: LONGEST + 1])
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


class _Builder:
    """Builds one workload."""

    def __init__(self, gang: Gang, name: str, around: Surroundings) -> None:
        self.gang = gang
        self.name = name
        self.around = around
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        self.trouble = ""
        self.admission = NO_CONDITION
        self.pods: dict[tuple[str, int], LivePod] = {}

    def build(self, order: int) -> Built:
        gang = self.gang
        outer = [self.layer(f"{gang.where}.metadata", gang.meta, gang.says)] if gang.whole else []
        single = len(gang.parts) == 1 and not gang.parts[0].name
        whole = self.wishes(outer)
        parts = [self.wishes([*outer, *self.layers(one)] if single else self.layers(one)) for one in gang.parts]
        if single:
            whole = parts[0]
        said = [whole, *parts]
        queue = next((wishes.queue for wishes in said if wishes.queue), "default")
        self.admission = self.around.catalog.admissions.get(queue, NO_CONDITION)
        groups = [self.group(part, wishes) for part, wishes in zip(gang.parts, parts, strict=True)]
        root = groups[0] if single else self.root(whole, groups, parts)
        self.refuse(next((wishes.refused for wishes in said if wishes.refused), ""))
        self.refuse(self.admission.problem(gang.key.namespace))
        named = next((wishes.priority_class for wishes in said if wishes.priority_class), "")
        priority = priority_of(_spec(gang.parts[0])[1], named, self.around, gang.where, self.warnings)
        traffic = next((wishes.traffic for wishes in said if wishes.traffic), "")
        workload = Workload(
            name=self.name,
            root=root,
            queue=queue,
            priority=priority,
            submit=self.around.clock.since(gang.meta.creation_timestamp),
            order=order,
            kind=next((wishes.kind for wishes in said if wishes.kind), gang.kind or "batch"),
            preemptible=may_go(next((wishes.preemptible for wishes in said if wishes.preemptible), ""), priority),
            suspend=gang.suspend or (any(wishes.held for wishes in said) and not runs(root)),
            preempts=all(self.preempts(_spec(part)[1]) for part in gang.parts),
            duration=next((wishes.duration for wishes in said if wishes.duration), 0),
            traffic=Traffic(traffic) if traffic else None,
            invalid=sentence(next((fault.text() for fault in self.faults), "")) or contradiction((root,)),
            unsupported=sentence(self.trouble),
        )
        return Built(workload, self.pods, self.faults, self.warnings)

    def layer(self, where: str, meta: Meta, further: Says = NOTHING_SAID) -> Layer:
        """Return what an object says, in our words and in those of others; ``further`` is said of it elsewhere."""
        around = self.around
        found, warnings = says(Place(where, meta, self.gang.key.namespace, around.catalog, around.trees))
        self.warnings.extend(warning for warning in warnings if warning not in self.warnings)
        if further:
            found = {**resolved(further, self.gang.key.namespace, around.catalog, around.trees), **found}
        return Layer(where, meta.annotations, found)

    def layers(self, part: Part) -> list[Layer]:
        """Return what speaks of a part, nearest to the pod last."""
        layers = [self.layer(f"{where}.metadata", meta) for where, meta in part.outer]
        layers.append(self.layer(f"{part.where}.metadata", part.meta, part.says))
        member = next(iter(part.members), None)
        if member is not None and member.where != part.where:
            layers.append(self.layer(f"{member.where}.metadata", member.pod.metadata))
        return layers

    def wishes(self, layers: Sequence[Layer]) -> Wishes:
        self.warnings.extend(warning for warning in unknown_keys(layers) if warning not in self.warnings)
        found: list[Fault] = []
        wishes = read_wishes(layers, self.around.topologies, found)
        self.faults.extend(fault for fault in found if fault not in self.faults)
        return wishes

    def root(self, wishes: Wishes, groups: list[Group], said: list[Wishes]) -> Group:
        if wishes.min_pods:
            self.refuse("min-pods on a workload with groups is not supported; put it on the pod templates")
        if wishes.segment is not None:
            self.refuse("segments across groups are not supported; put them on the pod templates")
        counted = self.gang.min_count and not self.gang.branches and not any(part.min_count for part in self.gang.parts)
        if counted and self.gang.min_count != sum(group.pods for group in groups):
            self.refuse("a PodGroup of unequal pods needs all of them; a smaller minCount is not supported")
        inner, common, trouble = arranged(self.gang, groups, said, self.branch_rule)
        self.refuse(trouble and f"{trouble} are not supported")
        rule = self.rule(wishes.rule)
        places = paths(inner)
        self.pods = {(places.get(name, name), rank): pod for (name, rank), pod in self.pods.items()}
        least = min(self.gang.min_groups or (1 if self.gang.needs == ONE else len(inner)), len(inner))
        return Group(topology=rule if common == NO_RULE else common, groups=inner, min_groups=least)

    def branch_rule(self, branch: Branch) -> TopologyRule:
        """Return the rule of what lies in a branch."""
        around = self.around
        meant = resolved(branch.says, self.gang.key.namespace, around.catalog, around.trees)
        return self.wishes([Layer(self.gang.where, {}, meant)]).rule

    def refuse(self, trouble: str) -> None:
        """Note what cannot be honoured; the first one counts."""
        self.trouble = self.trouble or trouble

    def rule(self, rule: TopologyRule) -> TopologyRule:
        """Return the rule with the level that an upstream PodGroup requires, unless an annotation names one."""
        if rule.required or not self.gang.required:
            return rule
        topologies = self.around.topologies
        default = rule.name or (topologies[0].name if topologies else "")
        return replace(rule, required=level_named(self.gang.required, topologies, default))

    def group(self, part: Part, wishes: Wishes) -> Group:
        seats = seat(part)
        where, spec = _spec(part)
        bound = next((member.pod.spec.node_name for member in seats if member and member.pod.spec.node_name), "")
        demand = in_base_units(demanded(spec, where, self.faults))
        demand |= ports(spec)
        volumes = self.around.volumes.rule(spec, self.space(), where, self.uids())
        demand |= volumes.attached
        request, trouble = self.around.offers.request(demand, bound)
        self.refuse(trouble or unsupported(spec, where) or volumes.trouble)
        chosen = selection(spec, where, self.faults)
        terms = both(chosen.terms, volumes.terms)
        self.refuse("" if terms is not None else f"{where}.volumes: too many node terms")
        chosen = replace(chosen, terms=terms or ()) if volumes.terms else chosen
        if wishes.slice and self.gang.key.kind != "jobset":
            self.refuse("a slice without its size is only known in a JobSet")
        least = 1 if self.gang.needs == ONE else len(seats)
        rule = wishes.rule if part.name else self.rule(wishes.rule)
        return Group(
            name=part.name,
            pods=len(seats),
            min_pods=wishes.min_pods or part.min_count or (self.gang.min_count if not part.name else 0) or least,
            request=request,
            topology=rule,
            segment=wishes.segment,
            selection=self.selected(chosen, demand, wishes),
            running=self.running(part, seats),
            pod_rules=self.pod_rules(part, spec, where),
        )

    def space(self) -> str:
        """Return the namespace of the pods."""
        return self.gang.key.namespace

    def uids(self) -> frozenset[str]:
        """Return the pods that are there."""
        metas = [member.pod.metadata for part in self.gang.parts for member in part.members]
        return frozenset(meta.uid or meta.name for meta in metas)

    def pod_rules(self, part: Part, spec: PodSpec, where: str) -> PodRules | None:
        """Return what the pods of a part are to others, None where that matters to nobody."""
        metas = [member.pod.metadata for member in part.members] or [part.meta]
        selectors = self.around.selectors
        known = [selectors.labels(self.space(), meta.labels) for meta in metas]
        labels = next((one for one in known if one is not None), None)
        if not between_pods(spec):
            rules = PodRules(self.space())
        else:
            rules, trouble = read_rules(spec, self.space(), metas[0].labels, where)
            self.refuse(trouble)
        if any(one != labels for one in known):
            self.refuse(f"{where}: pods of one group differ in labels that rules between pods select")
        if labels is None and not rules.asks():
            return None
        return replace(rules, labels=labels or ())

    def selected(self, selection: Selection, demand: Mapping[str, int], wishes: Wishes) -> Selection:
        """Return which nodes a part may use, with what its queue and its node pool add."""
        if wishes.node_pool:
            selection = replace(selection, labels=(*selection.labels, (NODE_POOL, wishes.node_pool)))
        return self.admission.applied(selection, demand)

    def running(self, part: Part, seats: list[Member | None]) -> Running | None:
        nodes: list[str | None] = []
        starts = []
        for rank, member in enumerate(seats):
            node = self.place(member)
            nodes.append(node)
            if member is not None:
                meta = member.pod.metadata
                self.pods[part.name, rank] = LivePod(namespace(meta), meta.name, meta.uid)
                if node:
                    starts.append(self.around.clock.since(member.pod.status.start_time or meta.creation_timestamp))
        if not starts:
            return None
        while nodes[-1] is None:
            nodes.pop()
        return Running(tuple(nodes), min(starts))

    def place(self, member: Member | None) -> str | None:
        """Return the node a pod holds: none that the cluster does not have any more."""
        node = member.pod.spec.node_name if member is not None else ""
        gone = node and self.around.known_nodes and node not in self.around.known_nodes
        return None if gone or not node else node

    def preempts(self, spec: PodSpec) -> bool:
        """Return whether others may have to stop for a pod."""
        if spec.preemption_policy:
            return spec.preemption_policy != "Never"
        return spec.priority_class_name not in self.around.gentle


def runs(group: Group) -> bool:
    """Return whether a pod of a group runs."""
    return group.running is not None or any(runs(one) for one in group.groups)


def _spec(part: Part) -> tuple[str, PodSpec]:
    """Return the path and spec that speak for a part: of a bound pod, of any pod, else of the template."""
    bound = [member for member in part.members if member.pod.spec.node_name]
    for member in (bound or part.members)[:1]:
        return f"{member.where}.spec", member.pod.spec
    return f"{part.where}.spec", part.spec


def build(gang: Gang, name: str, order: int, around: Surroundings) -> Built:
    """Return the workload of a gang under the given name and place in the order of submission."""
    return _Builder(gang, name, around).build(order)
