"""A stored map is the map: what is read back says the same, and what is no map is refused."""

from __future__ import annotations

import json

import pytest

from railwise.discovery.collector import same
from railwise.fabric.changes import Difference, What, differences
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.wires import Wires
from railwise.formats.discovery.map_document import map_document, read_map
from railwise.formats.document_writer import document_text
from railwise.model.errors import InputError
from tests.discovery.test_collector import units


def drawn(fabric: Fabric, *events: Event) -> Map:
    wires = Wires(fabric)
    for event in events:
        wires.apply(event)
    return build(tell(wires, 5), intent=fabric, now=7)


SWAP = Event(0, Action.REPLUG, on=True, ports=(Port("leaf-3", "Ethernet0"), Port("leaf-7", "Ethernet16")))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("design", sorted(DESIGNS))
def test_a_map_reads_back_as_itself(design: str, form: str) -> None:
    fabric = DESIGNS[design].draw(DESIGNS[design].usual) if design != "dgx-superpod" else units()
    one = drawn(fabric, Event(0, Action.CABLE, on=False, cable=0))
    again = read_map(document_text(map_document(one), form).encode(), "map")
    assert again == one
    assert same(again, one)


def test_a_map_with_findings_reads_back_as_itself() -> None:
    one = drawn(units(), SWAP)
    assert one.findings
    assert read_map(json.dumps(map_document(one)).encode(), "map") == one


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"kind: Fabric",
        b'{"apiVersion": "railwise.dev/v1alpha1", "kind": "FabricMap", "levels": 7}',
        b'{"apiVersion": "railwise.dev/v1alpha1", "kind": "FabricMap", "nodes": []}',
        b'{"apiVersion": "railwise.dev/v1alpha1", "kind": "FabricMap", "findings": [{"kind": "Odd", "subject": "a"}]}',
        b'{"apiVersion": "railwise.dev/v1alpha1", "kind": "FabricMap", "findings": [7]}',
    ],
)
def test_what_is_no_map_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_map(data, "map")


def test_maps_that_say_the_same_do_not_differ() -> None:
    assert differences(drawn(units()), drawn(units())) == []


def test_a_moved_cable_is_told_by_its_ends_and_its_finding() -> None:
    found = differences(drawn(units()), drawn(units(), SWAP))
    assert {one.what for one in found} == {What.RAILS, What.LINK, What.FINDING}
    assert Difference(What.LINK, "gpu-1/eth2", "", "leaf-3/Ethernet0", "leaf-7/Ethernet16") in found
    assert Difference(What.RAILS, "gpu-1", "", "", "2") in found
    back = differences(drawn(units(), SWAP), drawn(units()))
    assert {(one.what, one.subject, one.after, one.before) for one in back} == {
        (one.what, one.subject, one.before, one.after) for one in found
    }


def test_a_first_map_is_all_news() -> None:
    found = differences(Map(), drawn(units()))
    places = [one for one in found if one.what is What.PLACE]
    assert {one.subject for one in places} == {f"gpu-{number}" for number in range(1, 9)}
    assert all(one.before == "" for one in found)
