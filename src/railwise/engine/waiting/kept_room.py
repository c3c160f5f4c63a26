"""Which room is kept for a workload that has waited long and whose start nobody knows.

Its best domain is the one with the fewest cards missing, ties in tree order. Whatever frees there is kept, so the
number of missing cards never grows again and the workload starts when the last of them has freed: nothing starves.
Without a required level the nodes of the placement with fewest cards missing are kept instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import KIND_NONE, KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.needed import needed_leaves
from railwise.engine.gangs.record import Record
from railwise.engine.waiting.ends import expected_end
from railwise.engine.waiting.future import Ask, Future
from railwise.engine.workloads import Workloads

MOST_DOMAINS: Final = 8
"""How many domains are tried, the best first; a domain that could hold the workload is nearly always the first."""

MOST_DOUBLED: Final = 12
"""How often the number of nodes is doubled for groups without a required level of the whole."""

CARD: Final = 1000
"""A card in thousandths: the unit of what is missing."""


class Kept(NamedTuple):
    """Nodes to keep; ``until`` (µs): nobody can start there before, so who has ended by then does no harm."""

    nodes: list[int]
    until: int


class KeptRoom:
    """Finds the room to keep on the live state, changing nothing."""

    def __init__(self, workloads: Workloads, future: Future) -> None:
        """Keep the parts."""
        self.workloads: Final = workloads
        self.state: Final[ClusterState] = workloads.state
        self.future: Final = future

    def best(self, record: Record, demand: Demand, ask: Ask) -> Kept | None:
        """Return the best room for a demand, None where nothing that frees makes it fit; ``ask`` tries just it."""
        root = demand.root
        if root.required == NOT_GIVEN:
            return self._of_placement(record, demand, ask)
        for nodes in islice(self._domains(demand), MOST_DOMAINS):
            until = self._earliest(record, nodes, ask)
            if until is not None:
                return Kept(nodes, until)
        return None

    def _domains(self, demand: Demand) -> Iterator[list[int]]:
        """Yield the nodes of the domains of the required level, fewest cards missing first."""
        tree = self.state.trees[demand.root.tree].tree
        level = demand.root.required
        if level >= tree.depth:
            ranges = [(place, place + 1) for place in range(len(tree.order))]
            named = [True] * len(ranges)
        else:
            ranges, named = tree.tiers[level].ranges(), tree.tiers[level].named
        missing = Missing(self.state, demand)
        found = [
            (missing.cards(tree.order[start:end]), start, end)
            for (start, end), ok in zip(ranges, named, strict=True)
            if ok
        ]
        found.sort()
        for cards, start, end in found:
            if cards < NEVER:
                yield tree.order[start:end]

    def _of_placement(self, record: Record, demand: Demand, ask: Ask) -> Kept | None:
        """Return the nodes of the placement with fewest cards missing."""
        order = self.state.trees[demand.root.tree].tree.order
        missing = Missing(self.state, demand)
        if missing.shape is not None:
            nodes = missing.cheapest(order)
            until = self._earliest(record, nodes, ask) if nodes else None
            if until is not None:
                return Kept(nodes, until)
        return self._of_groups(record, demand, ask, missing)

    def _of_groups(self, record: Record, demand: Demand, ask: Ask, missing: Missing) -> Kept | None:
        """Return as few of the least busy nodes as a workload fits on once they are free."""
        order = self.state.trees[demand.root.tree].tree.order
        ranked = sorted(range(len(order)), key=lambda place: (missing.busy(order[place]), place))
        nodes = [order[place] for place in ranked if not self.state.room_of[order[place]].closed]
        low, high = 0, 1
        for _ in range(MOST_DOUBLED):
            if high >= len(nodes) or self._earliest(record, nodes[:high], ask) is not None:
                break
            low, high = high, 2 * high
        high = min(high, len(nodes))
        if self._earliest(record, nodes[:high], ask) is None:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if self._earliest(record, nodes[:middle], ask) is None:
                low = middle
            else:
                high = middle
        until = self._earliest(record, nodes[:high], ask)
        return None if until is None else Kept(nodes[:high], until)

    def _earliest(self, record: Record, nodes: list[int], ask: Ask) -> int | None:
        """Return the earliest time (µs) at which a workload could start if only these nodes free; None: never.

        What may end at any moment, and what came only after the waiting had become too long, counts as gone at once.
        So no newcomer can put the time off, however many of them end in time.
        """
        inside = set(nodes)
        now, grace = self.workloads.now, self.state.policy.reserve_after
        due = record.workload.submit + grace
        stays: list[tuple[int, int, str, Record]] = []
        self.future.open()
        for other in list(self.workloads.records.values()):
            if other is record or inside.isdisjoint([node for node, _ in other.pods.values()]):
                continue
            end = expected_end(other, now, grace)
            if end is None or end <= now or other.began > due:
                self.future.take(other, inside)
            else:
                stays.append((end, other.workload.order, other.workload.name, other))
        stays.sort(key=lambda entry: entry[:3])
        until: int | None = now if ask() is not None else None
        for end, _, _, other in stays:
            if until is not None:
                break
            self.future.take(other, inside)
            until = end if ask() is not None else None
        self.future.back()
        return until


NEVER: Final = 1 << 60
"""So much is missing where a workload could never run."""


class Missing:
    """Counts the cards (thousandths) that must free before a demand fits.

    ``shape`` is that of equal pods without further rules, counted pod by pod; for everything else the sums decide.
    """

    def __init__(self, state: ClusterState, demand: Demand) -> None:
        """Start counting."""
        self.state: Final = state
        self.shape: Final[Shape | None] = demand.root.shape if demand.simple and not demand.root.fixed else None
        self.pods: Final = demand.root.group.min_pods
        leaves = needed_leaves(demand.root)
        self.needs: Final = sum(
            leaf.shape.gpu_thousandths() * max(leaf.group.min_pods - len(leaf.fixed), 0)
            for leaf in leaves
            if leaf.shape is not None
        )
        masks = [state.allowed(leaf.shape) for leaf in leaves if leaf.shape is not None]
        self._mask: Final = masks[0] if self.shape is not None and masks else None
        self._costs: Final[dict[int, list[int]]] = {}
        self._ever: Final[dict[int, int]] = {}

    def cards(self, nodes: Iterable[int]) -> int:
        """Return what is missing on some nodes in all, NEVER where too few pods could ever run there."""
        if self.shape is None:
            return max(self.needs - sum(CARD * self.state.room_of[node].slots for node in nodes), 0)
        counts: dict[int, int] = {}
        for node in nodes:
            for cost in self.of_pods(node):
                counts[cost] = counts.get(cost, 0) + 1
        total, left = 0, self.pods
        for cost in sorted(counts):
            here = min(counts[cost], left)
            total, left = total + here * cost, left - here
        return NEVER if left else total

    def cheapest(self, order: list[int]) -> list[int]:
        """Return the nodes of the pods with least missing, none where too few could ever run."""
        places = [(cost, place) for place, node in enumerate(order) for cost in self.of_pods(node)]
        places.sort()
        if len(places) < self.pods:
            return []
        return [order[place] for place in sorted({place for _, place in places[: self.pods]})]

    def busy(self, node: int) -> int:
        """Return the cards in use on a node."""
        room = self.state.room_of[node]
        return room.spec.cards - room.slots

    def of_pods(self, node: int) -> list[int]:
        """Return what is missing on a node for a first pod, one more, …, as far as it could ever hold them."""
        room = self.state.room_of[node]
        shape = self.shape
        if shape is None or room.closed or (self._mask is not None and not self._mask[node]):
            return []
        costs = self._costs.get(room.index)
        if costs is None:
            costs = self._count(shape, room)
            self._costs[room.index] = costs
        return costs

    def _count(self, shape: Shape, room: Room) -> list[int]:
        rooms = self.state.rooms
        now, ever = len(rooms.left(shape, room, self.pods)), self._ever.get(room.spec.index)
        if ever is None:
            ever = len(rooms.left(shape, self.state.empty_room(room.spec), self.pods))
            self._ever[room.spec.index] = ever
        costs = [0] * min(now, ever)
        for number in range(now + 1, ever + 1):
            if shape.kind == KIND_WHOLE:
                short = CARD * max(min(shape.cards, number * shape.cards - room.free), 0)
            else:
                short = 0 if shape.kind == KIND_NONE else max(shape.gpu_thousandths(), 1)
            costs.append(max(short, 1))
        return costs
