"""The one ``fits()``: what a node's free room becomes when a pod is put on it, or that it cannot be put there.

Placing, checking again before a bind, what-if and the search all ask this module, so there is no second, weaker check
through which a card could be given twice. A node's free room is an interned ``Room``: nodes with equal room share one
object, and every answer about (shape, room) is computed once.

Cards are counted in banks: runs of equal cards of one island. In a bank a card is free as a whole, partly used by
sharers (``Room.partial``), or gone. Shares are kept in a unit fine enough to be exact: a thousandth of a MiB of the
card's memory, and thousandths of its compute.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.potential import Potential
from railwise.engine.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, UNLIMITED, Shape, unlisted
from railwise.model.node import Node

FULL_COMPUTE: Final = 1000


class Bank:
    """A run of equal cards of one island; ``fine`` is the memory sharers may use, in thousandths of a MiB a card.

    A card of unknown memory has ``fine`` 1000: only fractions can be asked of it.
    """

    def __init__(self, first: int, mask: int, model: str, memory: int, reserve: int, usable: bool) -> None:
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
        self.device: Final = node.card_count() > 0
        self.cpu: Final = node.resources.get("cpu", UNLIMITED)
        self.memory: Final = node.resources.get("memory", UNLIMITED)
        self.pods: Final = node.resources.get("pods", UNLIMITED)
        self.others: Final[dict[str, int]] = {
            name: amount for name, amount in node.resources.items() if name not in ("cpu", "memory", "pods")
        }
        self.simple: Final = len(self.banks) == 1
        self.allowed: Final[dict[int, tuple[int, ...]]] = {}

    def whole_mask(self) -> int:
        """Return the bits of all cards that can be given whole on the empty node."""
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
                banks.append(Bank(first, mask, cards.model, cards.memory, cards.reserve, usable))
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


class Room:
    """The free room of a node, interned by ``Rooms``; equal rooms are one object.

    ``whole`` counts the free whole cards per bank, ``partial`` holds (bank, memory left, compute left) of the cards in
    shared use, sorted. ``slots`` are the free card-slots; a closed node (not ready, cordoned) has none.
    """

    __slots__ = ("closed", "cpu", "free", "index", "memory", "others", "partial", "pods", "slots", "spec", "whole", "wholly")

    def __init__(
        self,
        index: int,
        spec: NodeSpec,
        closed: bool,
        whole: tuple[int, ...],
        partial: tuple[tuple[int, int, int], ...],
        cpu: int,
        memory: int,
        pods: int,
        others: tuple[tuple[str, int], ...],
    ) -> None:
        """Keep the figures and derive the card-slots."""
        self.index = index
        self.spec = spec
        self.closed = closed
        self.whole = whole
        self.partial = partial
        self.cpu = cpu
        self.memory = memory
        self.pods = pods
        self.others = others
        self.free = sum(whole)
        self.slots = 0 if closed else slots_of(spec, self.free, cpu, memory)
        self.wholly = spec.cards > 0 and self.slots == spec.cards


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


class Rooms:
    """The interned rooms of one state, and the answers about them."""

    def __init__(self, potential: Potential) -> None:
        """Start empty; ``potential`` judges what a pod destroys."""
        self.potential: Final = potential
        self.all: Final[list[Room]] = []
        self._by_key: dict[tuple[object, ...], Room] = {}
        self._next: dict[int, dict[int, Room | None]] = {}

    def intern(
        self,
        spec: NodeSpec,
        closed: bool,
        whole: tuple[int, ...],
        partial: tuple[tuple[int, int, int], ...],
        cpu: int,
        memory: int,
        pods: int,
        others: tuple[tuple[str, int], ...],
    ) -> Room:
        """Return the one room of these figures."""
        key = (spec.index, closed, whole, partial, cpu, memory, pods, others)
        room = self._by_key.get(key)
        if room is None:
            room = Room(len(self.all), spec, closed, whole, partial, cpu, memory, pods, others)
            self._by_key[key] = room
            self.all.append(room)
        return room

    def fits(self, shape: Shape, room: Room) -> Room | None:
        """Return the room left after one pod of the shape, or None where it does not fit (labels and taints apart)."""
        answers = self._next.get(shape.index)
        if answers is None:
            answers = {}
            self._next[shape.index] = answers
        if room.index in answers:
            return answers[room.index]
        result = self._put(shape, room)
        answers[room.index] = result
        return result

    def _put(self, shape: Shape, room: Room) -> Room | None:
        if room.closed or room.cpu < shape.cpu or room.memory < shape.memory or room.pods < shape.pods:
            return None
        others = room.others
        if shape.others:
            others = changed(others, shape, -1)
            if any(amount < 0 for _, amount in others):
                return None
        whole, partial = room.whole, room.partial
        if shape.kind == KIND_WHOLE:
            taken = whole_banks(shape, room)
            if not taken:
                return None
            whole = tuple(have - take for have, take in zip(whole, taken, strict=True))
        elif shape.kind == KIND_SHARE:
            chosen = share_cards(shape, room)
            if not chosen:
                return None
            whole, partial = _after_share(shape, room, chosen)
        elif shape.kind != KIND_NONE:
            return None
        return self.intern(
            room.spec,
            False,
            whole,
            partial,
            _less(room.cpu, shape.cpu),
            _less(room.memory, shape.memory),
            _less(room.pods, shape.pods),
            others,
        )


def changed(others: tuple[tuple[str, int], ...], shape: Shape, sign: int) -> tuple[tuple[str, int], ...]:
    """Return the free devices after a pod came (sign -1) or went (+1); what a node does not list counts from nothing."""
    left = dict(others)
    for name, amount in shape.others:
        if name in left or unlisted(name) == 0:
            after = left.get(name, 0) + sign * amount
            left[name] = after
    return tuple(sorted(left.items()))


def _less(have: int, amount: int) -> int:
    return have if have == UNLIMITED else have - amount


def whole_banks(shape: Shape, room: Room) -> tuple[int, ...]:
    """Return how many whole cards the pod takes from each bank, lowest card first; empty where it does not fit."""
    need = shape.cards
    if room.spec.simple and shape.any_card:
        return (need,) if room.whole[0] >= need else ()
    taken = [0] * len(room.whole)
    for bank in room.spec.banks_for(shape):
        have = room.whole[bank]
        if shape.rule.island:
            if have >= need:
                taken[bank] = need
                return tuple(taken)
            continue
        take = have if have < need else need
        taken[bank] = take
        need -= take
        if need == 0:
            return tuple(taken)
    return ()


def share_cards(shape: Shape, room: Room) -> list[tuple[int, int, int]]:
    """Return the cards a share takes, as (bank, memory left, compute left) before it; empty where it does not fit.

    Cards in shared use first, since breaking a whole one costs a slot; then least memory left over, then the lowest card.
    """
    banks = room.spec.banks_for(shape)
    options: list[tuple[int, int, int, int]] = []
    for bank, memory_left, compute_left in room.partial:
        if bank in banks:
            memory, compute = share_demand(shape, room.spec.banks[bank])
            if memory_left >= memory and compute_left >= compute:
                options.append((0, memory_left, bank, compute_left))
    for bank in banks:
        fine = room.spec.banks[bank].fine
        options.extend((1, fine, bank, FULL_COMPUTE) for _ in range(min(room.whole[bank], shape.cards)))
    if len(options) < shape.cards:
        return []
    options.sort()
    return [(bank, memory_left, compute_left) for _, memory_left, bank, compute_left in options[: shape.cards]]


def _after_share(
    shape: Shape, room: Room, chosen: list[tuple[int, int, int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    whole = list(room.whole)
    partial = list(room.partial)
    for bank, memory_left, compute_left in chosen:
        memory, compute = share_demand(shape, room.spec.banks[bank])
        if (bank, memory_left, compute_left) in partial:
            partial.remove((bank, memory_left, compute_left))
        else:
            whole[bank] -= 1
        if memory_left > memory or compute_left > compute:
            partial.append((bank, memory_left - memory, compute_left - compute))
    partial.sort()
    return tuple(whole), tuple(partial)
