"""Shares of cards: how much of a card a share takes, and which cards it goes to.

Amounts are exact: thousandths of a MiB of the card's shareable memory, and thousandths of its compute. One share
goes where it costs no slot, then where least memory is left over, then to the lowest card. Where several different
shares, or shares on several cards each, meet on one node, that rule can paint itself into a corner; ``choices``
gives every way.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from railwise.engine.cluster.room import FULL_COMPUTE, Chosen, Room, share_demand
from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE, Shape

Option = tuple[int, int, int, int]
"""A card a share may use: (1 if that breaks a whole one, memory left, bank, compute left)."""

WHOLE_CARDS: Final = -1
"""Marks an entry of ``Chosen`` that is (bank, number of whole cards)."""

SEVERAL: Final = 2


def share_cards(shape: Shape, room: Room) -> Chosen:
    """Return the cards a share takes, as (bank, memory left, compute left) before it; empty where it does not fit.

    Cards in shared use first, since breaking a whole one costs a slot; then least memory left over, then the lowest
    card.
    """
    if shape.cards == 1:
        return _one_card(shape, room)
    picks = [run[: shape.cards] for run in _runs(shape, room) if len(run) >= shape.cards]
    if not picks:
        return ()
    best = picks[0] if len(picks) == 1 else min(picks, key=_pick_order)
    return tuple((bank, memory_left, compute_left) for _, memory_left, bank, compute_left in best)


def _one_card(shape: Shape, room: Room) -> Chosen:
    """Return the same for a share of a single card."""
    banks = room.spec.banks_for(shape)
    best: tuple[int, int, int] | None = None
    for bank, memory_left, compute_left in room.partial:
        if bank in banks and (best is None or (memory_left, bank, compute_left) < best):
            memory, compute = share_demand(shape, room.spec.banks[bank])
            if memory_left >= memory and compute_left >= compute:
                best = (memory_left, bank, compute_left)
    if best is None:
        for bank in banks:
            fine = room.spec.banks[bank].fine
            if room.whole[bank] and (best is None or (fine, bank, FULL_COMPUTE) < best):
                best = (fine, bank, FULL_COMPUTE)
    return ((best[1], best[0], best[2]),) if best is not None else ()


def _pick_order(picked: list[Option]) -> tuple[int, int, list[Option]]:
    return sum(option[0] for option in picked), sum(option[1] for option in picked), picked


def _runs(shape: Shape, room: Room) -> list[list[Option]]:
    """Return the cards a share may use together: all of them, or those of each island where one must hold the share."""
    options = _options(shape, room)
    if not shape.rule.island or shape.cards == 1:
        return [options]
    banks = sorted({option[2] for option in options})
    return [[option for option in options if option[2] == bank] for bank in banks]


def _options(shape: Shape, room: Room) -> list[Option]:
    """Return the cards a share may use as (breaks a whole card, memory left, bank, compute left), best first."""
    banks = room.spec.banks_for(shape)
    options: list[Option] = []
    for bank, memory_left, compute_left in room.partial:
        if bank in banks:
            memory, compute = share_demand(shape, room.spec.banks[bank])
            if memory_left >= memory and compute_left >= compute:
                options.append((0, memory_left, bank, compute_left))
    for bank in banks:
        fine = room.spec.banks[bank].fine
        options.extend((1, fine, bank, FULL_COMPUTE) for _ in range(min(room.whole[bank], shape.cards)))
    options.sort()
    return options


def choices(shape: Shape, room: Room) -> list[Chosen]:
    """Return every different set of cards a pod may take, the one of the rule first (empty: only the rule's)."""
    if shape.kind != KIND_SHARE:
        return _whole_choices(shape, room)
    by_rule = share_cards(shape, room)
    found: dict[Chosen, None] = {by_rule: None} if by_rule else {}
    for run in _runs(shape, room):
        for picked in combinations(run, shape.cards):
            found[tuple((bank, memory_left, compute_left) for _, memory_left, bank, compute_left in picked)] = None
    return list(found)


def _whole_choices(shape: Shape, room: Room) -> list[Chosen]:
    """Return every way to take whole cards from several banks, as (bank, cards, WHOLE_CARDS); lowest banks first."""
    banks = room.spec.banks_for(shape) if shape.kind == KIND_WHOLE else ()
    if len(banks) < SEVERAL:
        return [()]
    partial: list[tuple[Chosen, int]] = [((), shape.cards)]
    for bank in banks:
        grown: list[tuple[Chosen, int]] = []
        for taken, need in partial:
            takes = range(min(need, room.whole[bank]), -1, -1)
            grown.extend(
                ((*taken, (bank, take, WHOLE_CARDS)) if take else taken, need - take)
                for take in takes
                if take in {0, shape.cards} or not shape.rule.island
            )
        partial = grown
    return [taken for taken, need in partial if need == 0]


def available(shape: Shape, room: Room, chosen: Chosen) -> bool:
    """Return whether the chosen cards are there, each has room for the share, and one island holds them if it must."""
    open_cards = [(bank, memory_left, compute_left) for _, memory_left, bank, compute_left in _options(shape, room)]
    for card in chosen:
        if card not in open_cards:
            return False
        open_cards.remove(card)
    one_island = not shape.rule.island or len({bank for bank, _, _ in chosen}) <= 1
    return one_island and len(chosen) == shape.cards


def left_over(shape: Shape, room: Room, chosen: Chosen) -> int:
    """Return the memory left over on the chosen cards after the share, in thousandths of a MiB."""
    return sum(memory_left - share_demand(shape, room.spec.banks[bank])[0] for bank, memory_left, _ in chosen)


def after_share(shape: Shape, room: Room, chosen: Chosen) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """Return (whole cards per bank, partly used cards) of a room after a share on the chosen cards."""
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
