"""Guarantees: queues that are promised whole domains get them, whatever runs.

``queues[].guarantee: {rack: 2}`` promises domains of the default topology. What a parent is promised includes what is
promised below it; the rest is for all queues below it. Promises beyond what the healthy, empty cluster could keep are
no promises: wider levels come first, then document order, and a warning names what is not kept.

*Protected* work is what must not stand in a promised domain of another queue: *firm* work, which is not preemptible,
and work *inside* its own queue's guarantee, as much as the promised cards hold, in the order of starting. There are
two books. In ``firm`` stands the former alone: nothing placed may worsen it, so that promises can always be had by
evicting or moving preemptible work. In ``kept`` stand both: neither may worsen it, so that guaranteed work is not put
where it would have to leave. Pods without cards do not count on nodes that have cards: cards are what is promised, and
agents run everywhere. Where failures break promises, the others are kept; a queue keeps the domains it uses.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_NONE
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU
from railwise.engine.gangs.record import Record
from railwise.engine.queues.keeping import Wanted, most_kept
from railwise.engine.queues.promised import Cards, Promised, own_promises, unkept
from railwise.engine.queues.promises import Books, Ground
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.queues.supply import CLEAN, SPOILT, Kinds


class Claim(NamedTuple):
    """Domains of one level that a queue may still demand, ``owed`` in all, each given by its nodes in tree order.

    Those it already uses come first. Taking the whole of any one breaks no promise that can be kept.
    """

    level: str
    owed: int
    domains: tuple[tuple[int, ...], ...]


class Stand(NamedTuple):
    """Where a workload's pods stand, for whom, its cards (thousandths), and whose guarantee holds them (-1: none)."""

    units: tuple[int, ...]
    holder: int
    firm: bool
    cards: int
    inside: int


