"""Racks by kind of room answer as the indexes of each shape do, wherever they are used at all."""

from __future__ import annotations

import random

import pytest

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.indexed.cost import Curves
from railwise.engine.indexed.domains import FreeIndex
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.indexed.one_pod import OnePod
from railwise.engine.indexed.racks import RackIndex
from railwise.engine.indexed.room_sets import MOST_KINDS, RoomSets
from railwise.engine.indexed.single import SingleIndex
from railwise.engine.indexed.spread import Spread
from railwise.engine.indexed.whole_gang import NO_CLASS, WholeGang, class_taken
from railwise.model.node import Cards, Node
from railwise.model.policy import Policy
from railwise.model.topology import Level, Topology
from railwise.model.workload import CARDS_NONE, CARDS_WHOLE, CardRequest, CardRule, Request, Selection

LEVELS = ("spine", "superpod", "rack")
STEPS = 40


def _cluster(draw: random.Random) -> ClusterState:
    """Return a cluster whose racks and nodes differ in size; some nodes are closed."""
    sizes = draw.choice(((8,), (8,), (8, 4)))
    nodes: list[Node] = []
    for rack in range(draw.randint(3, 12)):
        path = {"spine": f"s{rack // 6}", "superpod": f"p{rack // 3}", "rack": f"r{rack}"}
        for _ in range(draw.randint(1, 5)):
            cards = (Cards(draw.choice(sizes)),)
            nodes.append(Node(f"n{len(nodes)}", {"fabric": path}, cards, unschedulable=draw.random() < 0.05))
    topology = Topology("fabric", tuple(Level(name) for name in LEVELS))
    return ClusterState(nodes, (topology,), Policy())


def _shape(state: ClusterState, cards: int) -> Shape:
    request = Request(CardRequest(CARDS_WHOLE, cards) if cards else CardRequest(CARDS_NONE))
    return state.shapes.intern(request, CardRule(), Selection())


def _change(draw: random.Random, state: ClusterState, running: list[tuple[Shape, int, Grant]]) -> None:
    """Let some pods come and others go."""
    for _ in range(draw.randint(1, 6)):
        if running and draw.random() < 0.4:
            state.take_away(*running.pop(draw.randrange(len(running))))
            continue
        shape, node = _shape(state, draw.choice((1, 2, 4, 8, 8))), draw.randrange(len(state.nodes))
        grant = state.put(shape, node)
        if grant is not None:
            running.append((shape, node, grant))


@pytest.mark.parametrize("seed", range(40))
def test_one_pod_goes_where_the_index_of_its_shape_says(seed: int) -> None:
    draw = random.Random(seed)
    state = _cluster(draw)
    sets, free = RoomSets(state, state.trees[0]), FreeIndex(state, state.trees[0])
    ways = []
    for cards in (0, 1, 2, 3, 4, 8):
        curves = Curves(state.rooms, _shape(state, cards), by_cpu=cards == 0)
        ways.append((OnePod(state, sets, curves, free), SingleIndex(state, 0, curves, free)))
    running: list[tuple[Shape, int, Grant]] = []
    for _ in range(STEPS):
        _change(draw, state, running)
        sets.refresh()
        free.refresh()
        within = draw.choice((-1, draw.getrandbits(12)))
        for quick, index in ways:
            index.refresh()
            expected = index.cheapest(within)
            assert quick.cheapest(within) == (expected[0] if expected is not None else -1)


@pytest.mark.parametrize("seed", range(40))
def test_gangs_of_whole_nodes_go_where_the_index_of_their_shape_says(seed: int) -> None:
    draw = random.Random(seed)
    state = _cluster(draw)
    sets, free = RoomSets(state, state.trees[0]), FreeIndex(state, state.trees[0])
    running: list[tuple[Shape, int, Grant]] = []
    compared = 0
    for _ in range(STEPS):
        _change(draw, state, running)
        sets.refresh()
        free.refresh()
        curves = Curves(state.rooms, _shape(state, 8), by_cpu=False)
        kind = class_taken(state, sets, curves)
        racks = RackIndex(state, 0, curves, free, 8)
        if racks.total and racks.kinds.whole_class >= 0:
            assert kind == racks.kinds.whole_class
        if kind == NO_CLASS:
            continue
        gang, spread = WholeGang(state, sets, free, kind), Spread(state, state.trees[0], racks)
        assert (gang.whole.total, gang.whole.sums) == (racks.total, racks.capacity)
        for pods in range(2, 8):
            found = gang.cheapest(pods, -1)
            expected = racks.cheapest(pods, -1)
            assert found == (expected[0] if expected is not None else -1)
            if found >= 0:
                compared += 1
                assert gang.positions(found, pods) == racks.positions(found, pods)
            for level in (1, 0, -1) if racks.kinds.whole_class == kind else ():
                wide = spread.best(level, pods, -1, count_racks=True)
                places = [spot for rack, here in wide[0] for spot in racks.positions(rack, here)] if wide else []
                assert gang.spread_out(level, pods, -1) == ((places, wide[1]) if wide else None)
    assert compared or len(state.nodes) < 30


def test_many_kinds_of_room_are_left_to_the_indexes_of_shapes() -> None:
    nodes = [
        Node(f"n{number}", {"fabric": {"rack": "r"}}, (Cards(8),), resources={"cpu": 1000 + number})
        for number in range(MOST_KINDS + 1)
    ]
    topologies = (Topology("fabric", (Level("rack"),)),)
    few = Indexes(ClusterState(nodes[:-1], topologies, Policy()))
    many = Indexes(ClusterState(nodes, topologies, Policy()))
    assert few.sets(0) is not None
    assert many.sets(0) is None
    shape = _shape(few.state, 8)
    few.state.put(shape, 0)
    few.state.put(shape, 1)
    assert few.sets(0) is not None
    few.state.put(few.state.shapes.intern(Request(resources=(("cpu", 10),)), CardRule(), Selection()), 2)
    assert len(few.state.room_count) == MOST_KINDS
    assert few.sets(0) is not None
