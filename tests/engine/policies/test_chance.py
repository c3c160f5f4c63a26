from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running


def test_every_node_that_fits_is_as_likely_as_the_others() -> None:
    nodes = racks(5)
    nodes[1] = replace(nodes[1], unschedulable=True)
    old = running("old", ["n4"], request(gpu=5))
    counts: Counter[str] = Counter()
    for seed in range(300):
        counts[nodes_of(last(planned("random", nodes, old, gang("new", 1, request(gpu=4)), seed=seed)))[0]] += 1
    assert sorted(counts) == ["n0", "n2", "n3"]
    assert all(75 <= count <= 125 for count in counts.values())


def test_the_only_node_that_fits_is_found() -> None:
    nodes = [replace(node, ready=node.name == "n317") for node in racks(400)]
    for seed in range(5):
        assert nodes_of(last(planned("random", nodes, gang("new", 2, request(gpu=4)), seed=seed))) == ["n317", "n317"]


def test_pods_are_drawn_one_by_one() -> None:
    answers = {
        tuple(nodes_of(last(planned("random", racks(3), gang("new", 2, request(gpu=1)), seed=s)))) for s in range(99)
    }
    assert len(answers) == 9


def test_an_empty_cluster_has_no_node() -> None:
    assert last(planned("random", [], gang("new", 1, request(gpu=1)))).pods == ()
