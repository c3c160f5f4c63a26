"""The objective of a placement, computed from the text of the rules: one tuple per criterion, smaller is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.oracle.cluster import Machine
from tests.oracle.question import Part, Question, Spread

Vector = tuple[tuple[float, ...], ...]
"""One tuple per criterion, in the order of ``CRITERIA``."""

CRITERIA = (
    "0 pods",
    "1 narrowest level",
    "2 domains",
    "4 wrong nodes",
    "5 potential",
    "6 nodes",
    "7 tightest",
    "8 ties",
)


def together(spread: Spread, own: Iterable[int]) -> Counter[int]:
    """Return the pods per node of several leaf groups."""
    total: Counter[int] = Counter()
    for number in own:
        total.update(spread[number])
    return +total


def domains(question: Question, part: Part, pods: Counter[int], depth: int) -> Counter[tuple[object, ...]]:
    """Return the pods per domain at a depth of the part's topology."""
    shares: Counter[tuple[object, ...]] = Counter()
    for index, count in pods.items():
        shares[part.domain(question.cluster.machines[index], depth)] += count
    return shares


def _holding(question: Question, part: Part, pods: Counter[int], preferred: int) -> int:
    """Return the depth of the narrowest level up to ``preferred`` at which one domain holds all (-1: none does)."""
    for depth in range(preferred, -1, -1):
        if len(domains(question, part, pods, depth)) <= 1:
            return depth
    return -1


def more_pods(question: Question, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Return criterion 0: groups that start, those listed first, then pods."""
    key: list[float] = []
    for part in question.parts:
        if part.children:
            absent = [sum(counts[number] for number in child) == 0 for child in part.children]
            key += [sum(absent), *absent]
    return (*key, -sum(counts))


def locality(question: Question, spread: Spread) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return criteria 1 and 2 without the segments: levels above ``preferred``, then domains and evenness per level."""
    up: list[float] = [0.0, 0.0]
    counts: list[float] = []
    evens: list[float] = []
    most = max(part.node_depth() for part in question.parts) + 1
    group_counts, group_evens = [0] * most, [0] * most
    for part in question.parts:
        root = part is question.whole
        preferred = question.locality if root else part.preferred
        pods = together(spread, part.own)
        if preferred is None or not pods:
            continue
        held = _holding(question, part, pods, preferred)
        up[0 if root else 1] += preferred - held
        for depth in range(held + 1, preferred + 1):
            shares = domains(question, part, pods, depth)
            uneven = max(shares.values()) - min(shares.values()) if part.group.topology.balance == "even" else 0
            if root:
                counts.append(len(shares))
                evens.append(uneven)
            else:
                group_counts[depth] += len(shares)
                group_evens[depth] += uneven
    return tuple(up), (*counts, *evens, *group_counts, *group_evens)


def wrong_nodes(question: Question, spread: Spread) -> tuple[float, ...]:
    """Return criterion 4: pods without cards on nodes with cards, then nodes with a dead rail."""
    machines = question.cluster.machines
    misplaced = 0
    for group, pods in zip(question.leaf_groups, spread, strict=True):
        if group.request.cards.kind == "none":
            misplaced += sum(count for index, count in pods.items() if machines[index].node.card_count())
    used = together(spread, question.whole.own)
    lame = sum(bool(machines[index].node.dead_rails) for index in used) if len(used) > 1 else 0
    return misplaced, lame


class Worth:
    """The potential of a cluster: what its free card-slots and whole free nodes are worth."""

    def __init__(self, question: Question) -> None:
        """List, once, the nodes of one class per domain that counts, with the gang sizes that count there."""
        self.policy = question.scenario.policy
        self.machines = question.cluster.machines
        self.regions: list[tuple[int, int, int, list[int]]] = []
        for topology in question.cluster.topologies:
            depths = len(topology.levels)
            for depth in range(depths):
                last = depth == depths - 1
                if last or self.policy.largest_gang:
                    above = 1 if last else self._largest(topology.name, depth + 1)
                    most = 0 if last else self.policy.largest_gang
                    self._list(topology.name, depth, above, most)

    def _domains(self, name: str, depth: int) -> dict[tuple[object, ...], list[Machine]]:
        members: dict[tuple[object, ...], list[Machine]] = {}
        for place in self.machines:
            if place.named[name][depth]:
                members.setdefault(place.paths[name][: depth + 1], []).append(place)
        return members

    def _largest(self, name: str, depth: int) -> int:
        return max((len(members) for members in self._domains(name, depth).values()), default=1)

    def _list(self, name: str, depth: int, above: int, most: int) -> None:
        for members in self._domains(name, depth).values():
            for cards in sorted({place.class_size() for place in members} - {0}):
                alike = [place.index for place in members if place.class_size() == cards]
                self.regions.append((cards, above, most, alike))

    def of_slots(self, free: int) -> int:
        """Return the worth of a node with so many free slots."""
        if self.policy.sizes:
            return sum(weight * size * (free // size) for size, weight in self.policy.sizes)
        return sum(size * (free // size) for size in _powers(1, free))

    def of_whole_nodes(self, whole: int, cards: int, above: int, most: int) -> int:
        """Return the worth of so many whole free nodes in one domain; gangs of above ``above`` to ``most`` nodes."""
        most = most or whole
        if not self.policy.sizes:
            return cards * sum(size * (whole // size) for size in _powers(2, whole) if above < size <= most)
        worth = 0
        for size, weight in self.policy.sizes:
            nodes = size // cards
            if size % cards == 0 and nodes >= 2 and above < nodes <= most:
                worth += weight * size * (whole // nodes)
        return worth

    def total(self, slots: list[int]) -> int:
        """Return the potential of the cluster with these free slots per node."""
        worth = sum(self.of_slots(free) for free in slots)
        for cards, above, most, alike in self.regions:
            whole = sum(slots[index] == cards for index in alike)
            worth += self.of_whole_nodes(whole, cards, above, most)
        return worth


def _powers(first: int, last: int) -> list[int]:
    return [size for size in (first * 2**step for step in range(24)) if size <= last]


def tightest(question: Question, used: Counter[int], slots: list[int], millicores: dict[int, int]) -> tuple[float, ...]:
    """Return criterion 7: what is left on the nodes used, then in the domains used, narrowest level first."""
    if not question.with_cards:
        return (sum(millicores[index] for index in used),)
    part = question.whole
    machines = question.cluster.machines
    left: list[float] = [sum(slots[index] for index in used)]
    for depth in range(part.node_depth() - 1, -1, -1):
        reached = {part.domain(machines[index], depth) for index in used}
        left.append(sum(slots[place.index] for place in machines if part.domain(place, depth) in reached))
    return tuple(left)


def ties(question: Question, spread: Spread) -> tuple[float, ...]:
    """Return criterion 8: positions of all pods, then of each group in turn (a longer list beats its own beginning)."""
    all_pods = sorted(question.position[index] for index in together(spread, question.whole.own).elements())
    flat: list[float] = list(all_pods)
    for pods in spread:
        flat += [*sorted(question.position[index] for index in pods.elements()), float("inf")]
    return tuple(flat)
