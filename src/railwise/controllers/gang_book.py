"""The gangs of a live cluster: which pods belong together, whether all that are needed are there, what they ask for.

Two rules keep a gang whole:

- A gang is submitted when as many of its pods exist as it needs: as its maker says (a Job's parallelism, a JobSet, a
  LeaderWorkerSet, a PodGroup's ``minCount``), or its annotation ``railwise.dev/min-pods``. Where a maker is not known,
  the pods that exist are taken for all once no other has come for a second.
- From then on it asks for the pods that exist, no more: room is not held for a pod that nobody has made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from railwise.controllers.patterns import Patterns
from railwise.controllers.roles import OCCUPANT
from railwise.formats.contradictions import contradiction
from railwise.formats.kubernetes.annotations import LARGEST_COUNT, PREFIX
from railwise.formats.kubernetes.dialects.grouping import GroupRule
from railwise.formats.kubernetes.gangs import ONE, Gang, Member
from railwise.formats.kubernetes.gather import COPIES, Gathering
from railwise.formats.kubernetes.kinds import PodGroup
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.occupants import occupant
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.workloads import Built, LivePod, Surroundings, build, sentence
from railwise.model.workload import Group, Workload

SETTLE = 1.0
"""Seconds without another pod after which a gang without a known maker is taken to be complete."""

Place = tuple[str, int]
"""Group (path) and rank of a pod inside its workload."""


@dataclass
class LiveGang:
    """A gang: its pods by uid, and what the engine was told of it.

    The last pod came at ``grown_at``; that others are lacking was said of the gang as of ``told_at``; until
    ``spared_until`` it is no victim. ``places`` is where the engine believes its pods to be, ``pods`` says which pod
    holds which place, ``told`` is the workload as it was submitted last (None: it was not), ``ignored`` what of its
    wishes was said to mean nothing. ``orphaned``: what makes its pods is gone or going, so those that wait go too.
    """

    key: ObjectName
    name: str
    order: int = 0
    members: dict[str, Pod] = field(default_factory=dict)
    grown_at: float = 0.0
    told_at: float = float("-inf")
    started: bool = False
    spared_until: float = float("-inf")
    told: Workload | None = None
    places: dict[Place, str] = field(default_factory=dict)
    pods: dict[Place, LivePod] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    orphaned: bool = False


class Lacking(Exception):  # noqa: N818 -- no error, but an answer
    """A gang is not complete: so many of its pods are there; more may come until ``until`` (seconds; 0: unknown)."""

    def __init__(self, there: int, needed: int, until: float = 0.0) -> None:
        """Keep the numbers; ``needed`` 0: unknown."""
        super().__init__(f"{there} of {needed}")
        self.there = there
        self.needed = needed
        self.until = until


class GangReader:
    """Makes workloads of gangs, against what is known of their makers."""

    def __init__(
        self,
        makers: Mapping[ObjectName, Callable[[], Gang | None]],
        groups: Mapping[ObjectName, PodGroup],
        rules: Mapping[ObjectName, GroupRule],
    ) -> None:
        """Keep where makers and PodGroups are found; a maker is a function that makes a fresh, empty gang.

        ``rules`` are what PodGroups of other systems say.
        """
        self._makers = makers
        self._groups = groups
        self._rules = rules
        self._patterns = Patterns()
        self.ignored: list[tuple[Pod, str]] = []

    def here(self, gang: LiveGang, around: Surroundings) -> bool:
        """Return whether there is anything of a gang: somebody else's pod on a node that is not there holds no room."""
        pods = gang.members.values()
        return any(gang.key.kind != OCCUPANT or pod.spec.node_name in around.known_nodes for pod in pods)

    def read(self, gang: LiveGang, assumed: Mapping[str, str], around: Surroundings, now: float) -> Built:
        """Return the workload of a gang as its pods are; ``assumed`` are nodes of pods that are being bound, by uid.

        Raises:
            Lacking: not all pods that it needs are there.
        """
        if gang.key.kind == OCCUPANT:
            return occupant(Member(_where(gang.key), next(iter(gang.members.values()))), gang.name, gang.order, around)
        if gang.key.kind == "pod" and len(gang.members) == 1 and min_pods(gang) <= 1:
            (pod,) = _placed(gang, assumed)
            built = self._patterns.read(
                pod, gang.name, gang.order, around, lambda: self._whole(gang, assumed, around, now)
            )
        else:
            built = self._whole(gang, assumed, around, now)
        if gang.spared_until > now:
            built = built._replace(workload=replace(built.workload, preemptible=False))
        return built

    def _note(self, gang: LiveGang, built: Built) -> None:
        """Remember what of a gang's wishes means nothing, the same once."""
        if not built.warnings and not gang.ignored:
            return
        pod = next(iter(gang.members.values()))
        self.ignored += [(pod, one) for one in built.warnings if one not in gang.ignored]
        gang.ignored = tuple(built.warnings)

    def _whole(self, gang: LiveGang, assumed: Mapping[str, str], around: Surroundings, now: float) -> Built:
        self._glance(gang, assumed)
        shape = self._shape(gang, assumed)
        there = sum(len(part.members) for part in shape.parts)
        needed = self._needed(gang, shape, now)
        started = gang.started or any(uid in assumed for uid in gang.members)
        if not started and there < needed:
            raise Lacking(there, needed)
        _trim(shape)
        built = build(shape, gang.name, gang.order, around)
        self._note(gang, built)
        return _bounded(built, needed)

    def _glance(self, gang: LiveGang, assumed: Mapping[str, str]) -> None:
        """See whether pods are lacking, as far as that can be seen without reading every pod of a large gang.

        Raises:
            Lacking: they are.
        """
        if gang.orphaned and not any(_has_place(uid, pod, assumed) for uid, pod in gang.members.items()):
            raise Lacking(len(gang.members), 0)
        if gang.started or any(uid in assumed for uid in gang.members):
            return
        told = min_pods(gang)
        if not told and gang.key not in self._groups and gang.key in self._makers:
            made = self._makers[gang.key]()
            told = made.min_count or sum(part.pods for part in made.parts) if made is not None else 0
        if len(gang.members) < told:
            raise Lacking(len(gang.members), told)

    def _shape(self, gang: LiveGang, assumed: Mapping[str, str]) -> Gang:
        """Return the gang with its pods laid in."""
        gathering = Gathering()
        make = self._makers.get(gang.key)
        made = make() if make is not None else None
        if made is not None:
            gathering.gangs[gang.key] = made
        group = self._groups.get(gang.key)
        if group is not None:
            gathering.pod_groups[gang.key] = (_where(gang.key), group)
        rule = self._rules.get(gang.key)
        if rule is not None:
            gathering.rules[gang.key] = rule
        members = [(gang.order, Member(f"pod {pod.metadata.name}", pod)) for pod in _placed(gang, assumed)]
        gathering.seat_pods(members)
        return gathering.gangs[gang.key]

    def _needed(self, gang: LiveGang, shape: Gang, now: float) -> int:
        """Return how many pods have to be there.

        Raises:
            Lacking: that will be known later.
        """
        told = min_pods(gang)
        if told:
            return told
        if shape.min_count:
            self._check_parts(gang, shape)
            return shape.min_count
        if gang.key.kind == "pod" or shape.needs == ONE or gang.key.kind in COPIES:
            return 1
        if gang.key in self._makers or gang.started:
            return sum(part.pods for part in shape.parts)
        until = gang.grown_at + SETTLE
        if now < until:
            raise Lacking(len(gang.members), 0, until)
        return 1

    def _check_parts(self, gang: LiveGang, shape: Gang) -> None:
        """Look whether every part is there that a PodGroup of another system needs.

        Raises:
            Lacking: one is not.
        """
        rule = self._rules.get(gang.key)
        if rule is None or gang.started or rule.min_groups or any(one.min_groups for one in rule.branches.values()):
            return
        there = Counter({part.group: 0 for part in shape.parts})
        for part in shape.parts:
            there[part.group] += len(part.members)
        if any(there[name] < part.min_count for name, part in rule.parts.items()):
            raise Lacking(there.total(), shape.min_count)


