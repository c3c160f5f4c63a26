"""Shapes: what one pod asks for, interned, so that equal pods are judged once.

A shape knows what it takes from a node (cards, cpu, memory, pod slot, devices) and which nodes and cards it accepts. It
holds no state of the cluster.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.selection import accepts_node
from railwise.model.host_ports import PREFIX, WHOLE
from railwise.model.node import Node
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRule,
    Group,
    Request,
    Selection,
)

UNLIMITED: Final = 1 << 40
"""Stands for a resource that a node does not list and that is not a device."""

KIND_NONE: Final = 0
KIND_WHOLE: Final = 1
KIND_SHARE: Final = 2
KIND_OTHER: Final = 3
"""Kinds of use of a card as small integers; ``KIND_OTHER`` is what this version cannot honour."""

_FREE_RESOURCES: Final = ("cpu", "memory", "pods", "ephemeral-storage")

ATTACHMENTS: Final = "attachable-volumes/"
"""How the names of resources begin that count the volumes of a driver: a node that lists none has no limit."""

_KINDS: Final[dict[str, int]] = {CARDS_NONE: KIND_NONE, CARDS_WHOLE: KIND_WHOLE, CARDS_SHARE: KIND_SHARE}


def unlisted(resource: str) -> int:
    """Return what a node has of a resource it does not list: cpu, memory, pods and storage are unlimited, devices 0.

    Of ports each node has its own, and volumes may be attached without limit.
    """
    if resource in _FREE_RESOURCES or resource.startswith(ATTACHMENTS):
        return UNLIMITED
    return WHOLE if resource.startswith(PREFIX) else 0


class Shape:
    """One pod's demand, interned by ``Shapes``; compare by identity or ``index``."""

    def __init__(self, index: int, request: Request, rule: CardRule, selection: Selection) -> None:
        """Unpack the request into plain integers."""
        cards = request.cards
        self.index: Final = index
        self.request: Final = request
        self.rule: Final = rule
        self.selection: Final = selection
        self.kind: Final = _KINDS.get(cards.kind, KIND_OTHER)
        self.cards: Final = cards.count
        self.fraction: Final = cards.fraction
        self.share_memory: Final = cards.memory
        self.share_percent: Final = cards.memory_percent
        self.share_compute: Final = cards.compute
        amounts = dict(request.resources)
        self.cpu: Final = amounts.pop("cpu", 0)
        self.memory: Final = amounts.pop("memory", 0)
        self.pods: Final = 1 + amounts.pop("pods", 0)
        self.others: Final[tuple[tuple[str, int], ...]] = tuple(
            (name, amount) for name, amount in sorted(amounts.items()) if amount > 0
        )
        self.any_card: Final = not (rule.models or rule.memory or rule.island)
        self.picky: Final = bool(selection.labels or selection.terms)

    def wants_cards(self) -> bool:
        """Return whether the pod asks for cards in any way."""
        return self.kind != KIND_NONE

    def gpu_thousandths(self) -> int:
        """Return the demand in thousandths of a card where it does not depend on the card (shares by memory: 0)."""
        if self.kind == KIND_WHOLE:
            return 1000 * self.cards
        if self.kind == KIND_SHARE:
            return self.cards * max(self.fraction, 10 * self.share_compute, 10 * self.share_percent)
        return 0

    def accepts(self, node: Node) -> bool:
        """Return whether labels and taints of the node allow the pod, whatever is free there."""
        return accepts_node(self.selection, node)


class Shapes:
    """The interned shapes of one engine, and numbers for what workloads made of them ask for (``asks``)."""

    def __init__(self) -> None:
        """Start empty."""
        self.asks: Final[dict[tuple[object, ...], int]] = {}
        self._by_key: dict[tuple[object, ...], Shape] = {}
        self.all: Final[list[Shape]] = []
        self._last_group: Group | None = None

    def intern(self, request: Request, rule: CardRule, selection: Selection) -> Shape:
        """Return the one shape of this demand."""
        cards = request.cards
        key = (
            *(cards.kind, cards.count, cards.fraction, cards.memory, cards.memory_percent, cards.compute, cards.slices),
            *(request.resources, rule.models, rule.memory, rule.island),
            *(selection.labels, selection.terms, selection.tolerations),
        )
        shape = self._by_key.get(key)
        if shape is None:
            shape = Shape(len(self.all), request, rule, selection)
            self._by_key[key] = shape
            self.all.append(shape)
        return shape

    def cards_only(self, shape: Shape) -> Shape:
        """Return the shape that asks for the same cards and nothing else."""
        return self.intern(Request(shape.request.cards), shape.rule, shape.selection)

    def of_group(self, group: Group) -> Shape:
        """Return the shape of a group's pods; copies of one template are one after the other the same group."""
        if group is not self._last_group:
            self._last = self.intern(group.request, group.card_rule, group.selection)
            self._last_group = group
        return self._last