class Guarantee:
    """The promises of a scenario and what stands where. ``holders`` are the queues with promises, by number."""

    def __init__(self, own: Promised, tree: QueueTree, state: ClusterState) -> None:
        """Find out what can be kept at all of what is promised."""
        self.tree: Final = tree
        self.state: Final = state
        fabric = state.trees[0].tree
        levels = sorted({level for promised in own.values() for level in promised})
        self.holders: Final = list(own)
        self.holder_of: Final[dict[str, int]] = {}
        for name in tree.sound:
            above = [queue.name for queue in tree.chain(name) if queue.name in own]
            self.holder_of[name] = self.holders.index(above[0]) if above else SPOILT
        parents = [self.holder_of.get(tree.by_name[name].parent, SPOILT) for name in own]
        self.above: Final = [holder if holder >= 0 else -1 for holder in parents]
        self.ground: Final = Ground(fabric, levels)
        self.level_names: Final = [(*fabric.levels, "node")[level] for level in levels]
        asked: Wanted = tuple([tuple([promised.get(level, 0) for level in levels]) for promised in own.values()])
        sums = [sum([promised[index] for promised in asked]) for index in range(len(levels))]
        most = [min(total, size) for total, size in zip(sums, self.ground.size, strict=True)]
        self.kinds: Final = Kinds(tuple(most))
        self.firm: Final = Books(self.ground, self.kinds, self.above)
        self.kept: Final = Books(self.ground, self.kinds, self.above)
        self.promised: Final = most_kept(self.firm.can_keep, asked)
        self.warnings: Final = unkept(self.holders, self.level_names, asked, self.promised, self.ground)
        cards = Cards(fabric, state.nodes)
        self.budget: Final = [cards.of(dict(zip(levels, promised, strict=True))) for promised in self.promised]
        self.used: Final = [0] * len(own)
        self.stands: Final[dict[Record, Stand]] = {}
        self._decided: Final[dict[tuple[Record, tuple[int, ...], int], int]] = {}
        self._claims: Final[dict[int, tuple[int, list[Claim]]]] = {}
        self._changed = False
        self._ready = [True] * len(state.nodes)

    def recharge(self, record: Record) -> None:
        """Bring the books up to date with where a workload stands now.

        Who goes and comes back to where he was, within a round, is inside the guarantee or not as before.
        """
        before = self.stands.pop(record, None)
        if before is not None:
            self._decided.setdefault((record, before.units, before.cards), before.inside)
            self._enter(before, -1)
        stand = self._stand(record)
        if stand is not None:
            self.stands[record] = stand
            self._enter(stand, 1)
        self._changed = self._changed or before != stand

    def _enter(self, stand: Stand, step: int) -> None:
        if stand.firm:
            self.firm.mark(stand.units, stand.holder, step)
        if stand.firm or stand.inside >= 0:
            self.kept.mark(stand.units, stand.holder, step)
        if stand.inside >= 0:
            self.used[stand.inside] += step * stand.cards

    def _stand(self, record: Record) -> Stand | None:
        workload = record.workload
        holder = self.holder_of.get(workload.queue, SPOILT)
        if workload.preemptible and holder < 0:
            return None
        leaves, nodes, of = record.demand.leaves, self.state.nodes, self.ground.of[-1]
        units: set[int] = set()
        for (number, _), (node, _) in record.pods.items():
            shape = leaves[number].shape
            if shape is not None and (shape.kind != KIND_NONE or not nodes[node].cards):
                units.add(of[node])
        if not units:
            return None
        firm, cards, places = not workload.preemptible, record.charged.get(GPU, 0), tuple(sorted(units))
        inside = self._decided.get((record, places, cards))
        if inside is None:
            inside = self._inside(holder, cards, firm=firm)
        return Stand(places, holder, firm, cards, inside)

    def _inside(self, holder: int, cards: int, *, firm: bool) -> int:
        """Return whose promised cards, from the holder upwards, have room for these; firm work is counted anyway."""
        above = holder
        while above >= 0:
            if self.used[above] + cards <= self.budget[above]:
                return above
            above = self.above[above]
        return holder if firm and holder >= 0 else -1

    def is_inside(self, record: Record, more: int) -> bool:
        """Return whether a workload with so many more cards (thousandths) would be inside its queue's guarantee."""
        holder = self.holder_of.get(record.workload.queue, SPOILT)
        stand = self.stands.get(record)
        has = stand.cards if stand is not None and stand.inside >= 0 else 0
        if stand is not None and has:
            self.used[stand.inside] -= has
        inside = self._inside(holder, record.charged.get(GPU, 0) + more, firm=False) >= 0
        if stand is not None and has:
            self.used[stand.inside] += has
        return inside

    def open_round(self) -> None:
        """Take in what became of the nodes, and let what started first be inside a guarantee first."""
        ready = [facts.ready for facts in self.state.nodes]
        if ready != self._ready:
            for node, (before, now) in enumerate(zip(self._ready, ready, strict=True)):
                if before != now:
                    self.firm.hurt(node, -1 if now else 1)
                    self.kept.hurt(node, -1 if now else 1)
            self._ready = ready
        if self.kinds.overgrown():
            self.kinds.clear()
            self.firm.recount()
            self.kept.recount()
        if self._changed and any(stand.inside < 0 and not stand.firm for stand in self.stands.values()):
            self._sort()
        self._changed = False
        self._decided.clear()

    def _sort(self) -> None:
        ordered = sorted(
            self.stands,
            key=lambda record: (record.workload.preemptible, record.began, record.workload.order, record.workload.name),
        )
        for holder in range(len(self.used)):
            self.used[holder] = 0
        for record in ordered:
            stand = self.stands[record]
            inside = self._inside(stand.holder, stand.cards, firm=stand.firm)
            if not stand.firm and (inside >= 0) != (stand.inside >= 0):
                self.kept.mark(stand.units, stand.holder, 1 if inside >= 0 else -1)
            if inside >= 0:
                self.used[inside] += stand.cards
            self.stands[record] = stand._replace(inside=inside)

    def claims(self, queue: str) -> list[Claim]:
        """Return the domains that a queue may still demand, widest level first; none where nothing is promised it."""
        holder = self.holder_of.get(queue, SPOILT)
        if holder < 0:
            return []
        known = self._claims.get(holder)
        if known is not None and known[0] == self.kept.version:
            return known[1]
        kept = self.kept.kept(self.promised)
        found: list[Claim] = []
        for level, name in enumerate(self.level_names):
            if kept[holder][level]:
                domains = self._claimable(level, holder)
                found.append(Claim(name, kept[holder][level], domains))
        self._claims[holder] = self.kept.version, found
        return found

    def _claimable(self, level: int, holder: int) -> tuple[tuple[int, ...], ...]:
        """Return the domains of a level that may be taken whole, those in use by the holder first."""
        books, ground = self.kept, self.ground
        known: dict[tuple[int, ...], bool] = {}
        own: list[tuple[int, ...]] = []
        clean: list[tuple[int, ...]] = []
        for domain, number in enumerate(books.kind[level]):
            kind = self.kinds.all[number]
            if not kind.usable or kind.holder not in {holder, CLEAN}:
                continue
            nodes = ground.nodes_of(level, domain)
            units = sorted({ground.of[-1][node] for node in nodes})
            key = tuple([books.kind[wider][ground.of[wider][nodes[0]]] for wider in range(level + 1)])
            if key not in known:
                known[key] = books.still_keeps(self.promised, units, holder)
            if known[key]:
                (clean if kind.holder == CLEAN else own).append(tuple(nodes))
        return (*own, *clean)


def read_guarantee(tree: QueueTree, state: ClusterState) -> Guarantee | None:
    """Return the promises to the sound queues of a tree, None where there are none: then nothing is kept or asked."""
    queues = [queue for queue in tree.by_name.values() if queue.name in tree.sound]
    own = own_promises(queues, state.trees[0].tree)
    return Guarantee(own, tree, state) if own else None
