"""The packing scores by hand, on nodes as in the study they come from."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import read_demand
from railwise.engine.policies.packing_scores import DotProduct, GpuClustering, GpuPacking, WeightedFit
from railwise.engine.policies.scored import Scored
from tests.engine.policies.clusters import gang, last, nodes_of, planned, request, running
from tests.engine.policies.test_fgd import pod, put, state_of
from tests.engine.small import flat

NEXT = gang("next", 1, request(1))


def score(search: type[Scored], state: ClusterState, gpu: int, cpu: int = 0) -> int:
    return search(state).score(pod(state, gpu, cpu), state.room_of[0], 0)


@pytest.mark.parametrize(
    ("gpu", "cpu", "expected"),
    [
        (0, 0, 100),
        (8000, 64_000, 37),  # 1 - (0.5 · 0.5 + 1 · 1) / 2 = 0.375
        (1000, 6_000, 92),  # 1 - (0.5 · 0.046875 + 0.125) / 2 = 0.926
    ],
)
def test_dot_product(gpu: int, cpu: int, expected: int) -> None:
    assert score(DotProduct, state_of((8, 64_000)), gpu, cpu) == expected


def test_weighted_fit_counts_what_is_left() -> None:
    # 1 - 0.5 · 56 / 128 - 0.5 · 7 / 8 = 0.34375
    assert score(WeightedFit, state_of((8, 64_000)), 1000, 8_000) == 34
    assert score(WeightedFit, state_of((1, 8_000)), 1000, 8_000) == 100


def test_gpu_packing_on_untouched_and_used_nodes() -> None:
    assert score(GpuPacking, state_of((8, 64_000)), 1000) == 33 - 8
    assert score(GpuPacking, state_of((2, 64_000)), 1000) == 33 - 2
    assert score(GpuPacking, state_of((2, 64_000)), 0, 1000) == 0
    used = state_of((8, 64_000))
    put(used, 0, 1000)
    assert score(GpuPacking, used, 1000) == 50 - 1
    assert score(GpuPacking, used, 4000) == 50 - 4
    assert score(GpuPacking, used, 500) == 50 - 1
    put(used, 0, 300)
    assert score(GpuPacking, used, 500) == 100 - 70 // 10
    assert score(GpuPacking, used, 800) == 50 - 1


def test_gpu_clustering_prefers_its_own_kind() -> None:
    state = state_of((8, 64_000), (8, 64_000), (8, 64_000), (8, 64_000))
    search = GpuClustering(state)
    whole, share, pair = pod(state, 1000), pod(state, 500), pod(state, 2000)
    for node, shape in ((1, whole), (2, whole), (2, share), (3, share)):
        assert state.put(shape, node) is not None
        search.note(shape, node)
    search.begin(read_demand(NEXT, NEXT.root, state))
    scores = [search.score(whole, state.room_of[node], node) for node in range(4)]
    # 25 · used / 8 rounded down, and 25 (untouched), 75 (only whole cards), 50 (among others), 0 (other kinds)
    assert scores == [25, 75 + 3, 50 + 4, 1]
    assert [search.score(pair, state.room_of[node], node) for node in range(4)] == [25, 3, 4, 1]
    assert search.score(pod(state, 0, 1000), state.room_of[1], 1) == 0


def test_gpu_clustering_forgets_a_node_that_emptied() -> None:
    state = state_of((2, 64_000))
    search = GpuClustering(state)
    shape = pod(state, 1000)
    grant = state.put(shape, 0)
    assert grant is not None
    search.note(shape, 0)
    search.begin(read_demand(NEXT, NEXT.root, state))
    state.take_away(shape, 0, grant)
    assert search.score(shape, state.room_of[0], 0) == 18 + 25
    assert search.score(pod(state, 2000), state.room_of[0], 0) == 18 + 25


@pytest.mark.parametrize("policy", ["fgd", "dot-product", "gpu-clustering", "gpu-packing", "weighted-fit", "random"])
def test_gangs_are_placed_whole_or_wait(policy: str) -> None:
    busy = running("a", ["n1"], request(4))
    nodes = flat(8, 8, 8, cpu=64_000)
    placed = last(planned(policy, nodes, busy, gang("w", 4, request(4, cpu=8_000))))
    assert len(nodes_of(placed)) == 4
    assert not last(planned(policy, nodes, busy, gang("w", 3, request(8)))).pods
