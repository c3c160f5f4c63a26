"""Sets of domains, and the tightest of them, against a plain comparison of all."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.domains import FEW, Buckets, FreeIndex, bits_of
from railwise.model.node import Cards, Node
from railwise.model.policy import Policy
from railwise.model.topology import Level, Topology
from tests.engine.small import request, shape_of

seeds = st.integers(0, 2**32 - 1)


@given(st.integers(0, 2**200))
def test_the_set_bits_of_a_mask(mask: int) -> None:
    bits = bits_of(mask)
    assert bits == sorted(set(bits))
    assert sum(1 << bit for bit in bits) == mask


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 20)), max_size=40))
def test_buckets_hold_every_domain_under_its_last_key(moves: list[tuple[int, int]]) -> None:
    buckets = Buckets()
    of: dict[int, int] = {}
    for key, domain in moves:
        if domain in of:
            buckets.remove(of[domain], 1 << domain)
        of[domain] = key
        buckets.add(key, 1 << domain)
    assert buckets.keys == sorted(set(of.values()))
    expected: dict[int, int] = {}
    for domain, key in of.items():
        expected[key] = expected.get(key, 0) | 1 << domain
    assert buckets.sets == expected


def _cluster(random: Random, racks: int) -> ClusterState:
    """Return racks of one node each, of few different sizes so that many are equally free."""
    levels = ("spine", "superpod", "rack")[-random.choice([1, 2, 3]) :]
    superpods = random.randint(1, max(1, racks // 4))
    home = sorted(random.randrange(superpods) for _ in range(racks))
    nodes = []
    for rack in range(racks):
        path = {"spine": f"s{home[rack] // 3}", "superpod": f"p{home[rack]}", "rack": f"r{rack}"}
        cards = (Cards(random.choice([2, 4, 4])),)
        nodes.append(Node(f"n{rack}", {"fabric": {level: path[level] for level in levels}}, cards))
    return ClusterState(nodes, (Topology("fabric", tuple(Level(level) for level in levels)),), Policy())


def _frees(state: ClusterState, domain: int) -> tuple[int, ...]:
    """Return the free slots of a rack and of the domains around it, narrowest first."""
    tree = state.trees[0].tree
    found = []
    for level in range(tree.depth - 1, -1, -1):
        found.append(state.trees[0].free[level][domain])
        domain = tree.tiers[level].parent[domain]
    return tuple(found)


@given(seeds)
def test_the_tightest_domain_is_the_first_of_the_least_free_after_any_changes(seed: int) -> None:
    random = Random(seed)
    state = _cluster(random, random.choice([3, 10, FEW + 8, 60]))
    racks = range(len(state.nodes))
    index = FreeIndex(state, state.trees[0])
    shapes = [shape_of(state, request(count)) for count in (1, 2)]
    pods = []
    for _ in range(12):
        for _ in range(random.randint(0, 4)):
            shape, node = random.choice(shapes), random.choice(racks)
            grant = state.put(shape, node)
            if grant is not None:
                pods.append((shape, node, grant))
        if pods and random.random() < 0.4:
            state.take_away(*pods.pop(random.randrange(len(pods))))
        index.refresh()
        candidates = [rack for rack in racks if random.random() < random.choice([0.2, 0.9])] or [0]
        mask = sum(1 << rack for rack in candidates)
        expected = min(candidates, key=lambda rack: (_frees(state, rack), rack))
        assert index.tightest(mask) == expected
        assert index.frees(expected) == _frees(state, expected)


@given(seeds)
def test_offers_that_take_different_slots_are_compared_by_what_they_leave(seed: int) -> None:
    random = Random(seed)
    state = _cluster(random, 12)
    index = FreeIndex(state, state.trees[0])
    takes = [random.randint(0, 3) for _ in range(3)]
    offers: list[tuple[int, int]] = []
    taken: dict[int, int] = {}
    for rack in range(12):
        if random.random() < 0.6:
            taken[rack] = random.choice(takes)
    if not taken:
        taken[0] = 0
    for take in sorted(set(taken.values())):
        members = [rack for rack in taken if taken[rack] == take]
        offers.append(((7 << 24) - take, sum(1 << rack for rack in members)))
    left = {rack: tuple(free - taken[rack] for free in _frees(state, rack)) for rack in taken}
    best = min(taken, key=lambda rack: (left[rack], rack))
    assert index.best_offer(offers, by_cpu=False) == (best, (7 << 24) - taken[best])
    first = min(taken)
    assert index.best_offer(offers, by_cpu=True)[0] == first
