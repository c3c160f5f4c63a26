"""One pending workload read as a question: its groups, their trees and levels, and what each node could hold.

``Part`` is one group of the workload, the root included, with its rules as depths of its own topology. Depth 0 is the
widest level and the depth after the last declared level is the node itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from railwise.model.scenario import Scenario
from railwise.model.topology import NO_LEVEL, NODE_LEVEL, Topology
from railwise.model.workload import CARDS_NONE, CARDS_WHOLE, Group, TopologyRule, Workload
from tests.oracle.cluster import Cluster, Machine, accepts, leaves, machine, wants_cards

Spread = tuple[Counter[int], ...]
"""How many pods of each leaf group lie on each node (by node index)."""


@dataclass(frozen=True)
class Part:
    """A group: ``own`` are the numbers of its leaf groups, ``children`` those of each child. Depth None: no rule."""

    path: tuple[str, ...]
    group: Group
    topology: Topology
    own: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    required: int | None
    preferred: int | None
    distinct: int | None
    segment_required: int | None
    segment_preferred: int | None

    def node_depth(self) -> int:
        """Return the depth of the node level."""
        return len(self.topology.levels)

    def domain(self, place: Machine, depth: int) -> tuple[object, ...]:
        """Return what the node's domain at a depth is known by: its path, for the node level with the node itself."""
        path = place.paths[self.topology.name]
        return (*path, place.index) if depth >= len(path) else path[: depth + 1]

    def names(self, place: Machine, depth: int) -> bool:
        """Return whether the node names a domain at a depth, so that a rule about it can be kept there."""
        named = place.named[self.topology.name]
        return depth >= len(named) or named[depth]


def _depth(topology: Topology, level: str) -> int | None:
    levels = (*topology.level_names(), NODE_LEVEL)
    return levels.index(level) if level in levels else None


def _must(topology: Topology, level: str) -> int | None:
    depth = _depth(topology, level)
    if level and depth is None:
        raise ValueError(f"no level {level!r} in topology {topology.name!r}")
    return depth


class Question:
    """A workload (or one of its alternatives, given as ``root``) that asks for a place in a cluster."""

    def __init__(self, scenario: Scenario, workload: Workload, root: Group | None = None) -> None:
        """Resolve topologies and levels, and note which nodes let which leaf group in."""
        self.scenario = scenario
        self.workload = workload
        self.root = root or workload.root
        self.cluster = Cluster(scenario)
        self.leaf_groups = [group for _, group in leaves(self.root)]
        self.leaf_paths = [path for path, _ in leaves(self.root)]
        self.parts: list[Part] = []
        self._read(self.root, (), "", 0)
        self.whole = self.parts[0]
        self.order = self.cluster.tree_order(self.whole.topology)
        self.position = {index: position for position, index in enumerate(self.order)}
        self.with_cards = wants_cards(self.root)
        self.locality = self._locality()
        self.before = [place.slots(place.untouched(), place.amounts) for place in self.cluster.machines]
        self.welcome = [
            tuple(place.takes_pods() and accepts(place.node, group.selection) for group in self.leaf_groups)
            for place in self.cluster.machines
        ]
        self._held: dict[tuple[object, ...], tuple[int, int, int] | None] = {}
        self.signatures = [self._signature(place) for place in self.cluster.machines]

    def _read(self, group: Group, path: tuple[str, ...], inherited: str, first: int) -> tuple[int, ...]:
        name = group.topology.name or inherited
        topology = self.cluster.topology(name)
        if topology is None:
            raise ValueError(f"no topology {name!r}")
        slot = len(self.parts)
        self.parts.append(Part(path, group, topology, (), (), None, None, None, None, None))
        children: list[tuple[int, ...]] = []
        for child in group.groups:
            start = first + sum(len(own) for own in children)
            children.append(self._read(child, (*path, child.name), name, start))
        own = tuple(number for child in children for number in child) if children else (first,)
        rule, segment = group.topology, group.segment
        self.parts[slot] = Part(
            path,
            group,
            topology,
            own,
            tuple(children),
            _must(topology, rule.required),
            _depth(topology, rule.preferred),
            _must(topology, rule.distinct),
            _must(topology, segment.required) if segment else None,
            _depth(topology, segment.preferred) if segment else None,
        )
        return own

    def _locality(self) -> int | None:
        """Return the depth of ``preferred`` for the whole, its default included; None: no locality is wanted."""
        part = self.whole
        if self.root.topology.preferred == NO_LEVEL:
            return None
        if part.preferred is not None:
            return part.preferred
        last = part.node_depth() - 1
        groups = [one.group for one in self.parts]
        ruled = any(group.segment or replace(group.topology, name="") != TopologyRule() for group in groups)
        if last < 0 or not (self.with_cards or ruled):
            return None
        if self.workload.kind in {"training", "inference"} and self.with_cards and self._one_node_could_hold_all():
            return part.node_depth()
        return last

    def _one_node_could_hold_all(self) -> bool:
        counts = tuple(group.pods for group in self.leaf_groups)
        return any(
            bool(self._packings(machine(replace(node, unhealthy=frozenset()), 0), counts))
            for node in self.scenario.nodes
        )

    def _signature(self, place: Machine) -> tuple[object, ...]:
        """Return everything the rules can see of a node apart from its position; equal nodes are interchangeable."""
        return (
            tuple(sorted(place.paths.items(), key=lambda item: item[0])),
            tuple(sorted(place.named.items())),
            self.welcome[place.index],
            _card_state(place),
            tuple(sorted(place.amounts.items())),
            tuple(sorted(place.node.resources.items())),
            (place.takes_pods(), place.class_size(), place.node.card_count() > 0, bool(place.node.dead_rails)),
        )

    def hold(self, index: int, counts: tuple[int, ...]) -> tuple[int, int] | None:
        """Return (free slots, free millicores) of a node after so many pods of each leaf group; None: no room."""
        key = (self.signatures[index], counts)
        if key not in self._held:
            self._held[key] = self._hold(self.cluster.machines[index], counts)
        held = self._held[key]
        return None if held is None else held[:2]

    def _hold(self, place: Machine, counts: tuple[int, ...]) -> tuple[int, int, int] | None:
        if any(count and not welcome for count, welcome in zip(counts, self.welcome[place.index], strict=True)):
            return None
        requests = [group.request for group, n in zip(self.leaf_groups, counts, strict=True) for _ in range(n)]
        left = place.left_after(requests)
        if left is None:
            return None
        packings = self._packings(place, counts)
        if not packings:
            return None
        most = max(sum(many for card, many in state if card.pristine) for state in packings)
        return place.slots(most, left), left["cpu"], most

    def _packings(self, place: Machine, counts: tuple[int, ...]) -> set[CardState]:
        """Return every state of the cards that can be reached by giving cards to these pods."""
        states = {_card_state(place)}
        for group, count in zip(self.leaf_groups, counts, strict=True):
            for _ in range(count):
                states = {after for state in states for after in _give(state, group)}
        return states


