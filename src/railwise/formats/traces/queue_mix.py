"""A queue for a cluster that came without one: mixed gangs, sized to the cluster, the same for the same seed.

A published map shows how real leaves are cabled, but not what ran there. To see how a scheduler copes with such
leaves one needs work of every kind at once, with rules about the levels this cluster has. Drawn are, per hundred
workloads about:

- 35 pods of 1, 2 or 4 cards, 15 pods of a whole node;
- 30 training gangs of 2, 4, 8, … whole nodes, each size half as likely as the one before it;
- 10 mixture-of-experts gangs of 4, 8 or 16 whole nodes in segments of 4 nodes;
- 10 inference services of a prefill group (whole nodes) and a decode group (half nodes).

Gangs end at the largest power of two within an eighth of the nodes, at most 64. A gang's required level is the
narrowest one that could hold it in an empty cluster, or the next wider one; its preferred level is the narrowest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import (
    CARDS_WHOLE,
    CardRequest,
    Group,
    Request,
    Segment,
    TopologyRule,
    Traffic,
    Workload,
)

LARGEST_QUEUE = 100_000
"""Workloads a queue may have."""

HOUR = 3_600_000_000
"""One hour in µs."""

_MASK: Final = (1 << 64) - 1
_STRICTNESS: Final = ("required", "required", "preferred", "preferred", "none")
_FORM = "write mixed:200 for 200 workloads"


class Drawn(NamedTuple):
    """One drawn workload, still without name and times."""

    name: str
    root: Group
    kind: str
    traffic: Traffic | None = None


class Draw:
    """Evenly drawn whole numbers from a seed (SplitMix64): the same on every machine and Python version."""

    def __init__(self, seed: int) -> None:
        """Start at ``seed``, of which the lowest 64 bits count."""
        self._state = seed & _MASK

    def below(self, bound: int) -> int:
        """Return a number from 0 to ``bound - 1``; ``bound`` is far below 2^64, so the bias cannot be seen."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return (value ^ (value >> 31)) % bound

    def halving(self, choices: int) -> int:
        """Return an index below ``choices``, each half as likely as the one before; the last takes what is left."""
        index = 0
        while index < choices - 1 and self.below(2):
            index += 1
        return index

    def weighted(self, choices: Sequence[tuple[Maker, int]]) -> Maker:
        """Return one of the choices, each with the weight beside it."""
        left = self.below(sum(weight for _, weight in choices))
        for choice, weight in choices:
            if left < weight:
                return choice
            left -= weight
        return choices[-1][0]


