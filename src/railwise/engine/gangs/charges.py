"""What pods count in a queue: cards in thousandths, other resources in base units.

Pods that wait are measured on the largest card there is; pods that run on the cards they have.
"""

from __future__ import annotations

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.room import Bank, share_demand
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand

Amounts = dict[str, int]

GPU = "gpu"


def add(total: Amounts, more: Amounts, times: int = 1) -> None:
    """Add amounts to a total in place; what falls to nothing is dropped."""
    for name, amount in more.items():
        now = total.get(name, 0) + times * amount
        if now:
            total[name] = now
        else:
            total.pop(name, None)


def of_ranks(demand: Demand, ranks: dict[int, list[int]], state: ClusterState) -> Amounts:
    """Return what pods that are to be placed would count (ranks per leaf, by part index)."""
    total: Amounts = {}
    for leaf in demand.leaves:
        if leaf.shape is not None and leaf.index in ranks:
            add(total, _one(leaf.shape, _wanted_cards(leaf.shape, state)), len(ranks[leaf.index]))
    return total


def of_pod(shape: Shape, node: int, grant: Grant, state: ClusterState) -> Amounts:
    """Return what a running pod counts on the cards it has."""
    if shape.kind == KIND_SHARE and grant.shares:
        ledger = state.ledgers[node]
        banks = ledger.spec.banks
        cards = sum(
            max(-(-memory * 1000 // banks[ledger.bank_of(card)].fine), compute)
            for card, memory, compute in grant.shares
        )
        return _one(shape, cards)
    return _one(shape, _wanted_cards(shape, state))


def _wanted_cards(shape: Shape, state: ClusterState) -> int:
    if shape.kind == KIND_NONE:
        return 0
    if shape.kind == KIND_WHOLE:
        return 1000 * shape.cards
    if shape.kind == KIND_SHARE:
        largest: Bank | None = None
        for spec in state.specs_in_use():
            for bank in spec.banks:
                if largest is None or bank.fine > largest.fine:
                    largest = bank
        if largest is None or largest.fine == 0:
            return shape.gpu_thousandths()
        memory, compute = share_demand(shape, largest)
        return shape.cards * max(-(-memory * 1000 // largest.fine), compute)
    return 0


def _one(shape: Shape, cards: int) -> Amounts:
    amounts: Amounts = {name: amount for name, amount in shape.others if amount}
    if cards:
        amounts[GPU] = cards
    if shape.cpu:
        amounts["cpu"] = shape.cpu
    if shape.memory:
        amounts["memory"] = shape.memory
    return amounts
