"""What is free on a node, counted: banks of equal cards, cpu, memory, pod slots, devices.

A node's free room is an interned ``Room``: thousands of nodes share few, and every answer about (shape, room) is
computed once. Cards are counted in banks: runs of equal cards of one island. In a bank a card is free as a whole,
partly used by sharers (``Room.partial``), or gone.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.shapes import KIND_SHARE, UNLIMITED, Shape
from railwise.model.node import Node

FULL_COMPUTE: Final = 1000
"""The whole compute of a card, in thousandths."""

Chosen = tuple[tuple[int, int, int], ...]
"""Cards a share takes, each as (bank, memory left, compute left) before it; empty: by the rule."""


class Bank:
    """A run of equal cards of one island; ``fine`` is the memory sharers may use, in thousandths of a MiB a card.

    A card of unknown memory has ``fine`` 1000: only fractions can be asked of it.
    """

    def __init__(self, first: int, mask: int, model: str, memory: int, reserve: int, *, usable: bool) -> None:
        """Describe the cards whose bits are set in ``mask``; ``usable`` is False for cut or time-sliced cards."""
        self.first: Final = first
        self.mask: Final = mask
        self.model: Final = model
        self.memory: Final = memory
        self.fine: Final = max(memory - reserve, 0) * 1000 if memory else 1000
        self.usable: Final = usable


class NodeSpec:
    """What a node has when it is empty: banks, healthy cards, capacities. Interned, shared by equal nodes."""

    def __init__(self, index: int, node: Node) -> None:
        """Read the banks and capacities of a node."""
        self.index: Final = index
        self.banks: Final[list[Bank]] = _banks(node)
        self.healthy: Final = _healthy(node)
        self.cards: Final = sum(bank.mask.bit_count() for bank in self.banks if bank.usable)
        self.count: Final = node.card_count()
        self.device: Final = self.count > 0
        self.cpu: Final = node.resources.get("cpu", UNLIMITED)
        self.memory: Final = node.resources.get("memory", UNLIMITED)
        self.pods: Final = node.resources.get("pods", UNLIMITED)
        self.others: Final[dict[str, int]] = {
            name: amount for name, amount in node.resources.items() if name not in ("cpu", "memory", "pods")
        }
        self.simple: Final = len(self.banks) == 1
        self.usable: Final = self._usable()
        self.allowed: Final[dict[int, tuple[int, ...]]] = {}

    def whole_mask(self) -> int:
        """Return the bits of all cards that can be given whole on the empty node."""
        return self.usable

    def _usable(self) -> int:
        mask = 0
        for bank in self.banks:
            if bank.usable:
                mask |= bank.mask
        return mask & self.healthy

    def banks_for(self, shape: Shape) -> tuple[int, ...]:
        """Return the indices of the banks whose cards the shape accepts."""
        banks = self.allowed.get(shape.index)
        if banks is None:
            banks = tuple(index for index, bank in enumerate(self.banks) if bank.usable and _card_will_do(bank, shape))
            self.allowed[shape.index] = banks
        return banks


def _card_will_do(bank: Bank, shape: Shape) -> bool:
    rule = shape.rule
    if rule.models and bank.model not in rule.models:
        return False
    if rule.memory and bank.memory < rule.memory:
        return False
    if shape.kind == KIND_SHARE:
        return share_demand(shape, bank)[0] <= bank.fine and (bank.memory > 0 or shape.share_memory == 0)
    return True


def _banks(node: Node) -> list[Bank]:
    banks: list[Bank] = []
    first = 0
    for cards in node.cards:
        runs = cards.islands if cards.islands > 0 and cards.count % cards.islands == 0 else 1
        size = cards.count // runs if runs else cards.count
        usable = cards.time_slices == 0 and cards.mig in ((), ("dynamic",))
        for _ in range(runs):
            if size:
                mask = ((1 << size) - 1) << first
                banks.append(Bank(first, mask, cards.model, cards.memory, cards.reserve, usable=usable))
            first += size
    return banks


def _healthy(node: Node) -> int:
    mask = (1 << node.card_count()) - 1
    for card in node.unhealthy:
        mask &= ~(1 << card)
    return mask


def share_demand(shape: Shape, bank: Bank) -> tuple[int, int]:
    """Return what a share takes of one card of the bank: (thousandths of a MiB of memory, thousandths of compute)."""
    memory = (shape.fraction * bank.fine + 999) // 1000
    if shape.share_memory:
        memory = shape.share_memory * 1000
    elif shape.share_percent:
        memory = (shape.share_percent * bank.fine + 99) // 100
    return memory, max(shape.fraction, 10 * shape.share_compute)


class Figures(NamedTuple):
    """The free room of a node in numbers: what tells one ``Room`` of a kind of node from another."""

    closed: bool
    whole: tuple[int, ...]
    partial: tuple[tuple[int, int, int], ...]
    cpu: int
    memory: int
    pods: int
    others: tuple[tuple[str, int], ...]


class Room:
    """The free room of a node, interned by ``Rooms``; equal rooms are one object.

    ``whole`` counts the free whole cards per bank, ``partial`` holds (bank, memory left, compute left) of the cards in
    shared use, sorted. ``slots`` are the free card-slots; a closed node (not ready, cordoned) has none.
    """

    __slots__ = (
        "closed",
        "cpu",
        "free",
        "index",
        "memory",
        "others",
        "partial",
        "pods",
        "slots",
        "spec",
        "whole",
        "wholly",
    )

    def __init__(self, index: int, spec: NodeSpec, figures: Figures) -> None:
        """Keep the figures and derive the card-slots."""
        self.index = index
        self.spec = spec
        self.closed, self.whole, self.partial, self.cpu, self.memory, self.pods, self.others = figures
        self.free = sum(self.whole)
        self.slots = 0 if self.closed else slots_of(spec, self.free, self.cpu, self.memory)
        self.wholly = spec.cards > 0 and self.slots == spec.cards

    def figures(self) -> Figures:
        """Return the figures the room was made of."""
        return Figures(self.closed, self.whole, self.partial, self.cpu, self.memory, self.pods, self.others)


def slots_of(spec: NodeSpec, free: int, cpu: int, memory: int) -> int:
    """Return the free card-slots: free cards that still have their share of cpu and memory."""
    slots = free
    if spec.cpu != UNLIMITED:
        share = cpu * spec.cards // spec.cpu if spec.cpu > 0 else 0
        if share < slots:
            slots = share
    if spec.memory != UNLIMITED:
        share = memory * spec.cards // spec.memory if spec.memory > 0 else 0
        if share < slots:
            slots = share
    return slots if slots > 0 else 0
