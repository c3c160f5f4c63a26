"""What is free in a cluster: every card, core and pod slot by itself, and the trees over the nodes.

Nothing here is shared with the engine. There is no interning and no counting by classes: a node has a list of cards,
and each card knows what is left of it. So a mistake in the engine's shortcuts cannot repeat itself here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from railwise.model.node import MIG_DYNAMIC, MIG_NONE, Node, Taint
from railwise.model.requirement import Requirement
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRule,
    Group,
    Request,
    Selection,
    Toleration,
)

NO_LIMIT = 2**40
"""The capacity of cpu, memory, pods and ephemeral-storage where a node lists none."""

WITHOUT_LIMIT = ("cpu", "memory", "pods", "ephemeral-storage")


@dataclass
class Card:
    """One card. ``fine`` is the memory left to sharers in thousandths of a MiB, ``compute`` in thousandths."""

    number: int
    model: str
    memory: int
    island: tuple[int, int]
    full: int
    whole_use: bool
    healthy: bool
    fine: int = 0
    compute: int = 1000
    given: bool = False

    def untouched(self) -> bool:
        """Return whether the card can be given whole."""
        return self.whole_use and self.healthy and not self.given and self.fine == self.full and self.compute == 1000

    def suits(self, rule: CardRule) -> bool:
        """Return whether model and size of the card are what the rule asks for."""
        return (not rule.models or self.model in rule.models) and self.memory >= rule.memory

    def share(self, request: Request) -> tuple[int, int] | None:
        """Return what a share takes of this card as (memory, compute), or None where the card cannot promise it."""
        cards = request.cards
        if cards.memory and not self.memory:
            return None
        if cards.memory:
            memory = cards.memory * 1000
        elif cards.memory_percent:
            memory = -(-self.full * cards.memory_percent // 100)
        else:
            memory = -(-self.full * cards.fraction // 1000)
        return memory, max(cards.fraction, 10 * cards.compute)

    def has_room(self, request: Request) -> bool:
        """Return whether one more share fits the card."""
        taken = self.share(request)
        usable = self.whole_use and self.healthy and not self.given
        return usable and taken is not None and taken[0] <= self.fine and taken[1] <= self.compute


@dataclass
class Machine:
    """A node and what is free on it. ``amounts`` holds what is left of each resource, pod slots included."""

    node: Node
    index: int
    cards: list[Card]
    amounts: dict[str, int]
    paths: dict[str, tuple[object, ...]] = field(default_factory=dict)
    named: dict[str, tuple[bool, ...]] = field(default_factory=dict)

    def takes_pods(self) -> bool:
        """Return whether new pods may start here at all."""
        return self.node.ready and not self.node.unschedulable

    def class_size(self) -> int:
        """Return the number of cards for whole use, healthy or not."""
        return sum(card.whole_use for card in self.cards)

    def untouched(self) -> int:
        """Return the number of cards that can be given whole."""
        return sum(card.untouched() for card in self.cards)

    def slots(self, untouched: int, amounts: dict[str, int]) -> int:
        """Return the free card-slots, given so many untouched cards and so much left of the other resources."""
        if not self.takes_pods():
            return 0
        slots = untouched
        for resource in ("cpu", "memory"):
            capacity = self.node.resources.get(resource)
            if capacity is not None:
                slots = min(slots, amounts[resource] * self.class_size() // capacity if capacity > 0 else 0)
        return max(slots, 0)

    def left_after(self, requests: list[Request]) -> dict[str, int] | None:
        """Return what is left of the other resources after these pods, or None where they do not fit."""
        left = dict(self.amounts)
        for request in requests:
            for resource, amount in (("pods", 1), *request.resources):
                have = left.get(resource, NO_LIMIT if resource in WITHOUT_LIMIT else 0)
                if amount > have:
                    return None
                left[resource] = have - amount
        return left

    def put(self, request: Request, rule: CardRule, numbers: list[int], *, checked: bool = True) -> str:
        """Put a pod on these cards and return what is wrong with that (empty: nothing); ``checked`` False: it runs."""
        left = self.left_after([request])
        if left is None and checked:
            return f"node {self.node.name} has not enough cpu, memory, pod slots or devices"
        if left is not None:
            self.amounts = left
        chosen = [self.cards[number] for number in numbers if 0 <= number < len(self.cards)]
        wanted = request.cards.count if request.cards.kind != CARDS_NONE else 0
        if checked and (len(chosen) != wanted or len(set(numbers)) != len(numbers)):
            return f"node {self.node.name}: cards {numbers} given, {wanted} different ones wanted"
        if checked and rule.island and len({card.island for card in chosen}) > 1:
            return f"node {self.node.name}: cards {numbers} lie in several islands"
        for card in chosen:
            whole = request.cards.kind == CARDS_WHOLE
            free = card.untouched() if whole else card.has_room(request)
            if checked and not (free and card.suits(rule)):
                return f"node {self.node.name}: card {card.number} is taken, sick or of the wrong kind"
            if whole:
                card.given = True
            else:
                memory, compute = card.share(request) or (0, 0)
                card.fine -= memory
                card.compute -= compute
        return ""


def machine(node: Node, index: int) -> Machine:
    """Return an empty node."""
    cards: list[Card] = []
    for run, kind in enumerate(node.cards):
        whole_use = kind.time_slices == 0 and kind.mig in (MIG_NONE, MIG_DYNAMIC)
        full = (kind.memory - kind.reserve) * 1000 if kind.memory else 1000
        for place in range(kind.count):
            island = (run, place * kind.islands // kind.count)
            number = len(cards)
            card = Card(number, kind.model, kind.memory, island, full, whole_use, number not in node.unhealthy, full)
            cards.append(card)
    amounts = dict.fromkeys(WITHOUT_LIMIT, NO_LIMIT) | dict(node.resources)
    return Machine(node, index, cards, amounts)


def _lowest_cards(place: Machine, group: Group) -> list[int]:
    request = group.request
    if request.cards.kind == CARDS_NONE:
        return []
    whole = request.cards.kind == CARDS_WHOLE
    fitting = [
        card.number
        for card in place.cards
        if card.suits(group.card_rule) and (card.untouched() if whole else card.has_room(request))
    ]
    return fitting[: request.cards.count]


def leaves(group: Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Group]]:
    """Return the groups that hold pods, in document order, with their paths."""
    if not group.groups:
        return [(path, group)]
    return [leaf for child in group.groups for leaf in leaves(child, (*path, child.name))]


class Cluster:
    """The nodes of a scenario with its running pods on them, and the domains of every topology."""

    def __init__(self, scenario: Scenario) -> None:
        """Place the running pods; cards that are not named are the lowest that fit."""
        self.scenario = scenario
        self.topologies = scenario.topologies or (Topology("", ()),)
        self.machines = [machine(node, index) for index, node in enumerate(scenario.nodes)]
        self.by_name = {place.node.name: place for place in self.machines}
        for topology in self.topologies:
            for place in self.machines:
                _stand(topology, place)
        for workload in scenario.workloads:
            for _, group in leaves(workload.root):
                self._run(group)

    def _run(self, group: Group) -> None:
        running = group.running
        if running is None:
            return
        for rank, name in enumerate(running.nodes):
            if name is None:
                continue
            place = self.by_name[name]
            named = running.cards[rank] if rank < len(running.cards) else ()
            numbers = [int(card) for card in named] if named else _lowest_cards(place, group)
            place.put(group.request, group.card_rule, numbers, checked=False)

    def topology(self, name: str) -> Topology | None:
        """Return a topology by name (empty: the first)."""
        for topology in self.topologies:
            if name in {"", topology.name}:
                return topology
        return None

    def tree_order(self, topology: Topology) -> list[int]:
        """Return the node indices in tree order: domains by first appearance, then nodes as the document has them."""
        seen: dict[tuple[object, ...], int] = {}
        keys = []
        for place in self.machines:
            path = place.paths[topology.name]
            keys.append([seen.setdefault(path[: depth + 1], len(seen)) for depth in range(len(path))])
        return sorted(range(len(self.machines)), key=lambda index: (keys[index], index))


def _stand(topology: Topology, place: Machine) -> None:
    """Note the node's path in a topology; a level without a name is a domain of its own (see ``reference``)."""
    levels = topology.level_names()
    names = place.node.places.get(topology.name, {})
    path: list[object] = []
    for depth, level in enumerate(levels):
        below = [(lower, names[lower]) for lower in levels[depth + 1 :] if lower in names]
        nameless = ("nameless", below[0] if below else place.index)
        path.append(names.get(level, nameless))
    place.paths[topology.name] = tuple(path)
    place.named[topology.name] = tuple(level in names for level in levels)


