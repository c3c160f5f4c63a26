"""A live cluster or a folder of manifests as a scenario: what ``kubectl get nodes,pods -A -o json`` prints is enough.

People judge a scheduler on the cluster they have. So whatever lies around is read together: nodes with the labels
their provider gave them, pods that run under any scheduler, Jobs and JobSets not submitted yet. What decides is read
strictly; fields and kinds that do not matter here are ignored, and kinds that make pods but are not known get a
warning.

- *Ours to place* are pods with ``schedulerName: railwise``, with a ``railwise.dev/`` annotation, or held by our own
  gate alone; in a manifest also pods without a scheduler's name, since they were handed in to be planned.
- Pods of others that wait, or that another gate holds, are left out. Those that run keep their room and are never
  moved.
- Pods that have ended are left out; pods that are going away keep their room until they are gone.
- A workload has the name of the object that makes its pods (Job, JobSet, …), with the namespace in front where needed.
- Order is creation time, then name; what has no creation time follows in document order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from railwise.formats.kubernetes.cards import CARD_RESOURCES, NVIDIA_SHARED, Offers
from railwise.formats.kubernetes.dialects.catalog import NOTHING, Catalog, catalog_of
from railwise.formats.kubernetes.dialects.sources import ERROR, Finding
from railwise.formats.kubernetes.dialects.trees import NO_TREES, Trees, trees_of
from railwise.formats.kubernetes.gangs import Gang, Member, key_of, namespace
from railwise.formats.kubernetes.gather import Gathering
from railwise.formats.kubernetes.levels import unused_levels
from railwise.formats.kubernetes.lists import unfolded
from railwise.formats.kubernetes.names import ObjectName, short_names
from railwise.formats.kubernetes.nodes import NodeReading
from railwise.formats.kubernetes.occupants import occupant
from railwise.formats.kubernetes.ownership import agent_node, held_by_others, is_ours
from railwise.formats.kubernetes.pod_rules import Selectors, between_pods, read_rules
from railwise.formats.kubernetes.requests import demanded, ports
from railwise.formats.kubernetes.schema import Meta, PodSpec
from railwise.formats.kubernetes.storage import claims_of
from railwise.formats.kubernetes.time import Clock
from railwise.formats.kubernetes.workloads import Built, LivePod, Surroundings, build
from railwise.model.errors import Fault, InputError
from railwise.model.natural import NaturalKey, natural_key
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology

ENDED = ("Succeeded", "Failed")


class Reading(NamedTuple):
    """A cluster as read: the scenario, who holds each rank (by workload, group, rank), and what could not be read.

    A workload with a fault is in the scenario as invalid, so a live cluster loses only that one.
    """

    scenario: Scenario
    pods: dict[tuple[str, str, int], LivePod]
    faults: tuple[Fault, ...]


class Known(NamedTuple):
    """The cluster that objects without nodes are meant for.

    Its levels, what its cards are called, what its objects declare of queues and topologies, its PriorityClasses.
    """

    topologies: tuple[Topology, ...] = ()
    offers: Offers | None = None
    catalog: Catalog = NOTHING
    trees: Trees = NO_TREES
    classes: Mapping[str, int] = {}


NOTHING_KNOWN = Known()


class _Cluster:
    """The passes over one input."""

    def __init__(self, levels: str, known: Known) -> None:
        self.known = known
        self.gathering = Gathering()
        self.faults = self.gathering.faults
        self.warnings = self.gathering.warnings
        self.nodes = NodeReading(self.faults)
        self.clock = Clock()
        self.levels = levels
        self.occupants: list[tuple[int, Member]] = []
        self.left_out: Counter[str] = Counter()
        self.selectors = Selectors()

    def gather(self, objects: Sequence[tuple[str, object]]) -> None:
        position = 0
        for where, value in objects:
            for path, item in unfolded(where, value, self.faults):
                self.gathering.add(path, position, item)
                position += 1
        for where, node in self.gathering.nodes:
            self.nodes.add(where, node)
            self.nodes.limit(node.metadata.name, self.gathering.limits.get(node.metadata.name, {}))
        self.ask()

    def ask(self) -> None:
        """Take note of what the rules of pods and templates ask of others, and of who runs with which claim."""
        asking: list[tuple[Meta, PodSpec]] = []
        for _, member in self.gathering.pods:
            meta, spec = member.pod.metadata, member.pod.spec
            if member.pod.status.phase in ENDED:
                continue
            asking.append((meta, spec))
            for claim in claims_of(spec) if spec.node_name else ():
                self.gathering.volumes.held.setdefault((namespace(meta), claim), set()).add(meta.uid or meta.name)
        for key, gang in self.gathering.gangs.items():
            asking += [(msgspec.structs.replace(part.meta, namespace=key.namespace), part.spec) for part in gang.parts]
        for meta, spec in asking:
            if between_pods(spec):
                self.selectors.ask(read_rules(spec, namespace(meta), meta.labels, "")[0])

    def sort_pods(self) -> None:
        """Tell apart agents, occupants and pods of ours, and lay the latter into their gangs."""
        ours: list[tuple[int, Member]] = []
        seen: set[tuple[str, str]] = set()
        for position, member in self.gathering.pods:
            meta, status = member.pod.metadata, member.pod.status
            name = (namespace(meta), meta.name)
            if name in seen:
                self.faults.append(Fault(f"{member.where}.metadata.name", f"a second pod {name[0]}/{name[1]}"))
                continue
            seen.add(name)
            if status.phase in ENDED:
                continue
            self.clock.see(meta.creation_timestamp, f"{member.where}.metadata.creationTimestamp", self.faults)
            self.clock.see(status.start_time, f"{member.where}.status.startTime", self.faults)
            if self.is_agent(member):
                continue
            mine = is_ours(member.pod) or key_of(meta, member.pod.spec) in self.gathering.gangs
            if mine and meta.deletion_timestamp is None and not held_by_others(member.pod):
                ours.append((position, member))
            elif member.pod.spec.node_name:
                self.keep_room(position, member)
            elif meta.deletion_timestamp is None:
                gated = held_by_others(member.pod)
                self.left_out["another scheduling gate" if gated else member.pod.spec.scheduler_name] += 1
        self.gathering.seat_pods(ours)
        for gang in self.gathering.gangs.values():
            if not gang.whole:
                continue
            self.clock.see(gang.meta.creation_timestamp, f"{gang.where}.metadata.creationTimestamp", self.faults)

    def is_agent(self, member: Member) -> bool:
        """Take an agent's demand off its node and return True; an agent that holds cards counts as any other pod."""
        node = agent_node(member.pod)
        if node is None or (node and not self.nodes.known(node) and self.nodes.empty()):
            return False
        demand = demanded(member.pod.spec, f"{member.where}.spec", self.faults) | ports(member.pod.spec)
        meta = member.pod.metadata
        if self.nodes.known(node):
            if any(demand.get(resource) for resource in (*CARD_RESOURCES, NVIDIA_SHARED)):
                return False
            if between_pods(member.pod.spec) or self.selectors.labels(namespace(meta), meta.labels) is not None:
                return False
            self.nodes.take(node, demand)
        return True

    def keep_room(self, position: int, member: Member) -> None:
        """Keep the room of a pod that is not ours to move."""
        node = member.pod.spec.node_name
        if self.nodes.empty() or self.nodes.ready(node):
            self.occupants.append((position, member))
        elif self.nodes.known(node):
            self.nodes.occupy(node, demanded(member.pod.spec, f"{member.where}.spec", self.faults))

    def read(self) -> Reading:
        catalog = catalog_of(self.gathering.foreign)
        self.tell([*catalog.findings, *self.gathering.findings])
        trees = trees_of(catalog.topologies, self.nodes.labels(), self.levels)
        topologies = trees.topologies
        self.warnings.extend(unused_levels(topologies, self.nodes.labels()))
        nodes = self.nodes.nodes(trees)
        if self.nodes.offers.mixed():
            self.warnings.append("nodes differ in what nvidia.com/gpu means: waiting pods are given whole cards")
        for scheduler, count in sorted(self.left_out.items()):
            self.warnings.append(f"{count} waiting pod{'s are' if count > 1 else ' is'} left to {scheduler}")
        known, alone = self.known, self.nodes.empty()
        if alone and not self.gathering.foreign:
            catalog, trees = known.catalog, known.trees
        around = Surroundings(
            known.topologies if alone else topologies,
            self.nodes.offers if known.offers is None or not alone else known.offers,
            self.clock,
            frozenset(node.name for node in nodes),
            {**known.classes, **self.gathering.classes},
            self.gathering.default_priority,
            catalog,
            trees,
            volumes=self.gathering.volumes,
            selectors=self.selectors,
            gentle=frozenset(self.gathering.gentle),
        )
        built = self.workloads(around)
        pods = {(one.workload.name, *place): pod for one in built for place, pod in one.pods.items()}
        faults = [*self.faults, *(fault for one in built for fault in one.faults)]
        for one in built:
            self.warnings.extend(one.warnings)
        scenario = Scenario(
            topologies=topologies,
            nodes=nodes,
            queues=catalog.queues,
            workloads=tuple(one.workload for one in built),
            warnings=tuple(self.warnings),
        )
        return Reading(scenario, pods, tuple(sorted(dict.fromkeys(faults), key=_place)))

    def tell(self, findings: Sequence[Finding]) -> None:
        """Say what was found about objects of dialects: one that cannot be read is a fault, the rest a warning."""
        for one in findings:
            if one.grade == ERROR:
                self.faults.append(Fault(one.source.where + one.path, one.text, one.hint))
            else:
                self.warnings.append(one.told())

    def workloads(self, around: Surroundings) -> list[Built]:
        singles = [
            (ObjectName(namespace(member.pod.metadata), "pod", member.pod.metadata.name), position, member)
            for position, member in self.occupants
        ]
        entries: list[tuple[tuple[int, int, NaturalKey], ObjectName, Gang | Member]] = []
        for key, gang in self.gathering.gangs.items():
            entries.append((self.turn(gang.meta.creation_timestamp, gang.position, key), key, gang))
        for key, position, member in singles:
            entries.append((self.turn(member.pod.metadata.creation_timestamp, position, key), key, member))
        names = short_names([key for _, key, _ in entries])
        entries.sort(key=lambda entry: entry[0])
        built = []
        for order, (_, key, source) in enumerate(entries):
            if isinstance(source, Gang):
                built.append(build(source, names[key], order, around))
            else:
                built.append(occupant(source, names[key], order, around))
        return built

    def turn(self, stamp: object, position: int, key: ObjectName) -> tuple[int, int, NaturalKey]:
        """Return where a workload stands in the order of submission."""
        name = natural_key(f"{key.namespace}/{key.name}")
        return (1, position, name) if stamp is None else (0, self.clock.since(stamp), name)


def _place(fault: Fault) -> NaturalKey:
    return natural_key(fault.path)


def read_cluster(objects: Sequence[tuple[str, object]], levels: str = "", known: Known = NOTHING_KNOWN) -> Reading:
    """Return what the objects say, with the faults beside it; only unreadable ``levels`` raise InputError.

    Each object comes with where it stands (``pods.yaml[2]``), which starts the paths of its faults.
    """
    cluster = _Cluster(levels, known)
    cluster.gather(objects)
    cluster.sort_pods()
    return cluster.read()


def read_objects(
    objects: Sequence[tuple[str, dict[str, object]]], levels: str = "", known: Known = NOTHING_KNOWN
) -> Scenario:
    """Return the scenario that Kubernetes objects describe.

    ``levels`` names the levels of the default topology (``zone=LABEL,rack=LABEL`` from widest to narrowest); empty:
    they are found from the labels in common use. Objects without nodes are read against what is ``known``. Raises
    InputError with every fault found, each with document and path.
    """
    reading = read_cluster(objects, levels, known)
    if reading.faults:
        raise InputError(list(reading.faults))
    return reading.scenario
