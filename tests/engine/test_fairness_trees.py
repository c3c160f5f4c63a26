"""Fair shares of random trees of queues against another way to find them, and what must hold for every tree."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from railwise.engine.queues.queue_shares import queue_shares
from railwise.engine.queues.queue_tree import DEFAULT_QUEUE, QueueTree
from railwise.engine.queues.siblings import Part
from railwise.model.queue import Queue
from tests.oracle.queue_books import CARD, Amounts, Tree, due

FAST = 300
ALL = 2_400
CHUNK = 300


class Forest:
    """A random tree of queues with what its leaves hold and want."""

    def __init__(self, seed: int) -> None:
        """Draw up to three levels."""
        self.random = Random(seed)
        self.cpu = self.random.random() < 0.3
        self.queues: list[Queue] = []
        for top in range(self.random.choice([1, 2, 3, 4])):
            self._grow(f"q{top}", "", 0)
        parents = {queue.parent for queue in self.queues}
        self.leaves = [queue.name for queue in self.queues if queue.name not in parents]
        resources = {"gpu": CARD, **({"cpu": 1} if self.cpu else {})}
        self.capacity = {name: unit * self.random.randint(0, 60) for name, unit in resources.items()}
        self.demand = {leaf: self._amounts(resources, 40) for leaf in self.leaves}
        self.held = {leaf: self._amounts(resources, 8) for leaf in self.leaves}

    def _grow(self, name: str, parent: str, depth: int) -> None:
        random = self.random
        quota: Amounts = {}
        if random.random() < 0.6:
            quota["gpu"] = CARD * random.randint(0, 20)
        if self.cpu and random.random() < 0.4:
            quota["cpu"] = random.randint(0, 20)
        lend = {"gpu": CARD * random.randint(0, 20)} if random.random() < 0.2 else None
        limit = {"gpu": CARD * random.randint(0, 25)} if random.random() < 0.2 else {}
        weight = random.choice([0, 500, 1000, 1000, 3000])
        queue = Queue(name, parent, quota, limit, lend, weight, random.choice([0, 0, 1, 2]))
        self.queues.append(queue)
        for child in range(random.choice([0, 2, 3]) if depth < 2 else 0):
            self._grow(f"{name}-{child}", name, depth + 1)

    def _amounts(self, units: dict[str, int], most: int) -> Amounts:
        drawn = {name: unit * self.random.randint(0, most) for name, unit in units.items()}
        if self.random.random() < 0.2:
            drawn["gpu"] += 500
        return {name: amount for name, amount in drawn.items() if amount}

    def shares(self) -> tuple[dict[tuple[str, str], Fraction], dict[tuple[str, str], Fraction]]:
        """Return the engine's fair shares and shrunk quotas."""
        tree = QueueTree(self.queues)
        for leaf, amounts in self.held.items():
            tree.charge(leaf, amounts, 1, firm=False)
        shares, quotas = queue_shares(tree, self.demand, self.capacity)
        return _flat(shares), _flat(quotas)


def _flat(nested: dict[str, dict[str, Part]]) -> dict[tuple[str, str], Fraction]:
    return {
        (name, resource): Fraction(amount)
        for name, amounts in nested.items()
        if name != DEFAULT_QUEUE
        for resource, amount in amounts.items()
    }


def _check(first: int, last: int) -> None:
    for seed in range(first, last):
        forest = Forest(seed)
        tree = Tree(forest.queues)
        assert forest.shares() == due(tree, forest.demand, tree.sums(forest.held), forest.capacity), seed


@pytest.mark.parametrize("first", range(0, FAST, CHUNK))
def test_shares_are_those_of_the_level_of_the_water(first: int) -> None:
    _check(first, first + CHUNK)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FAST, ALL, CHUNK))
def test_shares_are_those_of_the_level_of_the_water_on_many_trees(first: int) -> None:
    _check(first, first + CHUNK)


def test_sums_never_exceed_what_there_is_at_any_level() -> None:
    for seed in range(FAST):
        forest = Forest(seed)
        shares, _ = forest.shares()
        for parent in {"", *(queue.parent for queue in forest.queues)}:
            for resource, capacity in forest.capacity.items():
                together = sum(
                    (
                        shares.get((queue.name, resource), Fraction(0))
                        for queue in forest.queues
                        if queue.parent == parent
                    ),
                    Fraction(0),
                )
                assert together <= (shares[parent, resource] if parent else capacity)


def test_more_weight_never_means_a_smaller_share_of_the_same_demand() -> None:
    for seed in range(FAST):
        random = Random(seed)
        low, high = sorted(random.choice([500, 1000, 2000, 3000]) for _ in range(2))
        demand, capacity = CARD * random.randint(1, 20), {"gpu": CARD * random.randint(1, 30)}
        queues = [Queue("light", weight=low), Queue("heavy", weight=high), Queue("other")]
        wanted = {name: {"gpu": demand} for name in ("light", "heavy", "other")}
        shares, _ = queue_shares(QueueTree(queues), wanted, capacity)
        assert shares["heavy"]["gpu"] >= shares["light"]["gpu"] or (low == high and _one_card_apart(shares))
        heavier = [queues[0], Queue("heavy", weight=high + 1000), queues[2]]
        more, _ = queue_shares(QueueTree(heavier), wanted, capacity)
        assert more["heavy"]["gpu"] >= shares["heavy"]["gpu"] - CARD
        assert more["light"]["gpu"] <= shares["light"]["gpu"] + CARD


def _one_card_apart(shares: dict[str, dict[str, Part]]) -> bool:
    return -CARD <= shares["heavy"]["gpu"] - shares["light"]["gpu"] <= CARD