@dataclass(frozen=True, order=True)
class CardClass:
    """Cards that are alike in all a pod can see: ``pristine`` ones can be given whole."""

    island: tuple[int, int]
    model: str
    memory: int
    full: int
    fine: int
    compute: int
    pristine: bool


CardState = tuple[tuple[CardClass, int], ...]
"""How many usable cards of each class a node has, sorted."""


def _card_state(place: Machine) -> CardState:
    counts = Counter(
        CardClass(card.island, card.model, card.memory, card.full, card.fine, card.compute, card.untouched())
        for card in place.cards
        if card.whole_use and card.healthy and not card.given
    )
    return tuple(sorted(counts.items()))


def _give(state: CardState, group: Group) -> Iterator[CardState]:
    """Yield every state after one pod of the group got its cards."""
    cards = group.request.cards
    if cards.kind == CARDS_NONE:
        yield state
        return
    single = [kind for kind, many in state for _ in range(many)]
    options = [kind for kind in single if _could_serve(kind, group)]
    for chosen in sorted(set(combinations(options, cards.count))):
        if group.card_rule.island and len({kind.island for kind in chosen}) > 1:
            continue
        left = Counter(dict(state))
        for kind in chosen:
            left[kind] -= 1
            if cards.kind != CARDS_WHOLE:
                memory, compute = _share(kind, group)
                rest = replace(kind, fine=kind.fine - memory, compute=kind.compute - compute, pristine=False)
                left[rest] += 1
        yield tuple(sorted((kind, many) for kind, many in left.items() if many))


def _share(kind: CardClass, group: Group) -> tuple[int, int]:
    cards = group.request.cards
    if cards.memory:
        memory = cards.memory * 1000
    elif cards.memory_percent:
        memory = -(-kind.full * cards.memory_percent // 100)
    else:
        memory = -(-kind.full * cards.fraction // 1000)
    return memory, max(cards.fraction, 10 * cards.compute)


def _could_serve(kind: CardClass, group: Group) -> bool:
    rule, cards = group.card_rule, group.request.cards
    if (rule.models and kind.model not in rule.models) or kind.memory < rule.memory:
        return False
    if cards.kind == CARDS_WHOLE:
        return kind.pristine
    if cards.memory and not kind.memory:
        return False
    memory, compute = _share(kind, group)
    return memory <= kind.fine and compute <= kind.compute
