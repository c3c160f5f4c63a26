"""Every pod on the fullest node that has room."""

from __future__ import annotations

from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running


def test_the_fullest_node_that_fits_then_the_first() -> None:
    busy = [running("a", ["n1"], request(2)), running("b", ["n2"], request(5)), running("c", ["n3"], request(7))]
    assert nodes_of(last(planned("best-fit", racks(4), *busy, gang("w", 1, request(3))))) == ["n2"]
    assert nodes_of(last(planned("best-fit", racks(4), *busy, gang("w", 1, request(1))))) == ["n3"]
    assert nodes_of(last(planned("best-fit", racks(4), *busy, gang("w", 1, request(8))))) == ["n0"]


def test_pods_of_a_gang_fill_a_node_before_they_open_another() -> None:
    busy = running("a", ["n1"], request(4))
    assert nodes_of(last(planned("best-fit", racks(3), busy, gang("w", 4, request(2))))) == ["n1", "n1", "n0", "n0"]


def test_equal_cards_left_are_told_apart_by_cpu() -> None:
    nodes = racks(2, cpu=16_000)
    busy = running("a", ["n1"], request(0, cpu=8_000))
    assert nodes_of(last(planned("best-fit", nodes, busy, gang("w", 1, request(1, cpu=1_000))))) == ["n1"]


def test_a_rack_is_nothing_to_it() -> None:
    busy = [running("a", ["n0"], request(4)), running("b", ["n4"], request(4))]
    gang_of_two = gang("w", 2, request(4), required="rack")
    assert nodes_of(last(planned("best-fit", racks(2, 2, 2), *busy, gang_of_two))) == ["n0", "n4"]


def test_all_or_nothing() -> None:
    assert not last(planned("best-fit", racks(2), gang("w", 3, request(8)))).pods
