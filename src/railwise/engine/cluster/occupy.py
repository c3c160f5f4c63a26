"""Booking pods that already run: facts, whatever the rules would have said.

A document or a live cluster may name the cards of a running pod, leave them open, or contradict itself (more in use
than there is). The named cards are booked where they are free, others by the rules; what cannot be booked becomes a
debt of the node, so that nothing more is placed there until it is paid.
"""

from __future__ import annotations

from railwise.engine.cluster.ledger import NOTHING, Grant, Ledger, lowest_bits
from railwise.engine.cluster.room import share_demand
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState


def occupy(state: ClusterState, shape: Shape, node: int, cards: tuple[str, ...]) -> Grant:
    """Book a running pod on a node and return its cards; ``cards`` are numbers or ``card@start``, empty: not known."""
    ledger = state.ledgers[node]
    named = [card for card in (int(name.split("@", 1)[0]) for name in cards) if card < ledger.spec.count]
    if shape.kind == KIND_NONE:
        grant = NOTHING
    elif shape.kind == KIND_WHOLE:
        grant = _whole(state, shape, node, named)
    elif shape.kind == KIND_SHARE:
        grant = Grant(0, _shares(shape, ledger, named), (), 0) if named else _by_rule(state, shape, node)
    else:
        grant = Grant(0, (), tuple(named), 0)
    state.put_back(shape, node, grant)
    return grant


def _whole(state: ClusterState, shape: Shape, node: int, named: list[int]) -> Grant:
    if not named:
        return _by_rule(state, shape, node)
    ledger = state.ledgers[node]
    mask = 0
    for card in named:
        if not ledger.in_use(card) and card not in ledger.left:
            mask |= 1 << card
    return Grant(mask, (), (), max(shape.cards - mask.bit_count(), 0))


def _shares(shape: Shape, ledger: Ledger, named: list[int]) -> tuple[tuple[int, int, int], ...]:
    shares: list[tuple[int, int, int]] = []
    for card in named:
        bank = ledger.bank_of(card)
        if bank >= 0 and not ledger.in_use(card):
            memory, compute = share_demand(shape, ledger.spec.banks[bank])
            shares.append((card, memory, compute))
    return tuple(shares)


def _by_rule(state: ClusterState, shape: Shape, node: int) -> Grant:
    """Return the cards that the rules give, else what there is and a debt; other resources are not asked."""
    ledger = state.ledgers[node]
    cards_only = state.rooms.cards_of(state.room_of[node])
    bare = state.shapes.cards_only(shape)
    if state.rooms.fits(bare, cards_only) is not None:
        return ledger.choose(bare, cards_only)
    if shape.kind != KIND_WHOLE:
        return Grant(0, (), (), 1)
    have = max(min(shape.cards, ledger.free.bit_count() - ledger.debt), 0)
    return Grant(lowest_bits(ledger.free, have), (), (), shape.cards - have)
