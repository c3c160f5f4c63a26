"""The one ``fits()``: what a node's free room becomes when a pod is put on it, or that it cannot be put there.

Placing, checking again before a bind, what-if and the search all ask this module, so there is no second, weaker check
through which a card could be given twice.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.potential import Potential
from railwise.engine.cluster.room import Chosen, Figures, NodeSpec, Room, slots_of
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, UNLIMITED, Shape, unlisted
from railwise.engine.cluster.shares import after_share, available, share_cards


class Rooms:
    """The interned rooms of one state, and the answers about them."""

    def __init__(self, potential: Potential) -> None:
        """Start empty; ``potential`` judges what a pod destroys."""
        self.potential: Final = potential
        self.all: Final[list[Room]] = []
        self._by_key: dict[tuple[int, Figures], Room] = {}
        self._next: dict[int, dict[int, Room | None]] = {}
        self.steps: Final[dict[tuple[int, int, int], Room]] = {}
        self._shut: dict[int, Room] = {}

    def clear(self) -> None:
        """Forget every room and answer; rooms in use must be interned again."""
        self.all.clear()
        self._by_key.clear()
        self._next.clear()
        self.steps.clear()
        self._shut.clear()

    def intern(self, spec: NodeSpec, figures: Figures) -> Room:
        """Return the one room of these figures."""
        key = (spec.index, figures)
        room = self._by_key.get(key)
        if room is None:
            room = Room(len(self.all), spec, figures)
            self._by_key[key] = room
            self.all.append(room)
        return room

    def shut(self, room: Room) -> Room:
        """Return the same room, closed."""
        known = self._shut.get(room.index)
        if known is None:
            known = self.intern(room.spec, room.figures()._replace(closed=True))
            self._shut[room.index] = known
        return known

    def cards_of(self, room: Room) -> Room:
        """Return the room with the same cards, open, in which nothing else is short."""
        figures = Figures(
            closed=False,
            whole=room.whole,
            partial=room.partial,
            cpu=UNLIMITED,
            memory=UNLIMITED,
            pods=UNLIMITED,
            others=(),
        )
        return self.intern(room.spec, figures)

    def fits(self, shape: Shape, room: Room) -> Room | None:
        """Return the room left after one pod of the shape, or None where it does not fit (labels and taints apart)."""
        try:
            return self._next[shape.index][room.index]
        except KeyError:
            result = self._put(shape, room)
            self._next.setdefault(shape.index, {})[room.index] = result
            return result

    def put_on(self, shape: Shape, room: Room, chosen: Chosen) -> Room | None:
        """Return the room left after one share on the chosen cards (by the rule where none are chosen)."""
        return self._put(shape, room, chosen) if chosen else self.fits(shape, room)

    def booked(
        self,
        room: Room,
        shape: Shape,
        sign: int,
        whole: tuple[int, ...] | None = None,
        partial: tuple[tuple[int, int, int], ...] = (),
    ) -> Room:
        """Return a room with a pod's cpu, memory, pod slot and devices taken (-1) or back (+1), and these cards."""
        others = room.others
        if shape.others:
            listed = room.spec.others
            after = changed(others, shape, sign)
            others = tuple((name, amount) for name, amount in after if name in listed or amount != unlisted(name))
        figures = Figures(
            room.closed,
            room.whole if whole is None else whole,
            room.partial if whole is None else partial,
            room.cpu if room.cpu == UNLIMITED else room.cpu + sign * shape.cpu,
            room.memory if room.memory == UNLIMITED else room.memory + sign * shape.memory,
            room.pods if room.pods == UNLIMITED else room.pods + sign * shape.pods,
            others,
        )
        return self.intern(room.spec, figures)

    def left_by_one(self, shape: Shape, room: Room) -> tuple[int, int]:
        """Return (card-slots, millicores) left after one pod of the shape like ``left``; (-1, 0): it does not fit."""
        if room.closed or room.cpu < shape.cpu or room.memory < shape.memory or room.pods < shape.pods:
            return -1, 0
        taken = -1 if shape.others else _cards_taken(shape, room, 1)
        if taken < 0:
            after = self.fits(shape, room)
            return (after.slots, after.cpu) if after is not None else (-1, 0)
        if room.free < taken:
            return -1, 0
        cpu = _less(room.cpu, shape.cpu)
        return slots_of(room.spec, room.free - taken, cpu, _less(room.memory, shape.memory)), cpu

    def left(self, shape: Shape, room: Room, most: int) -> list[tuple[int, int]]:
        """Return (card-slots, millicores) left after 1, 2, … pods of the shape, as many as fit, at most ``most``.

        The same as following ``fits``, but no room is made that may never come to be where counting is enough.
        """
        found: list[tuple[int, int]] = []
        if room.closed or room.cpu < shape.cpu or room.memory < shape.memory or room.pods < shape.pods:
            return found
        taken = -1 if shape.others else _cards_taken(shape, room, most)
        if taken < 0:
            after = self.fits(shape, room)
            while after is not None:
                found.append((after.slots, after.cpu))
                after = self.fits(shape, after) if len(found) < most else None
            return found
        free, cpu, memory, pods = room.free - taken, room.cpu, room.memory, room.pods
        while free >= 0 and cpu >= shape.cpu and memory >= shape.memory and pods >= shape.pods and len(found) < most:
            cpu, memory, pods = _less(cpu, shape.cpu), _less(memory, shape.memory), _less(pods, shape.pods)
            found.append((slots_of(room.spec, free, cpu, memory), cpu))
            free -= taken
        return found

    def _put(self, shape: Shape, room: Room, chosen: Chosen = ()) -> Room | None:
        if room.closed or room.cpu < shape.cpu or room.memory < shape.memory or room.pods < shape.pods:
            return None
        others = room.others
        if shape.others:
            others = changed(others, shape, -1)
            if any(amount < 0 for _, amount in others):
                return None
        whole, partial = room.whole, room.partial
        if shape.kind == KIND_WHOLE:
            taken = chosen_banks(room, chosen) if chosen else whole_banks(shape, room)
            if not taken:
                return None
            whole = tuple(have - take for have, take in zip(whole, taken, strict=True))
        elif shape.kind == KIND_SHARE:
            cards = chosen or share_cards(shape, room)
            if not cards or (chosen and not available(shape, room, chosen)):
                return None
            whole, partial = after_share(shape, room, cards)
        elif shape.kind != KIND_NONE:
            return None
        figures = Figures(
            closed=False,
            whole=whole,
            partial=partial,
            cpu=_less(room.cpu, shape.cpu),
            memory=_less(room.memory, shape.memory),
            pods=_less(room.pods, shape.pods),
            others=others,
        )
        return self.intern(room.spec, figures)


