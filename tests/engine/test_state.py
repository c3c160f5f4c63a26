"""The live state: counters per domain, exact undo, new facts about nodes, and forgetting what is out of use."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.alter import alter_node
from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.shapes import UNLIMITED, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.together import put_all, take_away_all
from railwise.model.node import Cards, Node, Taint
from railwise.model.workload import Selection, Toleration
from tests.engine.random_life import Life
from tests.engine.recount import differences, seen
from tests.engine.small import FABRIC, NVLINK, flat, racks, request, shape_of, state_of

seeds = st.integers(0, 2**32 - 1)

Pods = list[tuple[Shape, int, Grant]]


def _life(seed: int) -> tuple[ClusterState, list[Shape], Random]:
    life = Life(seed)
    state = ClusterState(life.scenario.nodes, life.scenario.topologies, life.scenario.policy)
    return state, [state.shapes.of_group(group) for group in life.shapes], life.random


def _put_some(state: ClusterState, shapes: list[Shape], random: Random, times: int) -> Pods:
    """Put pods where they fit, and now and then one where it does not."""
    pods: Pods = []
    for _ in range(times):
        shape, node = random.choice(shapes), random.randrange(len(state.nodes))
        grant = state.put(shape, node)
        if grant is None and random.random() < 0.3:
            grant = occupy(state, shape, node, ())
        if grant is not None:
            pods.append((shape, node, grant))
    return pods


def test_slots_and_whole_nodes_are_counted_in_every_domain_of_every_topology() -> None:
    nodes = [
        replace(node, places={**node.places, "nvlink": {"clique": f"c{index % 2}"}})
        for index, node in enumerate(racks(2, 2, 2))
    ]
    state = state_of(nodes, FABRIC, NVLINK)
    shape = shape_of(state, request(3))
    grant = state.put(shape, 3)
    assert grant is not None
    fabric, nvlink = state.trees
    assert fabric.free == [[29, 16], [16, 13, 16]]
    assert fabric.whole == [[2, 1, 2]]
    assert (nvlink.free, nvlink.whole) == ([[24, 21]], [[3, 2]])
    assert [fabric.whole_in(0, domain, 0) for domain in range(2)] == [3, 2]
    assert [fabric.widest_below(level) for level in range(2)] == [2, 1]
    state.take_away(shape, 3, grant)
    assert fabric.free == [[32, 16], [16, 16, 16]]
    assert fabric.whole == [[2, 2, 2]]


@given(seeds)
def test_undo_in_any_order_restores_the_state_exactly_even_of_overfull_nodes(seed: int) -> None:
    state, shapes, random = _life(seed)
    _put_some(state, shapes, random, 10)
    before, counted = state.snapshot(), dict(state.room_count)
    pods = _put_some(state, shapes, random, 25)
    assert differences(state) == []
    random.shuffle(pods)
    for shape, node, grant in pods:
        state.take_away(shape, node, grant)
    assert state.snapshot() == before
    assert state.room_count == counted


@given(seeds)
def test_what_was_taken_away_is_put_back_exactly_where_it_was(seed: int) -> None:
    state, shapes, random = _life(seed)
    pods = _put_some(state, shapes, random, 25)
    full = state.snapshot()
    some = random.sample(pods, random.randint(0, len(pods)))
    for shape, node, grant in some:
        state.take_away(shape, node, grant)
    random.shuffle(some)
    for shape, node, grant in some:
        state.put_back(shape, node, grant)
    assert state.snapshot() == full


@given(seeds)
def test_pods_put_and_removed_together_leave_what_they_leave_one_by_one(seed: int) -> None:
    (state, shapes, random), (other, others, _) = _life(seed), _life(seed)
    for _ in range(6):
        kind = random.randrange(len(shapes))
        nodes = sorted(random.choices(range(len(state.nodes)), k=random.randint(1, 12)))
        grants = put_all(state, shapes[kind], nodes)
        for node, grant in zip(nodes, grants, strict=False):
            assert other.put(others[kind], node) == grant
        assert len(grants) == len(nodes) or other.put(others[kind], nodes[len(grants)]) is None
        assert (differences(state), state.snapshot()) == ([], other.snapshot())
        pods = [pod for pod in zip(nodes, grants, strict=False) if random.random() < 0.5]
        freed = state.freed
        take_away_all(state, shapes[kind], pods)
        assert (differences(state), state.freed != freed) == ([], True)
        for node, grant in pods:
            other.take_away(others[kind], node, grant)
        assert (state.snapshot(), set(state.journal)) == (other.snapshot(), set(other.journal))


def test_a_pod_that_does_not_fit_changes_nothing() -> None:
    state = state_of([replace(node, taints=(Taint("x"),)) for node in flat(4)])
    before, journal = state.snapshot(), len(state.journal)
    tolerant = Selection(tolerations=(Toleration("x", "Exists"),))
    assert state.put(shape_of(state, request(1)), 0) is None
    assert state.put(shape_of(state, request(5), selection=tolerant), 0) is None
    assert (state.snapshot(), len(state.journal)) == (before, journal)
    assert state.put(shape_of(state, request(4), selection=tolerant), 0) is not None


# --- New facts about nodes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closing", [{"ready": False}, {"unschedulable": True}])
def test_a_closed_node_has_no_slots_and_gets_them_back(closing: dict[str, object]) -> None:
    state = state_of(racks(2), FABRIC)
    shape = shape_of(state, request(2))
    assert state.put(shape, 0) is not None
    before = state.snapshot()
    alter_node(state, 0, closing, [shape])
    assert (state.trees[0].free[1], state.trees[0].whole[0]) == ([8], [1])
    assert not state.fits(shape, 0)
    alter_node(state, 0, {key: not value for key, value in closing.items()}, [shape])
    assert state.snapshot() == before


def test_a_capacity_that_shrinks_below_what_runs_leaves_the_node_overfull_until_it_grows_again() -> None:
    state = state_of(flat(4, cpu=8000))
    shape = shape_of(state, request(1, cpu=3000))
    grants = [state.put(shape, 0) for _ in range(2)]
    alter_node(state, 0, {"resources": {"cpu": 4000}}, [shape, shape])
    assert (state.room_of[0].cpu, state.room_of[0].slots) == (-2000, 0)
    for grant in grants:
        assert grant is not None
        state.take_away(shape, 0, grant)
    assert (state.room_of[0].cpu, state.room_of[0].slots) == (4000, 4)


@pytest.mark.parametrize(("resource", "field"), [("cpu", "cpu"), ("memory", "memory"), ("pods", "pods")])
def test_a_capacity_that_was_unlimited_counts_what_runs(resource: str, field: str) -> None:
    state = state_of(flat(4))
    shape = shape_of(state, request(1, cpu=3000, memory=3000))
    assert state.put(shape, 0) is not None
    alter_node(state, 0, {"resources": {resource: 4000}}, [shape])
    assert getattr(state.room_of[0], field) == (3999 if resource == "pods" else 1000)
    alter_node(state, 0, {"resources": {}}, [shape])
    assert getattr(state.room_of[0], field) == UNLIMITED
    alter_node(state, 0, {"resources": {resource: 3000}}, [shape])
    assert getattr(state.room_of[0], field) == (2999 if resource == "pods" else 0)


def test_a_device_that_is_no_longer_listed_is_owed_by_those_who_have_it() -> None:
    state = state_of(flat(4, **{"example.com/nic": 2}))
    shape = shape_of(state, request(1, **{"example.com/nic": 1}))
    grant = state.put(shape, 0)
    assert grant is not None
    alter_node(state, 0, {"resources": {}}, [shape])
    assert dict(state.room_of[0].others) == {"example.com/nic": -1}
    state.take_away(shape, 0, grant)
    assert state.room_of[0].others == ()


def test_labels_and_taints_are_asked_anew_after_a_change() -> None:
    state = state_of(flat(4, 4))
    shape = shape_of(state, request(1))
    gold = shape_of(state, request(1), selection=Selection((("pool", "gold"),)))
    assert [state.fits(shape, 1), state.fits(gold, 1)] == [True, False]
    alter_node(state, 1, {"labels": {"pool": "gold"}}, [])
    assert [state.fits(shape, 1), state.fits(gold, 1)] == [True, True]
    alter_node(state, 1, {"taints": (Taint("burnt-in"),)}, [])
    assert [state.fits(shape, 0), state.fits(shape, 1), state.fits(gold, 1)] == [True, False, False]
    alter_node(state, 1, {"taints": ()}, [])
    assert state.fits(shape, 1)


@given(seeds)
def test_after_any_changes_a_state_is_as_if_built_anew_with_the_same_pods(seed: int) -> None:
    life = Life(seed)
    state = ClusterState(life.scenario.nodes, life.scenario.topologies, life.scenario.policy)
    shapes = [state.shapes.of_group(group) for group in life.shapes]
    pods: Pods = []
    for _ in range(6):
        pods += _put_some(state, shapes, life.random, 3)
        change = life.draw_change(state.nodes)
        values: dict[str, object] = getattr(change, "values", {})
        node = state.index_of[getattr(change, "name", "")]
        alter_node(state, node, values, [shape for shape, where, _ in pods if where == node])
        if life.random.random() < 0.2:
            state.compact()
    again = ClusterState(state.nodes, life.scenario.topologies, life.scenario.policy)
    for shape, node, grant in pods:
        again.put_back(again.shapes.intern(shape.request, shape.rule, shape.selection), node, grant)
    assert seen(again) == seen(state)
    assert [trees.free for trees in again.trees] == [trees.free for trees in state.trees]
    assert [trees.whole for trees in again.trees] == [trees.whole for trees in state.trees]
    assert differences(state) == []


# --- Forgetting ------------------------------------------------------------------------------------------------------


@given(seeds)
def test_compacting_forgets_rooms_and_nothing_else(seed: int) -> None:
    state, shapes, random = _life(seed)
    pods = _put_some(state, shapes, random, 20)
    before, generation = seen(state), state.generation
    state.compact()
    assert seen(state) == before
    assert differences(state) == []
    assert len(state.rooms.all) == len(set(map(id, state.room_of)))
    assert state.journal == []
    assert state.generation > generation
    for shape, node, grant in pods:
        state.take_away(shape, node, grant)
    fresh = ClusterState(state.nodes, state.topologies, state.policy)
    assert [room.figures() for room in state.room_of] == [room.figures() for room in fresh.room_of]


def test_equal_nodes_share_what_they_have_and_their_room() -> None:
    state = state_of([*flat(4, 4, 8), Node("other", cards=(Cards(4, "H100"),))])
    assert state.specs[0] is state.specs[1]
    assert len({spec.index for spec in state.specs}) == 3
    assert state.room_of[0] is state.room_of[1]
    assert state.classes == [4, 8]
    assert state.tree_named("") is state.trees[0]
    assert state.tree_named("nvlink") is None
    assert [spec.index for spec in state.specs_in_use()] == [0, 1, 2]


def test_a_node_with_sick_cards_is_of_the_kind_of_its_healthy_fellows() -> None:
    nodes = flat(4, 4)
    state = state_of([nodes[0], replace(nodes[1], unhealthy=frozenset({2}))])
    assert state.specs[0] is not state.specs[1]
    assert state.healthy_spec(1) is state.specs[0]
    assert [spec.index for spec in state.healthy_specs()] == [0]
