"""The pods of a live cluster: what each is to us, which gang it is in, and what it is on its way to.

A pod may be *assumed* (a plan has put it on a node, the server has not said so yet), *leaving* (it is being evicted;
its room is given away already) or *held back* (a bind failed; it waits before it is tried again). Each of these begins
with something we did and ends with something the server says; whatever changes marks the gang to be read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import msgspec

from railwise.controllers.gang_book import LiveGang
from railwise.controllers.node_book import NodeBook
from railwise.controllers.roles import ENDED, NO_ROLE, Part, Role, demand_of, role_of
from railwise.controllers.volume_book import VolumeBook
from railwise.formats.kubernetes.gangs import namespace
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.pod_rules import Selectors, between_pods, read_rules
from railwise.formats.kubernetes.schema import Pod
from railwise.model.pod_rules import PodRules

SPARED = 30.0
"""Seconds for which a workload is not asked to go again after one of its pods could not be evicted."""


class PodBook:
    """Pods by uid. ``assumed`` and ``leaving`` hold the node; ``marked`` the gangs that have to be read again.

    ``kind`` is the structure that pods are decoded to.
    """

    kind: type[Pod] = Pod

    def __init__(self, scheduler: str, nodes: NodeBook, steady: Callable[[], float] = time.monotonic) -> None:
        """Start empty; ``scheduler`` is the name that our pods name, ``steady`` gives seconds."""
        self.scheduler = scheduler
        self.pods: dict[str, Pod] = {}
        self.gangs: dict[ObjectName, LiveGang] = {}
        self.by_name: dict[str, LiveGang] = {}
        self.assumed: dict[str, str] = {}
        self.leaving: dict[str, str] = {}
        self.marked: dict[ObjectName, None] = {}
        self.selectors = Selectors()
        self.volumes = VolumeBook(nodes)
        self._asking: dict[str, PodRules] = {}
        self._unheard = False
        self._seen: dict[str, int] = {}
        self._nodes = nodes
        self._steady = steady
        self._roles: dict[str, Role] = {}
        self._held: dict[str, float] = {}
        self._spared: list[LiveGang] = []

    def put(self, pod: Pod) -> None:
        """Take in a pod as it is now."""
        uid = pod.metadata.uid
        before = self.pods.get(uid)
        self.pods[uid] = pod
        role = self._roles.get(uid, NO_ROLE)
        if before is not None and _alike(before, pod):
            if role.key is not None:
                self.gangs[role.key].members[uid] = pod
            return
        if pod.spec.node_name and self.assumed.get(uid) == pod.spec.node_name and role.key is not None:
            del self.assumed[uid]
            gang = self.gangs[role.key]
            if before is not None and gang.told is not None and _confirms(before, pod):
                gang.members[uid] = pod
                gang.started = True
                return
        self._ask(uid, pod)
        self.volumes.unused(uid)
        self.volumes.used(pod)
        self._recast(uid)

    def drop(self, uid: str) -> None:
        """Forget a pod that is gone."""
        if self.pods.pop(uid, None) is not None:
            self.assumed.pop(uid, None)
            self.leaving.pop(uid, None)
            self._held.pop(uid, None)
            self._seen.pop(uid, None)
            self._ask(uid, None)
            self.volumes.unused(uid)
            self._recast(uid)

    def assume(self, uid: str, node: str) -> None:
        """Hear that a plan has put a pod on a node, made of all news there are of it."""
        self.assumed[uid] = node
        self._seen[uid] = self._nodes.news_of(node)
        self.volumes.hold(uid)

    def replace(self, pods: Sequence[Pod]) -> None:
        """Take in all pods there are."""
        for uid in self.pods.keys() - {pod.metadata.uid for pod in pods}:
            self.drop(uid)
        for pod in pods:
            self.put(pod)

    def fresh(self, uid: str) -> bool:
        """Return whether nothing new was heard of the node of an assumed pod since it was put there."""
        news = self._nodes.news_of(self.assumed.get(uid, ""))
        return self._seen.get(uid, news) == news

    def holders(self, node: str) -> list[Pod]:
        """Return the pods, agents apart, that hold room on a node: bound, or assumed to be."""
        return [
            pod
            for uid, pod in self.pods.items()
            if (pod.spec.node_name or self.assumed.get(uid, "")) == node
            and pod.status.phase not in ENDED
            and self._roles.get(uid, NO_ROLE).part is not Part.AGENT
        ]

    def remade(self, keys: Iterable[ObjectName], *, gone: bool) -> None:
        """Hear that what makes the pods of some gangs has changed, or is gone or going: then pods that wait go too."""
        changed = list(keys)
        for key in changed:
            gang = self.gangs.get(key)
            if gang is not None and key.kind != "podgroup":
                gang.orphaned = gone
        self.mark(changed)

    def mark(self, keys: Iterable[ObjectName]) -> None:
        """Have gangs read again, those that exist."""
        self.marked.update((key, None) for key in keys if key in self.gangs)

    def forget(self, gang: LiveGang) -> None:
        """Forget a gang without pods."""
        del self.gangs[gang.key]
        del self.by_name[gang.name]

    def refute(self, uid: str, seconds: float = 0.0) -> None:
        """Hear that a pod could not be bound: it waits again, after so many seconds."""
        if self.assumed.pop(uid, None) is None or uid not in self.pods:
            return
        self.volumes.give_up(uid)
        if seconds > 0:
            self._held[uid] = self._steady() + seconds
        self._recast(uid)

    def leaves(self, uid: str, node: str) -> None:
        """Hear that a pod is being evicted: the engine has given its room away already."""
        if uid in self.pods:
            self.leaving[uid] = node
            self._recast(uid)

    def stays(self, uid: str) -> None:
        """Hear that a pod could not be evicted: it holds its room after all, and nobody tries again for a while."""
        if self.leaving.pop(uid, None) is None:
            return
        self._recast(uid)
        key = self._roles.get(uid, NO_ROLE).key
        if key is not None:
            gang = self.gangs[key]
            gang.spared_until = self._steady() + SPARED
            self._spared.append(gang)

    def let_go(self) -> None:
        """Take back into the line whoever was held back or spared long enough; tell pods of whom others speak now."""
        self._spread_word()
        now = self._steady()
        for uid in [uid for uid, until in self._held.items() if until <= now]:
            del self._held[uid]
            self._recast(uid)
        over = [gang for gang in self._spared if gang.spared_until <= now]
        if over:
            self._spared = [gang for gang in self._spared if gang.spared_until > now]
            self.mark(gang.key for gang in over)

    def waits(self) -> list[float]:
        """Return the times (of ``steady``) at which ``let_go`` has something to do."""
        return [*self._held.values(), *(gang.spared_until for gang in self._spared)]

    def _ask(self, uid: str, pod: Pod | None) -> None:
        """Take note of what the rules of a pod ask of others now."""
        before = self._asking.pop(uid, None)
        if pod is not None and pod.status.phase not in ENDED and between_pods(pod.spec):
            rules, _ = read_rules(pod.spec, namespace(pod.metadata), pod.metadata.labels, "")
            self._asking[uid] = rules
            self._unheard = self.selectors.ask(rules) or self._unheard
        if before is not None:
            self.selectors.ask_no_more(before)

    def _spoken_of(self, pod: Pod) -> bool:
        """Return whether the rules of some pod speak of a pod."""
        return self.selectors.labels(namespace(pod.metadata), pod.metadata.labels) is not None

    def some_matter(self) -> bool:
        """Return whether rules between pods, its own or those of others, speak of a pod that is leaving."""
        pods = (self.pods[uid] for uid in self.leaving if uid in self.pods)
        return any(pod.metadata.uid in self._asking or self._spoken_of(pod) for pod in pods)

    def _spread_word(self) -> None:
        """Have pods read again whose claims have changed, or of whom the rules of others speak for the first time."""
        concerned = list(self.volumes.concerned)
        self.volumes.concerned.clear()
        if self._unheard:
            self._unheard = False
            concerned += [uid for uid, pod in self.pods.items() if self._spoken_of(pod)]
        for uid in concerned:
            if uid in self.pods:
                self._recast(uid)

    def _recast(self, uid: str) -> None:
        """Give a pod its role anew and mark whom that concerns."""
        pod = self.pods.get(uid)
        idle = pod is None or uid in self.leaving or uid in self._held
        role = NO_ROLE if pod is None or idle else role_of(pod, self.scheduler, seen=self._spoken_of(pod))
        if pod is not None and pod.spec.node_name:
            self._nodes.touch(pod.spec.node_name)
        before = self._roles.pop(uid, NO_ROLE)
        if before.part is Part.AGENT and before != role:
            self._nodes.agent(before.node, uid, None)
        if before.key is not None:
            self.gangs[before.key].members.pop(uid, None)
            self.marked[before.key] = None
        if pod is None or role.part is Part.NONE:
            return
        self._roles[uid] = role
        if role.key is None:
            self._nodes.agent(role.node, uid, demand_of(pod))
            return
        gang = self._gang(role.key)
        gang.members[uid] = pod
        gang.started = gang.started or bool(pod.spec.node_name)
        if before.key != role.key:
            gang.grown_at = self._steady()
        self.marked[role.key] = None

    def _gang(self, key: ObjectName) -> LiveGang:
        gang = self.gangs.get(key)
        if gang is None:
            forms = (f"{key.namespace}/{key.name}", f"{key.namespace}/{key.kind}/{key.name}")
            gang = LiveGang(key, forms[0] if forms[0] not in self.by_name else forms[1])
            self.gangs[key] = self.by_name[gang.name] = gang
        return gang


def _alike(one: Pod, other: Pod) -> bool:
    """Return whether nothing that decides is different: that a pod was bound and now runs does not."""
    return (
        one.spec == other.spec
        and (one.status.phase in ENDED) == (other.status.phase in ENDED)
        and one.metadata.deletion_timestamp == other.metadata.deletion_timestamp
        and one.metadata.labels == other.metadata.labels
        and one.metadata.annotations == other.metadata.annotations
    )


def _confirms(before: Pod, pod: Pod) -> bool:
    """Return whether all that happened to a pod is that it was bound."""
    return _alike(before, msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, node_name="")))
