"""What making room must cost at least, from where things stand in the middle of a trial.

Each pod of the claimant needs some cards on one node. A node's cards are had at the least loss per card of those who
stand there, as if everybody could be stopped in parts, and whoever stands on several nodes pays on each only for the
cards there. No way to make room can be cheaper, so a branch that is dearer even so need not be followed.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import KIND_WHOLE
from railwise.engine.eviction.claim import Claim
from railwise.engine.eviction.units import Unit
from railwise.engine.gangs.demand import NOT_GIVEN
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.workloads import Pods

Holding = tuple[int, int, Record, PodKey]
"""One pod on a node that may go: (loss per thousandth of a card, whole cards, workload, pod)."""


class Bound:
    """A lower bound of the loss still to come, for claimants of equal pods with whole cards; 0 for all others."""

    def __init__(self, claim: Claim, units: list[Unit], taken: dict[Record, Pods]) -> None:
        """Note who stands where, all of them being off just now."""
        root = claim.demand.root
        self.claim: Final = claim
        self.cards: Final = root.shape.cards if root.shape is not None and root.shape.kind == KIND_WHOLE else 0
        self.pods: Final = root.group.min_pods - len(root.fixed)
        self._on: Final[dict[int, list[Holding]]] = {}
        self._loose: Final[set[int]] = set()
        self._domains: Final[dict[int, list[int]]] = {}
        self._free: Final[dict[int, int]] = {}
        if self.cards:
            self._read(units, taken)

    def _read(self, units: list[Unit], taken: dict[Record, Pods]) -> None:
        state, root = self.claim.state, self.claim.demand.root
        rates = {record: _rate(record, units) for record in taken}
        for record, pods in taken.items():
            for key, (node, grant) in pods.items():
                self._on.setdefault(node, []).append((rates[record], self._cards_of(node, grant), record, key))
                if grant.shares:
                    self._loose.add(node)
        for held in self._on.values():
            held.sort(key=lambda holding: holding[0])
        tree, level = state.trees[root.tree].tree, root.required
        for node in tree.order:
            domain = 0 if level == NOT_GIVEN else node if level >= tree.depth else tree.domain_of[level][node]
            if node in self._on:
                self._domains.setdefault(domain, []).append(node)
            else:
                self._free[domain] = self._free.get(domain, 0) + state.ledgers[node].free.bit_count() // self.cards

    def _cards_of(self, node: int, grant: Grant) -> int:
        return (grant.whole & self.claim.state.specs[node].whole_mask()).bit_count()

    def least(self, gone: set[tuple[Record, PodKey]]) -> int:
        """Return the least loss of those who stay undecided, given who goes; who is back on the state stays."""
        if not self.cards or self.pods <= 0:
            return 0
        domains = self._domains or {0: []}
        paid = {record for record, _ in gone if record.workload.kind == "training"}
        prices = {node: self._prices(node, gone, paid) for node in self._on}
        least = [self._in_domain(self._free.get(domain, 0), domains[domain], prices) for domain in domains]
        if any(free >= self.pods for free in self._free.values()):
            return 0
        return min([loss for loss in least if loss is not None], default=0)

    def _in_domain(self, free: int, nodes: list[int], prices: dict[int, list[int]]) -> int | None:
        steps = sorted([price for node in nodes for price in prices[node]])
        needed = max(self.pods - free, 0)
        return sum(steps[:needed]) if len(steps) >= needed else None

    def _prices(self, node: int, gone: set[tuple[Record, PodKey]], paid: set[Record]) -> list[int]:
        """Return what each further pod of the claimant costs on a node, ascending."""
        free = self.claim.state.ledgers[node].free.bit_count()
        if node in self._loose:
            return [0] * (free // self.cards)
        open_holdings: list[tuple[int, int]] = []
        for rate, cards, record, key in self._on[node]:
            if key not in record.pods and (record, key) not in gone:
                free -= cards
                open_holdings.append((0 if record in paid else rate, cards))
        if paid:
            open_holdings.sort()
        prices = [0] * max(free // self.cards, 0)
        spare = free - len(prices) * self.cards
        price = 0
        for rate, cards in open_holdings:
            left = cards
            while left:
                used = min(self.cards - spare, left)
                price += 1000 * rate * used
                spare += used
                left -= used
                if spare == self.cards:
                    prices.append(price)
                    spare, price = 0, 0
        return prices


def _rate(record: Record, units: list[Unit]) -> int:
    """Return the least loss per thousandth of a card at which anything of a workload goes, rounded down.

    A training gang pays once for all of it: as little per card as when all goes.
    """
    own = [unit for unit in units if unit.record is record and unit.cost[2]]
    if not own:
        return 0
    if record.workload.kind == "training":
        most = max([unit.cost[2] for unit in own if unit.whole], default=0) or sum([unit.cost[2] for unit in own])
        return max([unit.cost[0] for unit in own]) // most
    return min([unit.cost[0] // unit.cost[2] for unit in own])