def _placed(gang: LiveGang, assumed: Mapping[str, str]) -> Iterator[Pod]:
    """Yield the pods of a gang; those that are being bound as if they were, and none that go before they are placed."""
    for uid, pod in gang.members.items():
        if gang.orphaned and not _has_place(uid, pod, assumed):
            continue
        node = assumed.get(uid)
        if node and not pod.spec.node_name:
            yield msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, node_name=node))
        else:
            yield pod


def _has_place(uid: str, pod: Pod, assumed: Mapping[str, str]) -> bool:
    return bool(pod.spec.node_name) or uid in assumed


def min_pods(gang: LiveGang) -> int:
    """Return the number in the annotation of the pods, 0 if there is none; one that cannot be read is told later."""
    for pod in gang.members.values():
        text = pod.metadata.annotations.get(f"{PREFIX}min-pods", "")
        if text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_COUNT)):
            number = int(text)
            return number if number <= LARGEST_COUNT else 0
    return 0


def _trim(shape: Gang) -> None:
    """Ask for the pods that are there: a rank without a pod cannot be bound."""
    parts = [part for part in shape.parts if part.members]
    for part in parts:
        part.pods = len(part.members)
    shape.parts[:] = parts
    shape.min_count = min(shape.min_count, sum(part.pods for part in parts))


def _bounded(built: Built, needed: int) -> Built:
    """Return a gang that has lost pods as one that needs no more than it has: the others are not there to be placed."""
    root = built.workload.root
    if root.groups or needed <= root.pods:
        return built
    root = replace(root, min_pods=min(root.min_pods, root.pods))
    invalid = sentence(next((fault.text() for fault in built.faults), "")) or contradiction((root,))
    return built._replace(workload=replace(built.workload, root=root, invalid=invalid))


def _where(key: ObjectName) -> str:
    return f"{key.kind} {key.namespace}/{key.name}"


def places_of(workload: Workload) -> dict[Place, str]:
    """Return where the pods of a workload are said to run."""
    found: dict[Place, str] = {}
    _collect(workload.root, "", found)
    return found


def pod_name(workload: str, group: str, rank: int) -> str:
    """Return how the engine calls a pod."""
    return f"{workload}-{group.replace('/', '-')}-{rank}" if group else f"{workload}-{rank}"


def ruled(group: Group) -> bool:
    """Return whether rules between pods matter to any pod of a group."""
    return group.pod_rules is not None or any(ruled(child) for child in group.groups)


def _collect(group: Group, path: str, found: dict[Place, str]) -> None:
    if group.running is not None:
        found.update({(path, rank): node for rank, node in enumerate(group.running.nodes) if node is not None})
    for child in group.groups:
        _collect(child, f"{path}/{child.name}" if path else child.name, found)


def without_places(workload: Workload) -> Workload:
    """Return a workload without where it runs, to compare what it asks for."""
    return replace(workload, root=_idle(workload.root))


def _idle(group: Group) -> Group:
    if group.running is None and not group.groups:
        return group
    return replace(group, running=None, groups=tuple(_idle(child) for child in group.groups))
