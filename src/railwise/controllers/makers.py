"""The objects that make pods, by the gangs they make: Jobs, JobSets, LeaderWorkerSets; and PodGroups with rules.

PodGroups of other systems come as they stand; what one of them says is read once, and what is wrong with it is found on
it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from railwise.formats.kubernetes.dialects.grouping import GroupRule
from railwise.formats.kubernetes.dialects.rules import rule_of
from railwise.formats.kubernetes.dialects.sources import OPERATOR_KINDS, VOLCANO_JOB, Finding, Foreign, Kind, Source
from railwise.formats.kubernetes.gangs import Gang, key_of, namespace, of_job, of_jobset, of_leader_workers
from railwise.formats.kubernetes.gather import PARTS_OF
from railwise.formats.kubernetes.kinds import Job, JobSet, LeaderWorkerSet, PodGroup
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.operators import of_operator
from railwise.formats.kubernetes.schema import PodSpec
from railwise.formats.kubernetes.volcano_jobs import of_volcano_job

Maker = Job | JobSet | LeaderWorkerSet | PodGroup


class Makers:
    """Makers by the key of each gang they make."""

    def __init__(self) -> None:
        """Start empty; ``changed`` says that a PodGroup of another system has."""
        self.gangs: dict[ObjectName, Callable[[], Gang | None]] = {}
        self.groups: dict[ObjectName, PodGroup] = {}
        self.rules: dict[ObjectName, GroupRule] = {}
        self.changed = False
        self._keys: dict[str, list[ObjectName]] = {}
        self._foreign: dict[str, Source] = {}
        self._findings: dict[str, list[Finding]] = {}

    def put(self, maker: Maker) -> Iterable[ObjectName]:
        """Take in a maker as it is now and return the gangs that may look different."""
        before = self._keys.pop(maker.metadata.uid, [])
        for key in before:
            self._forget(key)
        keys = self._kept(maker)
        self._keys[maker.metadata.uid] = keys
        return {*before, *keys}

    def put_rule(self, kind: Kind, found: Foreign) -> Iterable[ObjectName]:
        """Take in a PodGroup of another system and return the gangs that may look different."""
        meta = found.metadata
        before = self._foreign.get(meta.uid)
        source = Source(kind, f"{kind.kind} {namespace(meta)}/{meta.name}", found)
        self._foreign[meta.uid] = source
        if before is not None and _alike(before.object, found):
            return ()
        self.changed = True
        gone = self.drop_rule(meta.uid)
        self._foreign[meta.uid] = source
        findings = self._findings.setdefault(meta.uid, [])
        if kind == VOLCANO_JOB or kind in OPERATOR_KINDS:
            return {*gone, *self._put_job(source, findings)}
        rule = rule_of(source, findings)
        if rule is None:
            return gone
        self.rules[rule.key] = rule
        self._keys[meta.uid] = [rule.key]
        return {*gone, rule.key}

    def _put_job(self, source: Source, findings: list[Finding]) -> list[ObjectName]:
        read = of_volcano_job if source.kind == VOLCANO_JOB else of_operator
        made = read(source, 0, findings)
        keys = [] if made is None else [made.key]
        for key in keys:
            self.gangs[key] = partial(read, source, 0, [])
        self._keys[source.object.metadata.uid] = keys
        return keys

    def drop_rule(self, uid: str) -> Iterable[ObjectName]:
        """Forget a PodGroup of another system and return the gangs that may look different."""
        self.changed = self._foreign.pop(uid, None) is not None or self.changed
        self._findings.pop(uid, None)
        return self.drop(uid)

    def rule_uids(self, kind: Kind) -> list[str]:
        """Return the uids of all PodGroups of a kind of another system."""
        return [uid for uid, source in self._foreign.items() if source.kind == kind]

    def told(self) -> tuple[list[Source], list[Finding]]:
        """Return the PodGroups of other systems and what was found about them."""
        return list(self._foreign.values()), [one for found in self._findings.values() for one in found]

    def drop(self, uid: str) -> Iterable[ObjectName]:
        """Forget a maker and return the gangs that may look different."""
        keys = self._keys.pop(uid, [])
        for key in keys:
            self._forget(key)
        return keys

    def uids(self, kind: type[Maker]) -> list[str]:
        """Return the uids of all makers of a kind."""
        words = {Job: "job", JobSet: "jobset", LeaderWorkerSet: "leaderworkerset", PodGroup: "podgroup"}
        return [uid for uid, keys in self._keys.items() if keys and keys[0].kind == words[kind]]

    def _forget(self, key: ObjectName) -> None:
        self.gangs.pop(key, None)
        self.groups.pop(key, None)
        self.rules.pop(key, None)

    def _kept(self, maker: Maker) -> list[ObjectName]:
        meta = maker.metadata
        where = f"{type(maker).__name__} {namespace(meta)}/{meta.name}"
        if isinstance(maker, PodGroup):
            key = ObjectName(namespace(meta), "podgroup", meta.name)
            self.groups[key] = maker
            return [key]
        if isinstance(maker, Job):
            if key_of(meta, PodSpec()).kind in PARTS_OF:
                return []
            key = ObjectName(namespace(meta), "job", meta.name)
            self.gangs[key] = partial(of_job, where, maker, 0)
            return [key]
        if isinstance(maker, JobSet):
            key = ObjectName(namespace(meta), "jobset", meta.name)
            self.gangs[key] = partial(of_jobset, where, maker, 0)
            return [key]
        keys = []
        for index, gang in enumerate(of_leader_workers(where, maker, 0)):
            self.gangs[gang.key] = partial(_nth, where, maker, index)
            keys.append(gang.key)
        return keys


def _nth(where: str, maker: LeaderWorkerSet, index: int) -> Gang | None:
    gangs = of_leader_workers(where, maker, 0)
    return gangs[index] if index < len(gangs) else None


def _alike(one: Foreign, other: Foreign) -> bool:
    """Return whether nothing that decides is different: of a status only the state of a Job."""
    states = [found.status.get("state") if isinstance(found.status, dict) else None for found in (one, other)]
    return one.spec == other.spec and states[0] == states[1]