class Floor:
    """What the mix must know of a cluster: cards a node, largest gang in nodes, and nodes of the levels' domains."""

    def __init__(self, scenario: Scenario) -> None:
        """Measure the cluster; InputError if no node has cards."""
        counts = Counter(node.card_count() for node in scenario.nodes if node.card_count())
        if not counts:
            raise InputError(
                [Fault("spec.nodes", "no node has cards, so no queue can be made for it", "give the nodes gpus")]
            )
        self.cards: Final = min(counts, key=lambda count: (-counts[count], count))
        self.nodes: Final = counts[self.cards]
        self.largest: Final = _power_of_two(min(64, self.nodes // 8))
        self.levels: Final[list[tuple[str, int]]] = []
        for topology in scenario.topologies[:1]:
            names = topology.level_names()
            for depth in range(len(names)):
                sizes: Counter[tuple[str, ...]] = Counter()
                for node in scenario.nodes:
                    place = node.places.get(topology.name, {})
                    path = tuple(place.get(name, "") for name in names[: depth + 1])
                    if path[-1] and node.card_count() == self.cards:
                        sizes[path] += 1
                self.levels.append((names[depth], max(sizes.values(), default=0)))

    def holding(self, nodes: int) -> list[str]:
        """Return the levels of which one domain has that many nodes, narrowest first."""
        return [name for name, size in reversed(self.levels) if size >= nodes]

    def narrowest(self) -> str:
        """Return the last declared level; empty: the cluster is flat."""
        return self.levels[-1][0] if self.levels else ""


Maker = Callable[[Draw, Floor], Drawn]
"""Draws one kind of workload."""


def _power_of_two(bound: int) -> int:
    return 1 << (bound.bit_length() - 1) if bound > 0 else 1


def _cards(count: int) -> Request:
    return Request(CardRequest(CARDS_WHOLE, count))


def _gang(pods: int, cards: int, rule: TopologyRule, segment: Segment | None = None, name: str = "") -> Group:
    return Group(name=name, pods=pods, min_pods=pods, request=_cards(cards), topology=rule, segment=segment)


def _rule(draw: Draw, floor: Floor, nodes: int) -> TopologyRule:
    """Draw a rule that an empty cluster can satisfy: two in five required, as many only preferred, the rest none."""
    holding = floor.holding(nodes)
    strictness = _STRICTNESS[draw.below(len(_STRICTNESS))]
    if not floor.levels or strictness == "none":
        return TopologyRule()
    if strictness == "preferred" or not holding:
        return TopologyRule(preferred=floor.narrowest())
    required = holding[min(draw.below(2), len(holding) - 1)]
    return TopologyRule(required=required, preferred=floor.narrowest() if required != floor.narrowest() else "")


def _part(draw: Draw, floor: Floor) -> Drawn:
    return Drawn("part", _gang(1, min(1 << draw.below(3), floor.cards), TopologyRule()), "batch")


def _node(_draw: Draw, floor: Floor) -> Drawn:
    return Drawn("node", _gang(1, floor.cards, TopologyRule()), "batch")


def _training(draw: Draw, floor: Floor) -> Drawn:
    nodes = min(2 << draw.halving(6), max(floor.largest, 2))
    return Drawn("train", _gang(nodes, floor.cards, _rule(draw, floor, nodes)), "training", Traffic("dense"))


def _experts(draw: Draw, floor: Floor) -> Drawn:
    nodes = min(4 << draw.halving(3), max(floor.largest, 4))
    segment = Segment(4, preferred=floor.narrowest()) if floor.levels else None
    return Drawn("moe", _gang(nodes, floor.cards, _rule(draw, floor, nodes), segment), "training", Traffic("moe"))


def _service(draw: Draw, floor: Floor) -> Drawn:
    prefill, decode = 1 + draw.below(2), 2 << draw.below(2)
    half = max(floor.cards // 2, 1)
    near = TopologyRule(preferred=floor.narrowest()) if floor.levels else TopologyRule()
    groups = (_gang(prefill, floor.cards, near, name="prefill"), _gang(decode, half, near, name="decode"))
    holding = floor.holding(prefill + decode)
    whole = TopologyRule(required=holding[0]) if holding and draw.below(2) else TopologyRule()
    return Drawn("serve", Group(topology=whole, groups=groups, min_groups=2), "inference", Traffic("pd"))


MIX: Final[tuple[tuple[Maker, int], ...]] = ((_part, 35), (_node, 15), (_training, 30), (_experts, 10), (_service, 10))
"""What is drawn, with its share in hundredths."""


def _workload(draw: Draw, floor: Floor, index: int, digits: int) -> Workload:
    drawn = draw.weighted(MIX)(draw, floor)
    return Workload(
        name=f"{drawn.name}-{index + 1:0{digits}d}",
        root=drawn.root,
        priority=50 * draw.below(3),
        order=index,
        kind=drawn.kind,
        duration=(1 + draw.below(24)) * HOUR,
        traffic=drawn.traffic,
    )


def with_mixed_queue(scenario: Scenario, count: int) -> Scenario:
    """Return the scenario with ``count`` drawn workloads in place of its own; the seed is the scenario's.

    Raises InputError if no node has cards.
    """
    draw = Draw(scenario.seed)
    floor = Floor(scenario)
    digits = max(3, len(str(count)))
    return replace(scenario, workloads=tuple(_workload(draw, floor, index, digits) for index in range(count)))


def with_queue(scenario: Scenario, text: str) -> Scenario:
    """Return the scenario with the queue that ``mixed:COUNT`` asks for; InputError if it cannot be read."""
    kind, _, number = text.partition(":")
    digits = number.isascii() and number.isdigit() and len(number) <= len(str(LARGEST_QUEUE))
    if kind != "mixed" or not digits or not 1 <= int(number) <= LARGEST_QUEUE:
        raise InputError(
            [Fault("--queue", f"expected mixed:COUNT with 1 to {LARGEST_QUEUE} workloads, not '{text}'", _FORM)]
        )
    return with_mixed_queue(scenario, int(number))
