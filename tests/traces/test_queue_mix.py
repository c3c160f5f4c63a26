from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.traces.queue_mix import Draw, Floor, with_mixed_queue, with_queue
from railwise.model.errors import InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Group

LEVELS = ("spine", "leaf")


def cluster(nodes: int, per_leaf: int, cards: int = 8, seed: int = 0, levels: tuple[str, ...] = LEVELS) -> Scenario:
    def place(index: int) -> dict[str, dict[str, str]]:
        return {"fabric": {"spine": f"s{index // (4 * per_leaf)}", "leaf": f"l{index // per_leaf}"}}

    fabric = Topology("fabric", tuple(Level(name) for name in levels))
    found = tuple(Node(f"n{index}", place(index), (Cards(cards),)) for index in range(nodes))
    return Scenario(seed=seed, topologies=(fabric,) if levels else (), nodes=found)


def leaves_of(group: Group) -> Iterator[Group]:
    if not group.groups:
        yield group
    for part in group.groups:
        yield from leaves_of(part)


def test_draws_are_those_of_splitmix64() -> None:
    draw = Draw(1234567)
    assert [draw.below(2**64) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_the_same_seed_gives_the_same_queue_and_another_one_another() -> None:
    scenario = cluster(256, 8)
    assert with_mixed_queue(scenario, 200) == with_mixed_queue(scenario, 200)
    assert with_mixed_queue(scenario, 200).workloads != with_mixed_queue(replace(scenario, seed=1), 200).workloads


def test_a_longer_queue_begins_like_a_shorter_one() -> None:
    scenario = cluster(256, 8)
    assert with_mixed_queue(scenario, 200).workloads[:50] == with_mixed_queue(scenario, 50).workloads


def test_every_kind_of_work_is_in_the_mix() -> None:
    queue = with_mixed_queue(cluster(1024, 16), 1000).workloads
    share = Counter(workload.name.partition("-")[0] for workload in queue)
    assert set(share) == {"part", "node", "train", "moe", "serve"}
    assert all(abs(share[name] - part) < 50 for name, part in {"part": 350, "train": 300, "serve": 100}.items())
    rules = Counter((workload.root.topology.required, workload.root.topology.preferred) for workload in queue)
    assert {("", "leaf"), ("leaf", ""), ("spine", "leaf")} <= set(rules)
    assert {group.pods for workload in queue for group in leaves_of(workload.root)} >= {1, 2, 4, 8, 16, 32, 64}


@given(st.integers(1, 40), st.sampled_from([1, 3, 8]), st.sampled_from([1, 2, 8]), st.integers(0, 99))
def test_every_workload_fits_the_empty_cluster_or_is_larger_than_it(
    nodes: int, per_leaf: int, cards: int, seed: int
) -> None:
    scenario = with_mixed_queue(cluster(nodes, per_leaf, cards, seed), 40)
    sizes = {"leaf": min(per_leaf, nodes), "spine": min(4 * per_leaf, nodes), "": 10**9}
    assert len({workload.name for workload in scenario.workloads}) == 40
    for workload in scenario.workloads:
        parts = list(leaves_of(workload.root))
        assert all(0 < part.request.cards.count <= cards and part.min_pods == part.pods for part in parts)
        assert sum(part.pods for part in parts) <= sizes[workload.root.topology.required]


def test_a_flat_cluster_gets_a_queue_without_levels() -> None:
    queue = with_mixed_queue(cluster(64, 8, levels=()), 100).workloads
    parts = [part for workload in queue for part in (workload.root, *leaves_of(workload.root))]
    assert not any(part.topology.required or part.topology.preferred or part.segment for part in parts)


def test_sizes_follow_the_commonest_kind_of_node() -> None:
    mixed = Scenario(nodes=(*cluster(20, 4).nodes, Node("x", cards=(Cards(4),)), Node("cpu")))
    assert (Floor(mixed).cards, Floor(mixed).nodes, Floor(mixed).largest) == (8, 20, 2)


def test_a_queue_is_asked_for_by_kind_and_number() -> None:
    assert len(with_queue(cluster(8, 4), "mixed:3").workloads) == 3


@pytest.mark.parametrize(
    "text", ["mixed", "mixed:", "mixed:0", "mixed:-1", "mixed:1e3", "uniform:5", "mixed:100001", "mixed:٣"]
)
def test_other_requests_are_refused_with_the_form(text: str) -> None:
    with pytest.raises(InputError) as caught:
        with_queue(cluster(8, 4), text)
    assert caught.value.faults[0].path == "--queue"
    assert "mixed:200" in caught.value.faults[0].hint


def test_a_cluster_without_cards_gets_no_queue() -> None:
    with pytest.raises(InputError, match="no node has cards"):
        with_mixed_queue(Scenario(nodes=(Node("cpu"),)), 5)
