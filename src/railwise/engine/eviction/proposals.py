"""Which victims to try for equal pods in a large cluster, domain by domain, the cheapest first.

Per domain the nodes are cleared in the order of what a further pod costs there; who stands on several nodes is paid for
once. The proposal is then tried on the state, where nobody goes who does not help.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from railwise.engine.eviction.claim import Claim
from railwise.engine.eviction.survey import Survey
from railwise.engine.eviction.units import FREE, Cost, Unit, added, whole_unit
from railwise.engine.gangs.record import PodKey, Record

CANDIDATES: Final = 4
"""So many times as many nodes as pods, the cheapest by estimate, are looked at closely in one domain."""

Gone = dict[Record, Unit]
"""The victims of a proposal."""


class Proposal(NamedTuple):
    """Victims for one domain: the least loss by estimate, who goes, and its nodes, those cheapest to clear first."""

    least: int
    units: list[Unit]
    nodes: list[int]


class Proposals:
    """Sets of victims for one claim of equal pods inside one domain of a level."""

    def __init__(self, claim: Claim, survey: Survey, pods: int) -> None:
        """Judge every node once."""
        self.claim: Final = claim
        self.survey: Final = survey
        self.pods: Final = pods
        self._units: Final[dict[Record, Unit]] = {}
        root = claim.demand.root
        tree = claim.state.trees[root.tree].tree
        self.domains: Final[dict[int, list[tuple[int, int]]]] = {}
        level = root.required
        home = self._home(level)
        for node in tree.order:
            domain = node if level >= tree.depth else (tree.domain_of[level][node] if level >= 0 else 0)
            if home is not None and domain != home:
                continue
            if 0 <= level < tree.depth and not tree.tiers[level].named[domain]:
                continue
            count = survey.room_for(node)
            if count:
                self.domains.setdefault(domain, []).append((node, count))

    def _home(self, level: int) -> int | None:
        """Return the domain where pods of the claimant run already, None where none must be kept to."""
        root = self.claim.demand.root
        if level < 0 or not root.fixed:
            return None
        tree = self.claim.state.trees[root.tree].tree
        node = next(iter(root.fixed.values()))
        return node if level >= tree.depth else tree.domain_of[level][node]

    def possible(self) -> bool:
        """Return whether any domain could hold all pods without its victims."""
        return any(sum(count for _, count in nodes) >= self.pods for nodes in self.domains.values())

    def each(self) -> Iterator[Proposal]:
        """Yield a proposal per domain that could hold all pods, cheapest first."""
        ranked: list[tuple[int, int, list[tuple[int, int]]]] = []
        for domain, nodes in self.domains.items():
            if sum(count for _, count in nodes) < self.pods:
                continue
            priced = sorted((self._estimate(node), -count, node) for node, count in nodes)
            ranked.append((self._least(priced), domain, [(node, -count) for _, count, node in priced]))
        ranked.sort(key=lambda entry: entry[:2])
        for least, _, priced_nodes in ranked:
            victims = self._clear(priced_nodes)
            if victims is not None:
                yield Proposal(least, list(victims.values()), [node for node, _ in priced_nodes])

    def _estimate(self, node: int) -> int:
        """Return about what clearing a node loses per pod of the claimant."""
        cards = self.claim.state.specs[node].cards
        asked = self.survey.shape.cards
        loss = self.survey.loss(node)
        if not cards or asked >= cards:
            return loss
        missing = max(asked - self.claim.state.room_of[node].slots, 0)
        return loss * missing // cards

    def _least(self, priced: list[tuple[int, int, int]]) -> int:
        total, left = 0, self.pods
        for estimate, count, _ in priced:
            total += estimate * min(-count, left)
            left -= min(-count, left)
            if left <= 0:
                break
        return total

    def _clear(self, nodes: list[tuple[int, int]]) -> Gone | None:
        """Choose victims on the nodes of one domain until all pods fit; None where that cannot be."""
        close = nodes[: max(CANDIDATES * self.pods, 64)]
        if sum(count for _, count in close) < self.pods:
            close = nodes
        gone: Gone = {}
        have = {node: self.survey.pods_after(node, {}) for node, _ in close}
        missing = self.pods - sum(have.values())
        heap = [(self._price(node, gone, have[node]), node) for node, _ in close]
        ready = [(price[0], node) for price, node in heap if price is not None]
        heapify(ready)
        while missing > 0 and ready:
            key, node = heappop(ready)
            price = self._price(node, gone, have[node])
            if price is None:
                continue
            if price[0] > key:
                heappush(ready, (price[0], node))
                continue
            for unit in price[1]:
                gone[unit.record] = unit
            for touched in {self._node_of(unit, key_) for unit in price[1] for key_ in unit.keys}:
                if touched in have:
                    now = self.survey.pods_after(touched, self._gone_on(touched, gone))
                    missing -= now - have[touched]
                    have[touched] = now
                    again = self._price(touched, gone, now)
                    if again is not None:
                        heappush(ready, (again[0], touched))
        return gone if missing <= 0 else None

    def _node_of(self, unit: Unit, key: PodKey) -> int:
        return unit.record.pods[key][0]

    def _gone_on(self, node: int, gone: Gone) -> dict[Record, list[PodKey]]:
        return {record: keys for record, keys in self.survey.holders.on[node].items() if record in gone}

    def _price(self, node: int, gone: Gone, have: int) -> tuple[Cost, list[Unit]] | None:
        """Return the cost per pod, and the victims, of making a node hold at least one pod more; None: it cannot."""
        free = self._gone_on(node, gone)
        options = [self._unit(record) for record in self.survey.victims(node) if record not in gone]
        options.sort(key=lambda unit: (unit.cost, -unit.since))
        chosen: list[Unit] = []
        count = have
        for unit in options:
            free[unit.record] = self.survey.holders.on[node][unit.record]
            chosen.append(unit)
            count = self.survey.pods_after(node, free)
            if count > have:
                break
        if count <= have:
            return None
        for unit in list(reversed(chosen[:-1])):
            keys = free.pop(unit.record)
            if self.survey.pods_after(node, free) >= count:
                chosen.remove(unit)
            else:
                free[unit.record] = keys
        cost = FREE
        for unit in chosen:
            cost = added(cost, unit.cost)
        gain = count - have
        return (cost[0] // gain, cost[1] * 1000 // gain, cost[2] // gain), chosen

    def _unit(self, record: Record) -> Unit:
        unit = self._units.get(record)
        if unit is None:
            unit = whole_unit(record, self.claim.state, self.claim.workloads.now)
            self._units[record] = unit
        return unit