def accepts(node: Node, selection: Selection) -> bool:
    """Return whether labels, names and taints of a node let a pod in."""
    if any(node.labels.get(key) != value for key, value in selection.labels):
        return False
    if selection.terms and not any(term and all(_holds(node, part) for part in term) for term in selection.terms):
        return False
    return all(
        taint.effect == "PreferNoSchedule" or any(_tolerated(taint, one) for one in selection.tolerations)
        for taint in node.taints
    )


def _holds(node: Node, part: Requirement) -> bool:
    value = node.name if part.of_field else node.labels.get(part.key)
    match part.operator:
        case "In":
            return value in part.values
        case "NotIn":
            return value not in part.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and int(value) > int(part.values[0])
        case "Lt":
            return value is not None and int(value) < int(part.values[0])
    raise ValueError(part.operator)


def _tolerated(taint: Taint, toleration: Toleration) -> bool:
    if toleration.effect not in {"", taint.effect}:
        return False
    if toleration.operator == "Exists":
        return toleration.key in {"", taint.key}
    return (toleration.key, toleration.value) == (taint.key, taint.value)


def pods_of(counts: Counter[int]) -> list[int]:
    """Return the node indices of a count per node, one entry a pod, ascending."""
    return sorted(counts.elements())


def wants_cards(group: Group) -> bool:
    """Return whether any pod of a group asks for cards."""
    return any(leaf.request.cards.kind in {CARDS_WHOLE, CARDS_SHARE} for _, leaf in leaves(group))
