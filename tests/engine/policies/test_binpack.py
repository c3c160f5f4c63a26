from __future__ import annotations

from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running

SEEDS = range(20)


def test_the_node_with_fewest_free_cards_that_fits_wins() -> None:
    old = [
        running("a", ["n0"], request(gpu=2)),
        running("b", ["n1"], request(gpu=6)),
        running("c", ["n2"], request(gpu=7)),
    ]
    for seed in SEEDS:
        assert nodes_of(last(planned("binpack", racks(4), *old, gang("new", 1, request(gpu=2)), seed=seed))) == ["n1"]


def test_pods_fill_one_node_before_the_next() -> None:
    for seed in SEEDS:
        nodes = nodes_of(last(planned("binpack", racks(4), gang("new", 4, request(gpu=4), kind="training"), seed=seed)))
        assert nodes[0] == nodes[1]
        assert nodes[2] == nodes[3]
        assert nodes[0] != nodes[2]


def test_cards_weigh_three_times_as_much_as_cpu() -> None:
    # n0: cards 6/8, cpu 10 %: (3·75 + 10) / 4 = 58. n1: cards 4/8, cpu 90 %: (3·50 + 90) / 4 = 60.
    nodes = racks(2, cpu=10_000)
    old = [running("a", ["n0"], request(gpu=4)), running("b", ["n1"], request(gpu=2, cpu=8000))]
    for seed in SEEDS:
        answer = last(planned("binpack", nodes, *old, gang("new", 1, request(gpu=2, cpu=1000)), seed=seed))
        assert nodes_of(answer) == ["n1"]


def test_cards_do_not_count_for_pods_without_cards() -> None:
    nodes = racks(2, cpu=10_000)
    old = [running("a", ["n0"], request(gpu=8, cpu=1000)), running("b", ["n1"], request(cpu=2000))]
    for seed in SEEDS:
        answer = last(planned("binpack", nodes, *old, gang("new", 1, request(cpu=1000)), seed=seed))
        assert nodes_of(answer) == ["n1"]


def test_shares_go_to_nodes_with_shares() -> None:
    old = running("old", ["n2"], request(part=500))
    for seed in SEEDS:
        answer = last(planned("binpack", racks(4), old, gang("new", 2, request(part=250)), seed=seed))
        assert [(pod.node, pod.cards) for pod in answer.pods] == [("n2", ("0",)), ("n2", ("0",))]


def test_equal_nodes_are_drawn_by_the_seed() -> None:
    new = gang("new", 1, request(gpu=8))
    assert {nodes_of(last(planned("binpack", racks(3), new, seed=seed)))[0] for seed in SEEDS} == {"n0", "n1", "n2"}


def test_a_gang_of_whole_nodes_is_scattered_over_racks() -> None:
    new = gang("new", 2, request(gpu=8), required="rack")
    spread = [len(last(planned("binpack", racks(2, 2, 2), new, seed=seed)).domains["rack"]) for seed in range(100)]
    assert 10 <= spread.count(1) <= 30  # the second node is one of five, of which one is in the same rack
    assert spread.count(1) + spread.count(2) == 100
