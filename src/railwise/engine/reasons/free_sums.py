"""What is free in all, resource by resource: whether a workload waits for room, or for room in one place."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import Room, share_demand
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, Shape, unlisted
from railwise.engine.gangs.demand import ONE_CARD, Demand
from railwise.engine.gangs.needed import needed_leaves
from railwise.engine.reasons.census import Census, Follower, Move

Sums = tuple[int, int, int, int, int, tuple[tuple[str, int], ...]]
"""Whole cards, thousandths of cards in shared use, cpu, memory, pod slots, other resources."""


class FreeSums(Follower):
    """Sums over the nodes that any of some shapes may use, of the cards that any of them accepts."""

    def __init__(self, census: Census, shapes: list[Shape]) -> None:
        """Add up when first asked."""
        super().__init__(census)
        self._shapes: Final = [shape for shape in shapes if shape.kind != KIND_NONE]
        self._boundless: Final = boundless(shapes)
        self._known: Final[dict[int, Sums]] = {}
        self._whole = 0
        self._shared = 0
        self._cpu = 0
        self._memory = 0
        self._pods = 0
        self._others: Final[dict[str, int]] = {}

    def covers(self, demand: Demand) -> bool:
        """Return whether the sums of this moment cover the minimum of a demand, of all groups that are needed."""
        self.refresh()
        whole = shared = cpu = memory = pods = 0
        others: dict[str, int] = {}
        for leaf in needed_leaves(demand.root):
            shape, count = leaf.shape, max(leaf.group.min_pods - len(leaf.fixed), 0)
            if shape is None:
                continue
            if shape.kind == KIND_WHOLE:
                whole += count * shape.cards
            elif shape.kind == KIND_SHARE:
                shared += count * self._share_of(shape)
            cpu += count * shape.cpu
            memory += count * shape.memory
            pods += count * shape.pods
            for name, amount in shape.others:
                others[name] = others.get(name, 0) + count * amount
        return (
            self._whole >= whole
            and 1000 * (self._whole - whole) + self._shared >= shared
            and self._cpu >= cpu
            and self._memory >= memory
            and self._pods >= pods
            and all(self._others.get(name, 0) >= amount for name, amount in others.items())
        )

    def _share_of(self, shape: Shape) -> int:
        """Return the thousandths of cards that a share takes at least (its memory: of the largest card there is)."""
        least = [
            share_demand(shape, bank)[0] * ONE_CARD // max(bank.fine, 1)
            for spec in self.census.state.specs_in_use()
            for bank in (spec.banks[number] for number in spec.banks_for(shape))
        ]
        return max(shape.cards * min(least, default=0), shape.gpu_thousandths())

    def _start(self) -> None:
        self._whole = self._shared = self._cpu = self._memory = self._pods = 0
        self._others.clear()
        for kind, number in self.census.count.items():
            self._add(kind, number)

    def _follow(self, moves: list[Move]) -> None:
        for _, before, now in moves:
            self._add(before, -1)
            self._add(now, 1)

    def _add(self, kind: int, copies: int) -> None:
        if kind < 0:
            return
        known = self._known.get(kind)
        if known is None:
            known = self._of_room(self.census.state.rooms.all[kind])
            self._known[kind] = known
        whole, shared, cpu, memory, pods, others = known
        self._whole += copies * whole
        self._shared += copies * shared
        self._cpu += copies * cpu
        self._memory += copies * memory
        self._pods += copies * pods
        for name, amount in others:
            self._others[name] = self._others.get(name, 0) + copies * amount

    def _of_room(self, room: Room) -> Sums:
        accepted = {bank for shape in self._shapes for bank in room.spec.banks_for(shape)}
        whole = sum([room.whole[bank] for bank in accepted])
        shared = sum(
            [
                memory * 1000 // max(room.spec.banks[bank].fine, 1)
                for bank, memory, _ in room.partial
                if bank in accepted
            ]
        )
        others = [(name, max(amount, 0)) for name, amount in room.others]
        listed = dict(others)
        others += [(name, unlisted(name)) for name in self._boundless if name not in listed]
        return whole, shared, max(room.cpu, 0), max(room.memory, 0), max(room.pods, 0), tuple(others)


def boundless(shapes: list[Shape]) -> tuple[str, ...]:
    """Return what the shapes ask for that a node has without limit where it does not list it."""
    return tuple(sorted({name for shape in shapes for name, _ in shape.others if unlisted(name)}))


def cards_asked(shape: Shape) -> tuple[object, ...]:
    """Return what decides which cards a shape accepts: sums for shapes that accept the same cards are the same."""
    if shape.kind == KIND_NONE:
        return ()
    share = (shape.fraction, shape.share_memory, shape.share_percent) if shape.kind == KIND_SHARE else ()
    return (shape.rule.models, shape.rule.memory, *share)
