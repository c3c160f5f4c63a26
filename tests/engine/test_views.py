"""What runs, booked for tables and pictures."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.views import NodeRow, booked, node_rows
from railwise.model.workload import Group, Running, Workload
from tests.engine.policies.clusters import scenario
from tests.engine.small import flat, gang, racks, request, running


def test_rows_in_document_order_with_what_is_free() -> None:
    nodes = [*racks(2), *flat(0, 4)]
    nodes[2:] = [replace(node, name=f"m{index}") for index, node in enumerate(nodes[2:])]
    nodes[1] = replace(nodes[1], unschedulable=True)
    known = scenario(nodes, running("a", ["n0"], request(3)), gang("waits", 1, request(1)))
    assert node_rows(known) == [NodeRow("n0", 8, 5), NodeRow("n1", 8, 0), NodeRow("m0", 0, 0), NodeRow("m1", 4, 4)]


def test_named_cards_are_booked_before_those_that_are_not_named() -> None:
    named = Workload("b", Group(pods=1, min_pods=1, request=request(1), running=Running(("n0",), 0, (("0",),))))
    state, records = booked(scenario(flat(2), running("a", ["n0"], request(1)), named))
    assert [record.workload.name for record in records] == ["a", "b"]
    assert [pod.cards for record in records for pod in record.placements(state)] == [("1",), ("0",)]


def test_what_cannot_be_read_is_booked_all_the_same() -> None:
    odd = running("odd", ["n0", "gone", None], request(2))
    odd = replace(odd, root=replace(odd.root, topology=replace(odd.root.topology, required="row")))
    state, records = booked(scenario(racks(2), odd))
    assert records[0].unreadable is not None
    assert [(pod.name, pod.node) for pod in records[0].placements(state)] == [("odd-0", "n0")]
    assert state.room_of[0].slots == 6
