"""Who must go for one waiting workload: every set of victims, tried one by one, by the text of the rules alone.

For small clusters (a handful of running workloads with few surplus pods). Nothing of the engine's eviction is used.
What the rules leave open is read as follows.

* A *thing that goes* is a whole workload, a single surplus pod, or a group that is not needed (K of N). Where several
  things go, each is asked for its right by itself, in any order that serves.
* An elastic training gang gives its highest ranks, and pays once however many go.
* The right to reclaim is asked in a resource that counts, that the claimant asks for and that the victim holds.
* Minimum run times: the nearest queue upwards that sets one decides.
* "Latest started" compares the starts of the things that go, the oldest first.
* Where the claimant ends counts those who leave one of its own queues and run on elsewhere at once. Whether they do is
  not judged here: ``near_stay`` gives the answer if all of them did.
* Surplus of the claimant itself costs nothing and needs no right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from tests.oracle.cluster import leaves
from tests.oracle.question import Question
from tests.oracle.queue_books import CARD, GPU, Amounts, Tree, due
from tests.oracle.room_search import fits_somewhere, runs
from tests.oracle.things import Pod, Thing, began, counts, losses, minimum, pods_of, summed, without

Key = tuple[int, bool, int, int, int, tuple[int, ...]]
"""(highest priority, not surplus alone, lost work, whole workloads, thousandths of cards, starts)."""


class Room:
    """One scenario with one claimant (the last workload), asked for the cheapest set of victims."""

    def __init__(self, scenario: Scenario) -> None:
        """Work out the books as they are before anybody goes."""
        self.scenario = scenario
        self.claimant = scenario.workloads[-1]
        self.by_name = {workload.name: workload for workload in scenario.workloads}
        self.tree = Tree(scenario.queues) if scenario.queues else Tree([Queue("default")])
        self.held = self.tree.sums(self._sum((w.queue, pods_of(w).values()) for w in scenario.workloads))
        self.capacity = _capacity(scenario)
        self.ask = summed(Counter(), [counts(group) for group in minimum(self.claimant.root)])
        self.shares, self.quotas = due(self.tree, self._demand(), self.held, self.capacity)
        self._sets: list[tuple[Thing, ...]] | None = None
        self._known: dict[Thing, Amounts] = {}
        self._possible: list[frozenset[tuple[str, Pod]]] = []
        self._impossible: list[frozenset[tuple[str, Pod]]] = []

    def _sum(self, parts: Iterable[tuple[str, Iterable[Group]]]) -> dict[str, Amounts]:
        total: dict[str, Counter[str]] = {}
        for queue, groups in parts:
            summed(total.setdefault(queue, Counter()), [counts(group) for group in groups])
        return {queue: dict(amounts) for queue, amounts in total.items()}

    def _demand(self) -> dict[str, Amounts]:
        wanted: list[tuple[str, Iterable[Group]]] = []
        for workload in self.scenario.workloads:
            limit = self.tree.queues[workload.queue].limit
            asks = workload is self.claimant and not pods_of(workload)
            if asks and (self._beyond(limit) or not self._ever()):
                continue
            groups = [group for _, leaf in leaves(workload.root) for group in [leaf] * leaf.pods]
            wanted.append((workload.queue, groups))
        return self._sum(wanted)

    def _beyond(self, limit: Amounts) -> bool:
        return any(self.ask.get(resource, 0) > most for resource, most in limit.items())

    def _ever(self) -> bool:
        nodes = tuple(replace(node, ready=True, unschedulable=False) for node in self.scenario.nodes)
        return fits_somewhere(Question(replace(self.scenario, nodes=nodes, workloads=()), self.claimant))

    # --- Who may go ---------------------------------------------------------------------------------------------------

    def may_ever_go(self, workload: Workload) -> bool:
        """Return whether a workload is preemptible, old enough and not the claimant's better in its own queue."""
        if not workload.preemptible or workload is self.claimant or not pods_of(workload):
            return False
        inside = workload.queue == self.claimant.queue
        if inside and workload.priority >= self.claimant.priority:
            return False
        for name in self.tree.path(workload.queue):
            queue = self.tree.queues[name]
            least = queue.preempt_min_runtime if inside else queue.reclaim_min_runtime
            if least:
                return -began(workload) >= least
        return True

    def choices(self, workload: Workload) -> list[tuple[Thing, ...]]:
        """Return every way in which a workload may lose something, nothing and everything included."""
        if workload is self.claimant:
            return [*self._shrinks(workload)] if pods_of(workload) else [()]
        if not self.may_ever_go(workload):
            return [()]
        return [*self._shrinks(workload), (Thing(workload.name, frozenset(pods_of(workload)), whole=True),)]

    def _shrinks(self, workload: Workload) -> Iterator[tuple[Thing, ...]]:
        if workload.kind == "training" and not workload.elastic:
            yield ()
            return
        for parts in losses(workload.root, "", training=workload.kind == "training"):
            yield tuple(Thing(workload.name, part) for part in parts)

    def legal(self, things: tuple[Thing, ...], *, near_stay: bool = False) -> bool:
        """Return whether these may go for the claimant, in some order, each by a right of its own.

        ``near_stay``: those in queues below one of the claimant's find other places, so that it ends with them.
        """
        final = {name: Counter(amounts) for name, amounts in self.held.items()}
        for name in self.tree.path(self.claimant.queue):
            summed(final[name], [self.ask])
        for thing in things:
            for name in self.tree.path(self.by_name[thing.name].queue):
                if not (near_stay and self._near(thing)):
                    final[name].subtract(self._amounts(thing))
        others = tuple(thing for thing in things if self.by_name[thing.name].queue != self.claimant.queue)
        if others and not self.scenario.queues:
            return False

        @lru_cache(None)
        def in_some_order(left: tuple[Thing, ...]) -> bool:
            if not left:
                return True
            return any(
                self._may_go(last, left[:place] + left[place + 1 :], final)
                and in_some_order(left[:place] + left[place + 1 :])
                for place, last in enumerate(left)
            )

        return all(self._may_go(one, (), final) for one in others) and in_some_order(others)

    def _near(self, thing: Thing) -> bool:
        mine, theirs = self.tree.path(self.claimant.queue), self.tree.path(self.by_name[thing.name].queue)
        return not set(mine).isdisjoint(theirs)

    def _amounts(self, thing: Thing) -> Amounts:
        if thing not in self._known:
            pods = pods_of(self.by_name[thing.name])
            self._known[thing] = dict(summed(Counter(), [counts(pods[pod]) for pod in thing.pods]))
        return self._known[thing]

    def _may_go(self, victim: Thing, gone: tuple[Thing, ...], final: dict[str, Counter[str]]) -> bool:
        mine = self.tree.path(self.claimant.queue)
        theirs = self.tree.path(self.by_name[victim.name].queue)
        common = set(mine) & set(theirs)
        mine = [name for name in mine if name not in common]
        theirs = [name for name in theirs if name not in common]
        before = {name: Counter(self.held[name]) for name in theirs}
        for thing in gone:
            for name in set(self.tree.path(self.by_name[thing.name].queue)) & set(theirs):
                before[name].subtract(self._amounts(thing))
        asked = [one for one in self.tree.resources if self.ask.get(one, 0)] or self.tree.resources
        matter = [one for one in asked if self._amounts(victim).get(one, 0)] or asked
        for limits, falls in ((self.quotas, True), (self.shares, self._falls(mine[-1], theirs[-1], final))):
            ends_within = all(
                final[name][one] <= limits.get((name, one), 0)
                for name in mine
                for one in asked
                if self.tree.counts(name, one)
            )
            above = any(
                all(self.tree.counts(name, one) and before[name][one] > limits.get((name, one), 0) for name in theirs)
                for one in matter
            )
            if ends_within and above and falls:
                return True
        return False

    def _falls(self, mine: str, theirs: str, final: dict[str, Counter[str]]) -> bool:
        now = max(self.share(name, self.held[name]) for name in (mine, theirs))
        return max(self.share(name, final[name]) for name in (mine, theirs)) < now

    def share(self, name: str, held: Amounts | Counter[str]) -> tuple[bool, Fraction]:
        """Return (endless, allocated divided by fair share) of the dominant resource."""
        worst = (False, Fraction(0))
        for one in self.tree.resources:
            if held.get(one, 0) and self.tree.counts(name, one):
                fair = self.shares.get((name, one), Fraction(0))
                worst = max(worst, (False, held[one] / fair) if fair else (True, Fraction(held[one])))
        return worst

    # --- What it costs ------------------------------------------------------------------------------------------------

    def key(self, things: tuple[Thing, ...]) -> Key:
        """Return what is compared between sets of victims; a smaller key is better."""
        others = [thing for thing in things if thing.name != self.claimant.name]
        if not others:
            return (-(10**9), False, 0, 0, 0, ())
        highest = max(self.by_name[thing.name].priority for thing in others)
        alone = all(not one.whole and self.by_name[one.name].kind in {"batch", "inference"} for one in others)
        lost = sum(self._lost(name, [one for one in others if one.name == name]) for name in {t.name for t in others})
        cards = sum(self._amounts(thing).get(GPU, 0) for thing in others)
        starts = sorted((-began(self.by_name[thing.name]) for thing in others), reverse=True)
        return highest, not alone, lost, sum(thing.whole for thing in others), cards, tuple(starts)

    def _lost(self, name: str, things: list[Thing]) -> int:
        workload = self.by_name[name]
        every = workload.checkpoint.every if workload.checkpoint else 0
        restore = workload.checkpoint.restore if workload.checkpoint else 0
        elapsed = -began(workload)
        per_card = (elapsed % every if every else elapsed) + restore
        if workload.kind == "inference" and not any(thing.whole for thing in things):
            per_card = restore
        if workload.kind == "training":
            return per_card * sum(counts(group).get(GPU, 0) for group in pods_of(workload).values())
        return per_card * sum(self._amounts(thing).get(GPU, 0) for thing in things)

    # --- The search ---------------------------------------------------------------------------------------------------

    def fits(self, things: tuple[Thing, ...]) -> bool:
        """Return whether the claimant's minimum can be placed, within all ceilings, once these are gone."""
        return self._fits_without(things) and self._admitted(things)

    def _fits_without(self, things: tuple[Thing, ...]) -> bool:
        """Return whether there is a place for the claimant's minimum once these are gone; more room never hurts."""
        gone = frozenset((thing.name, pod) for thing in things for pod in thing.pods)
        if any(gone >= less for less in self._possible):
            return True
        if any(gone <= more for more in self._impossible):
            return False
        found = fits_somewhere(Question(without(self.scenario, gone), self.claimant))
        (self._possible if found else self._impossible).append(gone)
        return found

    def _admitted(self, things: tuple[Thing, ...]) -> bool:
        """Return whether limits, the quota of firm work and lending allow the claimant what it asks for."""
        held = {name: Counter(amounts) for name, amounts in self.held.items()}
        for thing in things:
            for name in self.tree.path(self.by_name[thing.name].queue):
                held[name].subtract(self._amounts(thing))
        path = self.tree.path(self.claimant.queue)
        for name in path:
            for resource, most in self.tree.queues[name].limit.items():
                if self.ask.get(resource, 0) and held[name][resource] + self.ask[resource] > most:
                    return False
        if not self.tree.any_quota:
            return True
        for name in path if not self.claimant.preemptible else ():
            firm = summed(Counter(), [self._firm(name)])
            for one in self.tree.resources:
                counted = one == GPU or one in self.tree.quota[name]
                if counted and self.ask.get(one, 0) and firm[one] + self.ask[one] > self.tree.quota[name].get(one, 0):
                    return False
        return all(self._lent(one, held) for one in self.tree.resources if self.ask.get(one, 0))

    def _firm(self, queue: str) -> Amounts:
        inside = [w for w in self.scenario.workloads if not w.preemptible and queue in self.tree.path(w.queue)]
        return dict(summed(Counter(), [counts(group) for w in inside for group in pods_of(w).values()]))

    def _lent(self, one: str, held: dict[str, Counter[str]]) -> bool:
        """Climb while the queue is beyond its quota: what siblings use or keep back must leave room in the parent."""
        for name in self.tree.path(self.claimant.queue):
            wanted = self._used(name, one, held) + self.ask[one]
            if wanted <= self.tree.quota[name].get(one, 0) or (one != GPU and one not in self.tree.quota[name]):
                return True
            parent = self.tree.queues[name].parent
            siblings = sum(max(held[s][one], self.tree.keeps(s, one)) for s in self.tree.below[parent] if s != name)
            if not parent:
                return wanted + siblings <= self.capacity.get(one, 0)
        raise AssertionError("a path ends at the top")

    def _used(self, name: str, one: str, held: dict[str, Counter[str]]) -> int:
        """Return what counts as used in a queue on the claimant's path: siblings of the claimant keep back, too."""
        inside = [child for child in self.tree.below.get(name, []) if child in self.tree.path(self.claimant.queue)]
        if not inside:
            return held[name][one]
        rest = [child for child in self.tree.below[name] if child not in inside]
        return self._used(inside[0], one, held) + sum(max(held[s][one], self.tree.keeps(s, one)) for s in rest)

    def sets(self) -> list[tuple[Thing, ...]]:
        """Return every set of victims, cheapest first; the first is the empty one."""
        ways = [self.choices(workload) for workload in self.scenario.workloads]
        every = [tuple(thing for way in chosen for thing in way) for chosen in product(*ways)]
        return sorted(every, key=lambda things: (bool(things), self.key(things)))

    def best(self, *, near_stay: bool = False) -> tuple[Thing, ...] | None:
        """Return the cheapest legal set of victims, None where there is none."""
        if self._sets is None:
            self._sets = self.sets()
        if not self._fits_without(max(self._sets, key=lambda things: sum(len(thing.pods) for thing in things))):
            return None
        for things in self._sets:
            if self._fits_without(things) and self._admitted(things) and self.legal(things, near_stay=near_stay):
                return things
        return None


def _capacity(scenario: Scenario) -> Amounts:
    total: Counter[str] = Counter()
    for node in scenario.nodes:
        if node.ready and not node.unschedulable:
            total.update({GPU: CARD * (node.card_count() - len(node.unhealthy)), **node.resources})
    closed = {node.name for node in scenario.nodes if not node.ready or node.unschedulable}
    for workload in scenario.workloads:
        for _, group in leaves(workload.root):
            for rank in runs(group):
                if group.running is not None and group.running.nodes[rank] in closed:
                    total.update(counts(group))
    return dict(total)