def _cards_taken(shape: Shape, room: Room, most: int) -> int:
    """Return how many whole free cards each pod takes from a room; -1 where that differs or is not all that counts.

    A share that does not fit takes more than there are.
    """
    if shape.kind == KIND_NONE:
        return 0
    if shape.kind == KIND_WHOLE:
        return shape.cards if room.spec.simple and shape.any_card else -1
    if shape.kind == KIND_SHARE and most == 1:
        cards = share_cards(shape, room)
        return sum(1 for card in cards if card not in room.partial) if cards else room.free + 1
    return -1


def changed(others: tuple[tuple[str, int], ...], shape: Shape, sign: int) -> tuple[tuple[str, int], ...]:
    """Return the free devices after a pod came (sign -1) or went (+1); what is not listed counts from ``unlisted``."""
    left = dict(others)
    for name, amount in shape.others:
        have = left.get(name, unlisted(name))
        if have != UNLIMITED:
            left[name] = have + sign * amount
    return tuple(sorted(left.items()))


def _less(have: int, amount: int) -> int:
    return have if have == UNLIMITED else have - amount


def chosen_banks(room: Room, chosen: Chosen) -> tuple[int, ...]:
    """Return how many whole cards are chosen from each bank; empty where they are not there."""
    taken = [0] * len(room.whole)
    for bank, count, _ in chosen:
        taken[bank] += count
    return tuple(taken) if all(take <= have for take, have in zip(taken, room.whole, strict=True)) else ()


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
