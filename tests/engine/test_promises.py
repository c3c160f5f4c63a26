"""The criterion for promises is exact: it says what trying every assignment says, on trees of any shape."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.state import ClusterState
from railwise.engine.queues.guarantee import Guarantee, read_guarantee
from railwise.engine.queues.keeping import Wanted
from railwise.engine.queues.promises import Books
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.queues.supply import SPOILT, Vector, maximal, plus, times_over
from railwise.model.node import Node
from railwise.model.policy import Policy
from railwise.model.queue import Queue
from tests.engine.promised_life import FABRIC, draw_nodes, draw_queues
from tests.oracle.promises import Land, Promise, promises


class Ground:
    """One drawn cluster with its books, and the same judged by trying."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.nodes: list[Node] = []
        self.queues: list[Queue] = []
        made: Guarantee | None = None
        while made is None:
            self.nodes, self.queues = draw_nodes(self.random), draw_queues(self.random)
            state = ClusterState(self.nodes, (FABRIC,), Policy())
            made = read_guarantee(QueueTree(self.queues), state)
        self.guarantee = made
        self.books: Books = made.kept
        made.open_round()
        self.work: dict[str, list[str]] = {}
        self.holders = set(made.holders)

    def land(self) -> Land:
        return Land(self.nodes, self.queues, self.work)

    def put(self, node: int, queue: str) -> None:
        self.books.mark([self.guarantee.ground.of[-1][node]], self.guarantee.holder_of[queue], 1)
        self.work.setdefault(self.nodes[node].name, []).append(queue)

    def take(self, node: int, queue: str) -> None:
        self.books.mark([self.guarantee.ground.of[-1][node]], self.guarantee.holder_of[queue], -1)
        self.work[self.nodes[node].name].remove(queue)

    def listed(self, wanted: Wanted) -> list[Promise]:
        found: list[Promise] = []
        for level, name in enumerate(self.guarantee.level_names):
            for holder, queue in enumerate(self.guarantee.holders):
                found += [(queue, name)] * wanted[holder][level]
        return found

    def draw_wanted(self) -> Wanted:
        return tuple(tuple(self.random.randint(0, count) for count in levels) for levels in self.guarantee.promised)


@given(st.integers(0, 2**32 - 1))
def test_the_criterion_says_what_trying_says(seed: int) -> None:
    ground = Ground(seed)
    random = ground.random
    standing: list[tuple[int, str]] = []
    for _ in range(8):
        if standing and random.random() < 0.3:
            ground.take(*standing.pop(random.randrange(len(standing))))
        else:
            new = (random.randrange(len(ground.nodes)), random.choice(ground.queues).name)
            ground.put(*new)
            standing.append(new)
        wanted = ground.draw_wanted()
        land = ground.land()
        assert ground.books.can_keep(wanted) is land.can_keep(ground.listed(wanted), ground.holders)
        kept = ground.books.kept(ground.guarantee.promised)
        assert ground.listed(kept) == land.kept(ground.listed(ground.guarantee.promised), ground.holders)


@given(st.integers(0, 2**32 - 1))
def test_what_a_healthy_empty_cluster_cannot_keep_is_not_promised(seed: int) -> None:
    ground = Ground(seed)
    healthy = [Node(node.name, node.places, node.cards) for node in ground.nodes]
    wanted = promises(ground.queues, FABRIC.level_names())
    kept = Land(healthy, ground.queues, {}).kept(wanted, ground.holders)
    assert ground.listed(ground.guarantee.promised) == kept


@given(st.integers(0, 2**32 - 1))
def test_books_that_lived_are_those_made_anew(seed: int) -> None:
    ground = Ground(seed)
    random, books = ground.random, ground.books
    for _ in range(6):
        ground.put(random.randrange(len(ground.nodes)), random.choice(ground.queues).name)
        node = random.randrange(len(ground.nodes))
        dead = books.broken[-1][ground.guarantee.ground.of[-1][node]] > 0
        books.hurt(node, -1 if dead and not ground.nodes[node].ready else 1)
        if dead and not ground.nodes[node].ready:
            books.hurt(node, 1)
    lived = ([list(level) for level in books.kind], {k: dict(v) for k, v in books.roots.items() if v})
    books.recount()
    assert lived == (books.kind, {k: v for k, v in books.roots.items() if v})


@given(st.integers(0, 2**32 - 1))
def test_units_of_one_group_are_judged_alike(seed: int) -> None:
    ground = Ground(seed)
    random, books = ground.random, ground.books
    for _ in range(random.randrange(5)):
        ground.put(random.randrange(len(ground.nodes)), random.choice(ground.queues).name)
    holder = ground.guarantee.holder_of[random.choice(ground.queues).name]
    for units in books.alike().values():
        judged = {books.still_keeps(ground.guarantee.promised, [unit], holder) for unit in units}
        assert len(judged) == 1


def test_vectors_are_maximal_and_capped() -> None:
    assert maximal([(1, 0), (0, 4), (1, 0), (0, 3)]) == [(1, 0), (0, 4)]
    one: list[Vector] = [(1, 0), (0, 4)]
    other: list[Vector] = [(1, 0), (0, 2)]
    assert plus(one, other, (9, 9)) == [(2, 0), (1, 4), (0, 6)]
    assert plus(one, other, (1, 9)) == [(1, 4), (0, 6)]


@pytest.mark.parametrize("count", range(1, 9))
def test_equal_parts_together_are_parts_one_by_one(count: int) -> None:
    part: list[Vector] = [(1, 0), (0, 3)]
    cap, total = (4, 11), part
    for _ in range(count - 1):
        total = plus(total, part, cap)
    assert times_over(part, count, cap) == total


def test_work_of_nobody_who_is_promised_anything_spoils() -> None:
    nodes = [Node(f"n{number}", {"fabric": {"rack": f"r{number}"}}) for number in range(2)]
    guarantee = read_guarantee(
        QueueTree([Queue("gold", guarantee={"rack": 2}), Queue("other")]), ClusterState(nodes, (FABRIC,), Policy())
    )
    assert guarantee is not None
    assert guarantee.holder_of["other"] == SPOILT
    assert guarantee.kept.kept(guarantee.promised) == ((2,),)
    guarantee.kept.mark([1], SPOILT, 1)
    assert guarantee.kept.kept(guarantee.promised) == ((1,),)
