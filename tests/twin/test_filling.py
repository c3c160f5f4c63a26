"""Filling a cluster: who comes, in which order, what is counted, and that nothing is given twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.state import ClusterState
from railwise.model.errors import InputError
from railwise.model.policy import MixPod, Policy
from railwise.model.scenario import Scenario
from railwise.model.splitmix import SplitMix
from railwise.model.workload import Group
from railwise.twin.filling import Options, arrivals, fill, node_order, thousandths
from tests.engine.small import FABRIC, flat, gang, racks, request
from tests.examples import examples
from tests.twin.test_learning import asks, history

OF_STUDY = ("random", "dot-product", "gpu-clustering", "gpu-packing", "weighted-fit", "fgd")
PODS = [asks(1000, 8000)] * 6 + [asks(600, 4000)] * 4 + [asks(8000, 64_000)] + [asks(0, 8000)] * 2


def cluster(*roots: Group, cards: tuple[int, ...] = (8, 8, 4, 2)) -> Scenario:
    return Scenario(nodes=tuple(flat(*cards, cpu=64_000)), workloads=tuple(history(*(roots or PODS))))


def coming(scenario: Scenario, percent: int, seed: int = 1) -> Counter[str]:
    state = ClusterState(scenario.nodes, (), Policy())
    target = percent * 1000 * sum(node.card_count() for node in scenario.nodes) // 100
    return Counter(one.name for one in arrivals(scenario.workloads, target, state, SplitMix(seed)))


def test_all_come_and_then_some_again_until_the_next_would_be_too_much_for_a_card() -> None:
    drawn = coming(cluster(*[asks(1000)] * 3), 100)
    assert sum(drawn.values()) == 22
    assert set(drawn) == {"w0", "w1", "w2"}
    # A pod of 8 cards counts with one card before it is drawn: 21 + 8 cards pass the 22 cards.
    assert coming(cluster(asks(8000), cards=(8, 8, 4, 2)), 100) == {"w0": 3}


def test_too_many_are_thinned_out() -> None:
    drawn = coming(cluster(*[asks(1000)] * 60), 100)
    assert sum(drawn.values()) == 22
    assert max(drawn.values()) == 1
    assert coming(cluster(*[asks(1000)] * 60), 100, seed=2) != drawn


def test_pods_without_cards_come_once_where_nobody_asks_for_cards() -> None:
    assert coming(cluster(asks(0, 1000), asks(0, 2000)), 130) == {"w0": 1, "w1": 1}


def test_what_a_gang_asks_for() -> None:
    state = ClusterState(racks(2), (), Policy())
    assert thousandths(gang("w", 3, request(4)), state) == (12_000, 1000)
    assert thousandths(history(asks(600))[0], state) == (600, 600)
    assert thousandths(history(asks(0, 1000))[0], state) == (0, 0)


def test_nodes_are_only_reordered() -> None:
    nodes = flat(1, 2, 3, 4, 5, 6)
    mixed = node_order(nodes, SplitMix(5))
    assert sorted(node.name for node in mixed) == [node.name for node in nodes]
    assert mixed != nodes
    assert node_order(nodes, SplitMix(5)) == mixed


def test_figures_by_hand() -> None:
    scenario = cluster(asks(1000, 8000), cards=(4,))
    run = fill(scenario, "fgd", 1, Options(150))
    assert (run.capacity, run.arrived, run.placed, run.free) == (4000, 6, 4, 0)
    assert {percent: column.allocated for percent, column in run.columns.items()} == {
        25: 1000,
        50: 2000,
        75: 3000,
        100: 4000,
        125: 4000,
        150: 4000,
    }
    assert [run.allocated(percent) for percent in (0, 25, 60, 100, 1000)] == [25, 25, 50, 100, 100]
    assert run.fragmented(100) == 0
    assert run.left() == 0


def test_fragmentation_is_what_the_usual_pods_cannot_use() -> None:
    scenario = cluster(asks(600), cards=(1, 1))
    run = fill(scenario, "railwise", 1, Options(60))
    # Two pods, one on each card: 2 · 400 of 2000 are left, and no further pod of 600 fits.
    assert (run.arrived, run.placed, run.free) == (2, 2, 800)
    assert run.fragmented(60) == 40


def test_arrivals_are_counted_at_the_nearest_percent() -> None:
    run = fill(cluster(*[asks(100)] * 3, cards=(8,)), "fgd", 1, Options(4))
    # 100 and 200 of 8000 are 1.25 and 2.5 %: 1 and 3.
    assert {percent: column.arrivals for percent, column in run.columns.items()} == {1: 1, 3: 1, 4: 1}


def test_gangs_keep_their_rules_with_railwise() -> None:
    gangs = tuple(replace(gang(f"g{number}", 2, request(8), required="rack"), name=f"g{number}") for number in range(3))
    scenario = Scenario(nodes=tuple(racks(3, 3)), topologies=(FABRIC,), workloads=gangs)
    run = fill(scenario, "railwise", 3, Options(100))
    assert (run.arrived, run.placed) == (3, 2)
    assert fill(scenario, "flat", 3, Options(100)).placed == 3


def test_an_unknown_policy_is_an_error() -> None:
    with pytest.raises(InputError, match="there is no policy 'best'"):
        fill(cluster(), "best", 1)


def test_the_mix_of_the_document_is_used_where_it_has_one() -> None:
    scenario = replace(cluster(), policy=Policy(mix=(MixPod(7, 1000),)))
    assert fill(scenario, "fgd", 1).weight == 7
    assert fill(cluster(), "fgd", 1).weight == 13
    assert fill(scenario, "fgd", 1, Options(mix=(MixPod(3, 500),))).weight == 3


@pytest.mark.parametrize("policy", [*OF_STUDY, "railwise", "best-fit", "spread"])
def test_the_same_seed_gives_the_same_run_and_another_one_another(policy: str) -> None:
    first, again, other = (fill(cluster(), policy, seed) for seed in (4, 4, 5))
    assert first == again
    assert first.columns != other.columns


def test_the_order_of_nodes_can_have_a_seed_of_its_own() -> None:
    runs = [fill(cluster(cards=(8, 4, 2, 2, 1, 1)), "flat", 4, Options(order=order)) for order in range(6)]
    assert len({run.arrived for run in runs}) == 1
    assert len({tuple(run.columns.items()) for run in runs}) > 1
    ours = [fill(cluster(cards=(8, 4, 2, 2, 1, 1)), "railwise", 4, Options(order=order)) for order in range(6)]
    assert len({tuple(run.columns.items()) for run in ours}) == 1


ROOTS = st.lists(
    st.sampled_from(
        [asks(1000, 8000), asks(600, 4000), asks(300), asks(8000, 64_000), asks(0, 9000), asks(2000, 1000)]
    ),
    min_size=1,
    max_size=12,
)


@examples(30)
@given(ROOTS, st.sampled_from([*OF_STUDY, "railwise"]), st.integers(0, 99))
def test_never_more_is_given_than_there_is(roots: list[Group], policy: str, seed: int) -> None:
    run = fill(cluster(*roots), policy, seed)
    for percent, column in run.columns.items():
        mean = column.allocated / column.arrivals
        assert 0 <= mean <= run.capacity
        assert mean <= (percent + 1) * run.capacity / 100
    last = run.columns[max(run.columns)]
    assert 0 <= run.free <= run.capacity
    assert run.placed <= run.arrived == sum(column.arrivals for column in run.columns.values())
    assert last.allocated <= (run.capacity - run.free) * last.arrivals
    assert list(run.columns) == sorted(run.columns)
