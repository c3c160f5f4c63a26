"""Which card of a node serves whom: the exact book behind the counted room.

A card serves one kind of use at a time. The book of a node is a bit mask of its free whole cards and, for cards in
shared use, what is left of each. A kind of use that cannot be honoured yet (a slice, a time slice that already
runs) closes its card. A node may be overfull (its cards shrank under running pods): what is missing is a debt, paid
from the next cards that come free, so that free is nothing and never less.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.engine.cluster.fit import whole_banks
from railwise.engine.cluster.room import FULL_COMPUTE, Chosen, NodeSpec, Room, share_demand
from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE, Shape
from railwise.engine.cluster.shares import share_cards


class Grant(NamedTuple):
    """The cards of one pod: whole ones as a bit mask, shares as (card, memory, compute), closed ones, and a debt."""

    whole: int
    shares: tuple[tuple[int, int, int], ...]
    closed: tuple[int, ...]
    debt: int


MOST_NAMES: Final = 65536
"""How many sets of cards have their names, or their grants, remembered."""

NOTHING: Final = Grant(0, (), (), 0)


class Ledger:
    """The cards of one node.

    ``busy`` marks cards held whole, healthy or not; ``left`` maps a card in shared use to (memory left, compute left);
    ``closed`` counts uses of another kind; ``free`` marks what can be given whole now.
    """

    __slots__ = ("busy", "closed", "debt", "free", "left", "spec")

    def __init__(self, spec: NodeSpec) -> None:
        """Start with every healthy usable card free."""
        self.spec = spec
        self.free = spec.whole_mask()
        self.busy = 0
        self.left: dict[int, tuple[int, int]] = {}
        self.closed: dict[int, int] = {}
        self.debt = 0

    def summary(self) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
        """Return the counted room: free whole cards per bank, and (bank, memory left, compute left) of shared cards."""
        spec = self.spec
        if spec.simple:
            have = self.free.bit_count() - self.debt
            whole: tuple[int, ...] = (have if have > 0 else 0,)
        else:
            counts = [(self.free & bank.mask).bit_count() for bank in spec.banks]
            owed = self.debt
            for index, count in enumerate(counts):
                pay = min(owed, count)
                counts[index] = count - pay
                owed -= pay
            whole = tuple(counts)
        if not self.left:
            return whole, ()
        partial = [
            (self.bank_of(card), memory, compute)
            for card, (memory, compute) in self.left.items()
            if (memory > 0 or compute > 0) and spec.healthy >> card & 1
        ]
        partial.sort()
        return whole, tuple(partial)

    def bank_of(self, card: int) -> int:
        """Return the index of the bank a card belongs to."""
        for index, bank in enumerate(self.spec.banks):
            if bank.mask >> card & 1:
                return index
        return -1

    def choose(self, shape: Shape, room: Room, chosen: Chosen = ()) -> Grant:
        """Return the cards that the rules give to a pod known to fit the room; nothing is taken yet."""
        if shape.kind == KIND_WHOLE:
            if chosen:
                return Grant(self._chosen_whole(chosen), (), (), 0)
            if self.spec.simple and shape.any_card:
                return lowest_cards(self.free, shape.cards)
            mask = 0
            for bank, take in zip(self.spec.banks, whole_banks(shape, room), strict=True):
                mask |= lowest_bits(self.free & bank.mask, take)
            return Grant(mask, (), (), 0)
        if shape.kind == KIND_SHARE:
            return Grant(0, self._choose_shares(shape, chosen or share_cards(shape, room)), (), 0)
        return NOTHING

    def _chosen_whole(self, chosen: Chosen) -> int:
        mask = 0
        for bank, count, _ in chosen:
            mask |= lowest_bits(self.free & self.spec.banks[bank].mask, count)
        return mask

    def _choose_shares(self, shape: Shape, chosen: Chosen) -> tuple[tuple[int, int, int], ...]:
        shares: list[tuple[int, int, int]] = []
        taken = 0
        for bank_index, memory_left, compute_left in chosen:
            bank = self.spec.banks[bank_index]
            memory, compute = share_demand(shape, bank)
            card = -1
            for candidate in sorted(self.left):
                usable = bank.mask & self.spec.healthy & ~taken
                if usable >> candidate & 1 and self.left[candidate] == (memory_left, compute_left):
                    card = candidate
                    break
            if card < 0:
                card = (lowest_bits(self.free & bank.mask & ~taken, 1)).bit_length() - 1
            taken |= 1 << card
            shares.append((card, memory, compute))
        return tuple(sorted(shares))

    def take(self, grant: Grant) -> None:
        """Give the cards of a grant away."""
        self.busy |= grant.whole
        self.free &= ~grant.whole
        if not (grant.shares or grant.closed or grant.debt):
            return
        self.debt += grant.debt
        for card in grant.closed:
            self.closed[card] = self.closed.get(card, 0) + 1
            self.free &= ~(1 << card)
        for card, memory, compute in grant.shares:
            before = self.left.get(card)
            if before is None:
                self.free &= ~(1 << card)
                before = (self.spec.banks[self.bank_of(card)].fine, FULL_COMPUTE)
            self.left[card] = (before[0] - memory, before[1] - compute)

    def give_back(self, grant: Grant) -> None:
        """Undo ``take`` of the same grant, exactly."""
        self.busy &= ~grant.whole
        usable = self.spec.usable & ~self.busy
        self.free |= grant.whole & usable
        if self.left or self.closed:
            self._close_shared()
        if not (grant.shares or grant.closed or grant.debt):
            return
        self.debt -= grant.debt
        for card in grant.closed:
            count = self.closed[card] - 1
            if count:
                self.closed[card] = count
            else:
                del self.closed[card]
                if card not in self.left:
                    self.free |= (1 << card) & usable
        for card, memory, compute in grant.shares:
            before = self.left[card]
            after = (before[0] + memory, before[1] + compute)
            if after == (self.spec.banks[self.bank_of(card)].fine, FULL_COMPUTE):
                del self.left[card]
                if card not in self.closed:
                    self.free |= (1 << card) & usable
            else:
                self.left[card] = after

    def in_use(self, card: int) -> bool:
        """Return whether a card is held whole or used in another kind."""
        return bool(self.busy >> card & 1) or card in self.closed

    def respecify(self, spec: NodeSpec) -> None:
        """Take new facts about the cards (their health); what is in use stays in use."""
        self.spec = spec
        self.free = spec.whole_mask() & ~self.busy
        self._close_shared()

    def _close_shared(self) -> None:
        """Mark the cards in another use as not free."""
        for card in (*self.left, *self.closed):
            self.free &= ~(1 << card)


GRANTS: Final[dict[tuple[int, int], Grant]] = {}
"""Grants made before, by free cards and number asked for: pods share them."""


def lowest_cards(free: int, count: int) -> Grant:
    """Return the grant of the ``count`` lowest of the free cards."""
    grant = GRANTS.get((free, count))
    if grant is None:
        grant = Grant(lowest_bits(free, count), (), (), 0)
        if len(GRANTS) < MOST_NAMES:
            GRANTS[free, count] = grant
    return grant


def lowest_bits(mask: int, count: int) -> int:
    """Return the ``count`` lowest set bits of a mask that has at least as many."""
    if mask.bit_count() == count:
        return mask
    chosen = 0
    for _ in range(count):
        bit = mask & -mask
        chosen |= bit
        mask ^= bit
    return chosen


def card_names(grant: Grant) -> tuple[str, ...]:
    """Return the card numbers of a grant as text, ascending."""
    if not grant.shares and not grant.closed:
        return MASK_NAMES.get(grant.whole) or _mask_names(grant.whole)
    cards = {card for card, _, _ in grant.shares} | set(grant.closed)
    return tuple(str(card) for card in sorted(cards))


MASK_NAMES: Final[dict[int, tuple[str, ...]]] = {0: ()}


def _mask_names(mask: int) -> tuple[str, ...]:
    names: list[str] = []
    rest = mask
    while rest:
        bit = rest & -rest
        names.append(str(bit.bit_length() - 1))
        rest ^= bit
    result = tuple(names)
    if len(MASK_NAMES) < MOST_NAMES:
        MASK_NAMES[mask] = result
    return result
