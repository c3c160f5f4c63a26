"""The best placement by the rules, found the slow way: a dynamic program over nodes, racks and wider domains.

Two answers that know nothing of each other: ``judge`` computes the objective of a finished placement from the text of
the rules, ``Optimum`` the least objective there is. Written for the kinds of workload in the traces: equal pods of
whole cards on equal nodes, levels preferred or required. Criteria 3 and 4 do not occur there (no traffic data, no pods
without cards, no dead rails), and criterion 8 (ties) is not compared.

Inside a domain of the narrowest level ("rack") a state is (pods placed, whole free nodes broken), because what the
rack's whole nodes are worth does not add up over nodes. Everything else adds up, and the order in which vectors are
compared does not change when the same is added to both, so above the racks the least vector per number of pods is
enough.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

from benchmarks.ground import Ask, Domain, Ground

Curve = list[int | None]
"""The least packed vector of 0, 1, 2, … pods in a domain, None where they do not fit."""


class Objective(NamedTuple):
    """Criteria 1, 2, 5, 6 and 7 of a placement of all pods; smaller is better.

    ``above`` counts levels above the preferred one; ``domains`` those used per level, widest first, where criterion 2
    looks; ``left`` are the free slots left on the nodes, then in the domains used, narrowest level first.
    """

    above: int
    domains: tuple[int, ...]
    loss: int
    nodes: int
    left: tuple[int, ...]


@cache
def worth_of_node(free: int) -> int:
    """Return what a node with so many free cards is worth."""
    return sum((1 << step) * (free >> step) for step in range(free.bit_length()))


@cache
def worth_of_rack(cards: int, whole: int) -> int:
    """Return what so many whole free nodes of ``cards`` cards in one rack are worth."""
    return cards * sum((1 << step) * (whole >> step) for step in range(1, whole.bit_length()))


def judge(ground: Ground, ask: Ask, nodes: list[int]) -> Objective | None:
    """Return the objective of one pod on each of ``nodes`` (with repetitions), None where a rule is broken."""
    here = Counter(nodes)
    if len(nodes) != ask.pods or any(count * ask.cards > ground.free_on(node) for node, count in here.items()):
        return None
    depth = len(ground.names)
    used: list[list[Domain]] = []
    for level in range(depth):
        found = {id(domain): domain for node in here for domain in ground.home[node].around() if domain.level == level}
        used.append(list(found.values()))
    counts = [*(len(domains) for domains in used), len(here)]
    if ask.required >= 0 and counts[ask.required] > 1:
        return None
    holding = next((level for level in range(ask.preferred, -1, -1) if counts[level] == 1), -1)
    after = {node: ground.free_on(node) - count * ask.cards for node, count in here.items()}
    loss = sum(worth_of_node(ground.free_on(node)) - worth_of_node(after[node]) for node in here)
    for rack in used[-1]:
        whole = [node for node in rack.nodes if ground.free_on(node) == ground.cards]
        kept = [node for node in whole if node not in here]
        loss += worth_of_rack(ground.cards, len(whole)) - worth_of_rack(ground.cards, len(kept))
    left = [sum(after.values())]
    for domains in reversed(used):
        members = [node for domain in domains for rack in domain.narrowest() for node in rack.nodes]
        left.append(sum(ground.free_on(node) for node in members) - sum(here[node] for node in members) * ask.cards)
    domains_used = tuple(counts[holding + 1 : ask.preferred + 1])
    return Objective(ask.preferred - holding, domains_used, loss, len(here), tuple(left))


DIGIT = 32
"""Bits per criterion of a packed vector; no sum of any criterion comes near to that."""


class Optimum:
    """The least objective of one ask after another on a ground that changes in between.

    A packed vector has, from its top digit, the domains used per level (widest first, the node last), the loss, the
    nodes, and the free slots left on nodes and per level (narrowest first).
    """

    def __init__(self, ground: Ground) -> None:
        """Note the place of every digit."""
        self.ground = ground
        self.depth = len(ground.names)
        digits = 2 * self.depth + 4
        units = [1 << DIGIT * (digits - 1 - place) for place in range(digits)]
        self.count_in = units[: self.depth + 1]
        self.loss, self.node, self.left = units[self.depth + 1 : self.depth + 4]
        self.left_in = units[self.depth + 4 :][::-1]
        self._known: dict[tuple[tuple[int, ...], int, int, int, int], Curve] = {}

    def best(self, ask: Ask) -> Objective | None:
        """Return the least objective, None where the pods do not fit."""
        narrowest = max(ask.required, ask.preferred)
        search = _Search(self, ask)
        for level in range(narrowest, ask.required - 1, -1):
            costs = [cost for cost in search.holders(level) if cost is not None]
            if costs:
                return self._unpacked(ask, level, min(costs))
        return None

    def _unpacked(self, ask: Ask, level: int, cost: int) -> Objective:
        digits = [cost >> DIGIT * place & ((1 << DIGIT) - 1) for place in range(2 * self.depth + 4)][::-1]
        domains = tuple(digits[level + 1 : ask.preferred + 1])
        loss, nodes = digits[self.depth + 1 : self.depth + 3]
        return Objective(max(ask.preferred - level, 0), domains, loss, nodes, tuple(digits[self.depth + 3 :]))

    def over_nodes(self, ask: Ask, free: tuple[int, ...], whole: int) -> Curve:
        """Return the curve of nodes with these free cards in a rack of so many whole free nodes, the rack not added."""
        count = self.count_in[-1] if ask.preferred == self.depth else 0
        key = (free, whole, ask.cards, ask.pods, count)
        known = self._known.get(key)
        if known is None:
            known = self._over_nodes(ask, free, whole, count)
            self._known[key] = known
        return known

    def _over_nodes(self, ask: Ask, free: tuple[int, ...], whole: int, count: int) -> Curve:
        cards = self.ground.cards
        states: dict[tuple[int, int], int] = {(0, 0): 0}
        for have in free:
            grown = dict(states)
            for (placed, broken), cost in states.items():
                for pods in range(1, min(have // ask.cards, ask.pods - placed) + 1):
                    left = have - pods * ask.cards
                    key = (placed + pods, broken + (have == cards))
                    lost = worth_of_node(have) - worth_of_node(left)
                    total = cost + count + self.loss * lost + self.node + self.left * left
                    if key not in grown or total < grown[key]:
                        grown[key] = total
            states = grown
        curve: Curve = [None] * (ask.pods + 1)
        for (placed, broken), cost in states.items():
            total = cost + self.loss * (worth_of_rack(cards, whole) - worth_of_rack(cards, whole - broken))
            known = curve[placed]
            if known is None or total < known:
                curve[placed] = total
        return curve


class _Search:
    """One ask on the ground as it is now."""

    def __init__(self, owner: Optimum, ask: Ask) -> None:
        """Add up what is free in every domain."""
        self.owner = owner
        self.ask = ask
        self.ground = owner.ground
        self.counted = [unit if level <= ask.preferred else 0 for level, unit in enumerate(owner.count_in)]
        self.free = [self.ground.free_on(node) for node in range(len(self.ground.free))]
        self.free_in: dict[int, int] = {}
        for level in reversed(self.ground.levels):
            for domain in level:
                inside = [self.free_in[id(child)] for child in domain.children]
                self.free_in[id(domain)] = sum(inside) + sum(self.free[node] for node in domain.nodes)

    def holders(self, level: int) -> list[int | None]:
        """Return the least vector of every domain of a level (or node; -1: the cluster) that could hold all pods."""
        pods = self.ask.pods
        if level < 0:
            return [self._joined(self.ground.levels[0])[pods]]
        if level < len(self.ground.levels):
            return [self._around(domain.parent, self._curve(domain)[pods]) for domain in self.ground.levels[level]]
        return [
            self._around(rack, self._over([node], rack)[pods]) for rack in self.ground.levels[-1] for node in rack.nodes
        ]

    def _around(self, domain: Domain | None, cost: int | None) -> int | None:
        """Add a domain around everything, and the wider ones around it."""
        if cost is None or domain is None:
            return cost
        return self._around(domain.parent, cost + self._used(domain, self.ask.pods))

    def _used(self, domain: Domain, pods: int) -> int:
        """Return what a domain itself adds once so many pods are in it."""
        left = self.free_in[id(domain)] - pods * self.ask.cards
        return self.counted[domain.level] + self.owner.left_in[domain.level] * left

    def _curve(self, domain: Domain) -> Curve:
        inside = self._joined(domain.children) if domain.children else self._over(domain.nodes, domain)
        return [
            cost + self._used(domain, pods) if pods and cost is not None else cost for pods, cost in enumerate(inside)
        ]

    def _over(self, nodes: list[int], rack: Domain) -> Curve:
        whole = sum(self.free[node] == self.ground.cards for node in rack.nodes)
        return self.owner.over_nodes(self.ask, tuple(sorted(self.free[node] for node in nodes)), whole)

    def _joined(self, domains: list[Domain]) -> Curve:
        """Return the curve of several domains together."""
        total: Curve = [0] + [None] * self.ask.pods
        for domain in domains:
            more = [(pods, cost) for pods, cost in enumerate(self._curve(domain)) if pods and cost is not None]
            grown = list(total)
            for placed, have in enumerate(total):
                if have is None:
                    continue
                for pods, cost in more:
                    if placed + pods > self.ask.pods:
                        break
                    known = grown[placed + pods]
                    if known is None or have + cost < known:
                        grown[placed + pods] = have + cost
            total = grown
        return total
