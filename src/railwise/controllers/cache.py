"""What a cluster says becomes what the engine understands: watch news in, events out, nothing told twice.

The cache keeps three pictures together: the objects as the API server has them; what the engine believes (where it has
been told, or has itself decided, that pods run); and the pods on their way from the second to the first, *assumed* to
run where they are being bound until the server says so or the bind fails. An object that changes marks its gang;
``events`` reads the marked gangs again and tells the engine where its belief is no longer true. A bind that the server
confirms changes nothing, so a busy cluster costs little. Everything can be made from the API alone: after a restart the
first ``begin`` is the whole truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from railwise.controllers.clocks import LiveClock
from railwise.controllers.gang_book import GangReader, Lacking, LiveGang, places_of, pod_name, ruled, without_places
from railwise.controllers.held_rooms import HeldRooms
from railwise.controllers.makers import Maker, Makers
from railwise.controllers.node_book import NodeBook
from railwise.controllers.pod_book import PodBook
from railwise.controllers.queue_book import QueueBook
from railwise.controllers.recheck import still_fits
from railwise.engine.cycle import Event, Finish, Submit
from railwise.formats.kubernetes.dialects.sources import Foreign, Kind
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.schema import NodeObject, Pod
from railwise.formats.kubernetes.workloads import Built, LivePod, Surroundings
from railwise.model.natural import NaturalKey, natural_key
from railwise.model.plan import Plan
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario

OVERDUE = 5.0
"""Seconds without another pod after which an incomplete gang is told what it waits for."""

LIVE_POLICY = Policy(node_grace=60_000_000)
"""The policy of a live cluster: a node that is not ready for a minute is lost."""


class Binding(NamedTuple):
    """A pod that a plan has put on a node."""

    pod: LivePod
    node: str
    workload: str


class Stop(NamedTuple):
    """A pod that has to go, where it runs (empty: it is not bound yet), and in whose favour."""

    pod: LivePod
    node: str
    workload: str
    beneficiary: str


class ClusterCache:
    """Nodes, pods and their makers, for the scheduler of a given name.

    What the API server says goes to ``nodes``, ``pods`` and the methods for makers. ``lacking`` says, by workload,
    which gangs are not complete, ``ignored`` what of their wishes means nothing, with a pod to tell it to.
    """

    def __init__(
        self,
        scheduler: str,
        levels: str = "",
        clock: LiveClock | None = None,
        steady: Callable[[], float] = time.monotonic,
        policy: Policy = LIVE_POLICY,
    ) -> None:
        """Start empty; ``steady`` gives seconds by which pods are waited for and held back."""
        self.policy: Final = policy
        self.clock = clock or LiveClock()
        self.nodes = NodeBook(levels)
        self.pods = PodBook(scheduler, self.nodes, steady)
        self.makers = Makers()
        self.queues = QueueBook()
        self.lacking: dict[str, Lacking] = {}
        self._held = HeldRooms(steady)
        self._seated: list[Binding] = []
        self._steady = steady
        self._reader = GangReader(self.makers.gangs, self.makers.groups, self.makers.rules)
        self.ignored = self._reader.ignored
        self._order = 0

    def replace_nodes(self, nodes: Sequence[NodeObject]) -> None:
        """Take in all nodes there are."""
        for name in self.nodes.names() - {node.metadata.name for node in nodes}:
            self.nodes.drop(name)
        for node in nodes:
            self.nodes.put(node)

    def put_maker(self, maker: Maker) -> None:
        """Take in what makes pods as it is now."""
        self.pods.remade(self.makers.put(maker), gone=maker.metadata.deletion_timestamp is not None)

    def drop_maker(self, uid: str, *, gone: bool = True) -> None:
        """Forget what makes pods; not ``gone``: it is only seen no more."""
        self.pods.remade(self.makers.drop(uid), gone=gone)

    def replace_makers(self, kind: type[Maker], makers: Sequence[Maker]) -> None:
        """Take in all makers of a kind there are."""
        for uid in set(self.makers.uids(kind)) - {maker.metadata.uid for maker in makers}:
            self.drop_maker(uid, gone=bool(makers) or kind is Job)  # of an add-on none may be seen at all
        for maker in makers:
            self.put_maker(maker)

    def put_rule(self, kind: Kind, found: Foreign) -> None:
        """Take in a PodGroup of another system as it is now."""
        self.pods.mark(self.makers.put_rule(kind, found))

    def drop_rule(self, uid: str) -> None:
        """Forget a PodGroup of another system."""
        self.pods.mark(self.makers.drop_rule(uid))

    def replace_rules(self, kind: Kind, found: Sequence[Foreign]) -> None:
        """Take in all PodGroups of a kind of another system there are."""
        for uid in set(self.makers.rule_uids(kind)) - {one.metadata.uid for one in found}:
            self.drop_rule(uid)
        for one in found:
            self.put_rule(kind, one)

    # --- What the engine is told ---

    def begin(self) -> Scenario:
        """Return everything as one scenario, for a new engine; all that was marked is told by it."""
        self._held.clear()
        self.pods.let_go()
        catalog = self.queues.read()
        self.nodes.declared = catalog.topologies
        nodes = self.nodes.read()
        for gang in self.pods.gangs.values():
            gang.told = None
        self.pods.marked.update(dict.fromkeys(self.pods.gangs))
        told = [event.workload for event in self._gang_events() if isinstance(event, Submit)]
        return Scenario(
            name="live",
            topologies=self.nodes.trees.topologies,
            nodes=nodes,
            queues=catalog.queues,
            workloads=tuple(told),
            policy=self.policy,
            warnings=tuple(fault.text() for fault in self.nodes.faults),
        )

    def events(self) -> list[Event] | None:
        """Return what the engine has to be told; None: it has to be made anew from ``begin``."""
        self.pods.let_go()
        now = self._steady()
        for name, lack in self.lacking.items():
            if lack.until and lack.until <= now:
                self.pods.mark([self.pods.by_name[name].key])
        self.pods.mark(self.pods.by_name[name].key for name in self._held.over())
        changes = self.nodes.changes()
        if self.nodes.reshaped or self.queues.changed:
            return None
        return [*changes, *self._gang_events()]

    def _gang_events(self) -> list[Event]:
        """Read the marked gangs again; what gives room comes first, then facts, then wishes in order of creation."""
        if not self.pods.marked:
            return []
        around = self._around()
        marked = [self.pods.gangs[key] for key in self.pods.marked if key in self.pods.gangs]
        self.pods.marked.clear()
        found: list[Event] = []
        submitted: list[Built] = []
        for gang in sorted(marked, key=_turn):
            if self._held.waits(gang):
                continue
            told = gang.told is not None
            built = self._read(gang, around) if self._reader.here(gang, around) else None
            if built is not None:
                submitted.append(built)
            elif told and (not gang.members or gang.name in self.lacking):
                gang.told = None
                gang.places = {}
                found.append(Finish(gang.name))
            if not gang.members:
                self.lacking.pop(gang.name, None)
                self.pods.forget(gang)
        submitted.sort(key=lambda built: bool(places_of(built.workload)), reverse=True)
        return [*found, *(Submit(built.workload) for built in submitted)]

    def _around(self) -> Surroundings:
        nodes, queues = self.nodes, self.queues
        return Surroundings(
            nodes.trees.topologies,
            nodes.offers,
            self.clock,
            nodes.names(),
            queues.classes,
            queues.default_priority,
            catalog=queues.catalog,
            trees=nodes.trees,
            volumes=self.pods.volumes,
            selectors=self.pods.selectors,
        )

    def _read(self, gang: LiveGang, around: Surroundings) -> Built | None:
        """Return a gang's workload if the engine does not know it as it is."""
        if not gang.order:
            self._order += 1
            gang.order = self._order
        self.lacking.pop(gang.name, None)
        try:
            built = self._reader.read(gang, self.pods.assumed, around, self._steady())
        except Lacking as lack:
            self.lacking[gang.name] = lack
            return None
        seats = self._held.seats(gang, built.pods)
        if seats:
            for uid, node in seats.items():
                self.pods.assume(uid, node)
            self._seated += [Binding(one, seats[one.uid], gang.name) for one in built.pods.values() if one.uid in seats]
            built = self._reader.read(gang, self.pods.assumed, around, self._steady())
        places = places_of(built.workload)
        same = gang.told is not None and places == gang.places and built.pods == gang.pods
        if same and gang.told is not None and without_places(gang.told) == without_places(built.workload):
            return None
        gang.told, gang.places, gang.pods = built.workload, places, built.pods
        return built

    def wake(self) -> float | None:
        """Return in how many seconds ``events`` has something new although nothing happens; None: never."""
        times = [*self.pods.waits(), *(lack.until for lack in self.lacking.values() if lack.until)]
        quiet = [self.pods.by_name[name] for name in self.lacking]
        times += self._held.ends()
        times += [gang.grown_at + OVERDUE for gang in quiet if gang.told_at != gang.grown_at]
        return max(0.0, min(times) - self._steady()) if times else None

    # --- What the engine decides ---

    def stopped(self, plan: Plan) -> list[Stop]:
        """Return the pods that a plan stops, to be asked for before ``decided``: it may have put them elsewhere."""
        going = [(one.workload, one.beneficiary, set(one.pods)) for one in plan.evictions]
        going += [(one.workload, one.beneficiary, {pod.name for pod in one.pods}) for one in plan.moves]
        return [stop for workload, beneficiary, names in going for stop in self._stops(workload, beneficiary, names)]

    def fallen(self, workload: str, names: set[str]) -> list[Stop]:
        """Return the pods of a workload of ours, by the names the engine gives them, that were lost with their node."""
        stops = self._stops(workload, workload, names)
        return [one for one in stops if self.pods.pods[one.pod.uid].spec.scheduler_name == self.pods.scheduler]

    def _stops(self, workload: str, beneficiary: str, names: set[str]) -> list[Stop]:
        gang = self.pods.by_name.get(workload)
        found = []
        for (group, rank), live in gang.pods.items() if gang is not None else ():
            pod = self.pods.pods.get(live.uid)
            if pod is not None and pod_name(workload, group, rank) in names:
                found.append(Stop(live, pod.spec.node_name, workload, beneficiary))
        return found

    def decided(self, plan: Plan) -> list[Binding]:
        """Take in a plan: what the engine believes from now on. Return the pods that have to be bound."""
        found, self._seated = self._seated, []
        for entry in plan.workloads:
            gang = self.pods.by_name.get(entry.name)
            if gang is None:
                continue
            gang.places = {(pod.group, pod.rank): pod.node for pod in entry.pods}
            if self._held.revise(gang):
                self.pods.mark([gang.key])
            for place, node in gang.places.items():
                live = gang.pods.get(place)
                pod = self.pods.pods.get(live.uid) if live is not None else None
                if live is None or pod is None or live.uid in self.pods.assumed or pod.spec.node_name:
                    continue
                self.pods.assume(live.uid, node)
                found.append(Binding(live, node, gang.name))
        for move in plan.moves:
            gang = self.pods.by_name.get(move.workload)
            if gang is not None and len(move.pods) == len(gang.places):
                self._held.hold(gang)
        return found

    def incomplete(self) -> list[tuple[str, Lacking]]:
        """Return the gangs that have lacked pods for so long that it should be said; each once, till another comes."""
        due = self._steady() - OVERDUE
        found = []
        for name, lack in self.lacking.items():
            gang = self.pods.by_name[name]
            if gang.told_at != gang.grown_at <= due:
                gang.told_at = gang.grown_at
                found.append((name, lack))
        return found

    def members_of(self, workload: str) -> list[Pod]:
        """Return the pods of a workload that are there."""
        gang = self.pods.by_name.get(workload)
        return list(gang.members.values()) if gang is not None else []

    def minds_others(self, binding: Binding) -> bool:
        """Return whether rules between pods matter to a pod: until those who leave are gone, they are there."""
        gang = self.pods.by_name.get(binding.workload)
        return gang is not None and gang.told is not None and ruled(gang.told.root)

    def wanted(self, binding: Binding) -> bool:
        """Return whether a pod is still to be bound to that node, by the newest news of it."""
        uid, node = binding.pod.uid, binding.node
        if self.pods.assumed.get(uid) != node or not self.nodes.usable(node):
            return False
        if self.pods.fresh(uid):
            return True
        gang, now = self.pods.by_name.get(binding.workload), self.nodes.now(node)
        if gang is None or now is None:
            return False
        others = [pod for pod in self.pods.holders(node) if pod.metadata.uid != uid]
        return still_fits(gang, uid, now, others, self._around())


def _turn(gang: LiveGang) -> tuple[str, NaturalKey]:
    """Return a gang's place in the order of submission: creation time, then name."""
    first = next(iter(gang.members.values()), None)
    return "" if first is None else str(first.metadata.creation_timestamp), natural_key(gang.name)
