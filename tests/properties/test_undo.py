"""What-if and search put pods down and take them up again on the live state, so the way back must be exact."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.model.scenario import Scenario
from tests.oracle.cluster import leaves
from tests.oracle.instances import crowd

seeds = st.integers(0, 2**32 - 1)


def _state(scenario: Scenario) -> tuple[ClusterState, list[Shape]]:
    state = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
    shapes = []
    for workload in scenario.workloads:
        for _, group in leaves(workload.root):
            shape = state.shapes.of_group(group)
            shapes.append(shape)
            if group.running is not None and group.running.nodes[0] is not None:
                occupy(state, shape, state.index_of[group.running.nodes[0]], group.running.cards[0])
    return state, shapes


@given(seeds)
def test_undo_restores_exact_state(seed: int) -> None:
    scenario = crowd(seed)
    random = Random(seed)
    state, shapes = _state(scenario)
    before = state.snapshot()
    done: list[tuple[Shape, int, Grant]] = []
    steps = []
    for _ in range(30):
        shape, node = random.choice(shapes), random.randrange(len(scenario.nodes))
        steps.append(state.snapshot())
        if random.random() < 0.3 and done:
            state.take_away(*done.pop())
        else:
            grant = state.put(shape, node) if state.fits(shape, node) else None
            if grant is not None:
                done.append((shape, node, grant))
    while done:
        state.take_away(*done.pop())
    assert state.snapshot() == before
    assert len(set(map(repr, steps))) > 1 or not any(state.fits(shape, 0) for shape in shapes)


@given(seeds)
def test_undo_in_any_order_restores_exact_state(seed: int) -> None:
    scenario = crowd(seed)
    random = Random(seed)
    state, shapes = _state(scenario)
    before = state.snapshot()
    done: list[tuple[Shape, int, Grant]] = []
    for _ in range(20):
        shape, node = random.choice(shapes), random.randrange(len(scenario.nodes))
        grant = state.put(shape, node)
        if grant is not None:
            done.append((shape, node, grant))
    random.shuffle(done)
    for step in done:
        state.take_away(*step)
    assert state.snapshot() == before


@given(seeds)
def test_putting_back_the_same_grants_restores_exact_state(seed: int) -> None:
    scenario = crowd(seed)
    random = Random(seed)
    state, shapes = _state(scenario)
    done: list[tuple[Shape, int, Grant]] = []
    for _ in range(20):
        shape, node = random.choice(shapes), random.randrange(len(scenario.nodes))
        grant = state.put(shape, node)
        if grant is not None:
            done.append((shape, node, grant))
    full = state.snapshot()
    for step in reversed(done):
        state.take_away(*step)
    for step in done:
        state.put_back(*step)
    assert state.snapshot() == full
