"""NVIDIA Air, DOT and containerlab: what is written reads back as the same wiring."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from railwise.fabric.elements import Cable, Dialect, Fabric, Port, Role
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import build
from railwise.fabric.telling import tell
from railwise.fabric.wires import Wires
from railwise.formats.fabric.air import air_document, air_text, read_air
from railwise.formats.fabric.containerlab import containerlab_text, read_containerlab
from railwise.formats.fabric.dot import dot_text, read_dot
from railwise.model.errors import InputError
from tests.examples import examples
from tests.fabric.fabrics import drawn, small

Read = Callable[[bytes], Fabric]
Write = Callable[[Fabric], str]

ROUND: dict[str, tuple[Read, Write]] = {
    "air": (read_air, air_text),
    "air-dot": (read_dot, dot_text),
    "containerlab": (read_containerlab, containerlab_text),
}


@pytest.mark.parametrize("form", ROUND)
@examples(25)
@given(fabric=drawn())
def test_wiring_roles_and_units_survive(form: str, fabric: Fabric) -> None:
    read, write = ROUND[form]
    again = read(write(fabric).encode())
    assert again.cables == fabric.cables
    assert [(one.name, one.role, one.unit, one.rail, one.rack) for one in again.switches] == [
        (one.name, one.role, one.unit, one.rail, one.rack) for one in fabric.switches
    ]
    assert [(one.name, one.unit, one.rack) for one in again.servers] == [
        (one.name, one.unit, one.rack) for one in fabric.servers
    ]
    assert [set(one.ports) for one in again.switches] >= [set() for _ in again.switches]


@examples(25)
@given(fabric=drawn())
def test_edges_alone_give_the_same_groups(fabric: Fabric) -> None:
    again = read_dot(dot_text(fabric, attributes=False).encode())
    assert set(again.cables) == set(fabric.cables)
    cabled = {cable.a.device for cable in fabric.cables}
    one, other = (
        build(tell(Wires(each))) for each in (Fabric("", fabric.switches, fabric.servers, fabric.cables), again)
    )

    def partition(found: Map) -> set[frozenset[str]]:
        return {frozenset(domain.servers) & cabled for domain in found.domains if domain.level == "leaf-group"}

    assert partition(one) == partition(other)


def test_macs_travel_in_air() -> None:
    fabric = small("rail-optimised")
    assert [nic.mac for nic in read_air(air_text(fabric).encode()).servers[0].nics] == [
        nic.mac for nic in fabric.servers[0].nics
    ]


NODE_FIELDS = {"os", "cpu", "memory", "storage", "labels", "positioning", "features", "nic_model"}
LABEL_TYPES = {
    "group": str,
    "model": str,
    "sku": str,
    "rack_name": str,
    "rack_unit": int,
    "scalable_unit": int,
    "rail_index": int,
    "data_hall": str,
    "tray_index": int,
    "role": str,
    "pod": int,
    "superspine_group": int,
    "plane_id": int,
}
"""The labels of a node in version 1.12 of Air's SDK, from its documentation."""


@pytest.mark.parametrize("design", ["rail-optimised", "nvl72", "two-tier-ethernet"])
def test_the_manifest_has_the_fields_and_types_that_air_documents(design: str) -> None:
    document = air_document(small(design, storage=1))
    assert (document["format"], set(document)) == ("JSON", {"format", "title", "ztp", "content"})
    for node in document["content"]["nodes"].values():
        assert set(node) <= NODE_FIELDS
        assert all(type(value) is LABEL_TYPES[key] for key, value in node["labels"].items())
    for link in document["content"]["links"]:
        assert len(link) == 2
        assert all(end == "unconnected" or set(end) <= {"node", "interface", "mac"} for end in link)


def test_a_unit_of_another_name_comes_back_as_it_was() -> None:
    text = air_text(small("rail-optimised")).replace('"scalable_unit": 1', '"group": "blue hall"')
    assert read_air(text.encode()).servers[0].unit == "blue hall"


def test_the_simulation_of_a_published_project(shared: Callable[[str], Path]) -> None:
    fabric = read_air(shared("fixtures/air/air-13-nodes.json").read_bytes())
    assert len(fabric.cables) == 58
    assert [server.name for server in fabric.servers] == [*(f"node-gpu-{at}" for at in range(1, 5)), "node-storage-1"]
    roles = {switch.name: switch.role for switch in fabric.switches}
    assert roles["switch-gpu-spine1"] is Role.SPINE
    assert roles["switch-storage-leaf1"] is Role.STORAGE
    assert roles["switch-scaleup-leaf1"] is Role.NVLINK
    assert {switch.dialect for switch in fabric.switches} == {Dialect.CUMULUS}
    found = build(tell(Wires(fabric)))
    groups = {name: place["leaf-group"] for name, place in found.places.items()}
    assert groups["node-gpu-1"] == groups["node-gpu-2"] != groups["node-gpu-3"] == groups["node-gpu-4"]


PTM = """
// cables of a small fabric
strict graph "two leaves" {
  rankdir=LR; node [shape=box]
  "leaf01":"swp1" -- "gpu01":"eth0" [speed="400G" color=blue];
  "leaf01":"swp2" -- gpu02:eth0   # another
  leaf01:swp51 -- spine01:swp1 /* up */
  spine01 [os="cumulus-vx-5.16.1" function="spine"]
}
"""


def test_a_hand_written_graph_is_read() -> None:
    fabric = read_dot(PTM.encode())
    assert fabric.name == "two-leaves"
    assert fabric.cables[1] == Cable(Port("leaf01", "swp2"), Port("gpu02", "eth0"))
    assert {one.name: one.role for one in fabric.switches} == {"leaf01": Role.LEAF, "spine01": Role.SPINE}
    assert [server.name for server in fabric.servers] == ["gpu01", "gpu02"]


CLAB = """
name: sonic01
topology:
  defaults: {kind: linux}
  nodes:
    sonic: {kind: sonic-vs, image: docker-sonic-vs:2020-11-12}
    client:
  links:
  - endpoints: ["client:eth1", "sonic:eth1"]
  - {type: veth, endpoints: [{node: client, interface: eth2}, {node: sonic, interface: eth2}]}
"""


def test_a_hand_written_laboratory_is_read() -> None:
    fabric = read_containerlab(CLAB.encode())
    assert [switch.name for switch in fabric.switches] == ["sonic"]
    assert [(server.name, [nic.name for nic in server.nics]) for server in fabric.servers] == [
        ("client", ["eth1", "eth2"])
    ]
    assert len(fabric.cables) == 2


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_air, "{", "no JSON"),
        (read_air, "{}", "content.nodes: no such member"),
        (
            read_air,
            json.dumps({"content": {"nodes": {"a": {}}, "links": [[{"node": "a", "interface": "x"}]]}}),
            "two ends",
        ),
        (
            read_air,
            json.dumps({"content": {"nodes": {"a": {}}, "links": [[{"node": "a", "interface": "x"}, {"node": "b"}]]}}),
            "content.links[0][1]: expected {node: …, interface: …}",
        ),
        (
            read_air,
            json.dumps({"content": {"nodes": {"a": {}}, "links": [[{"node": "b", "interface": "x"}, "unconnected"]]}}),
            "content.links[0][0]: there is no node 'b'",
        ),
        (read_dot, "digraph { a -> b }", "expected 'graph'"),
        (read_dot, "graph g { a:p -> b:q }", "no direction"),
        (read_dot, "graph g { a -- b }", "expected the port of 'a'"),
        (read_dot, "graph g { a:p -- b:q; a:p -- c:r }", "the port 'a/p' has a cable already"),
        (read_dot, "graph g { a:p -- a:q }", "both ends are on 'a'"),
        (read_dot, "graph g {", "never closed"),
        (read_dot, "graph g { subgraph x { } }", "subgraphs are not read"),
        (read_dot, "graph g { a:p -- b:q } trailing", "nothing after the graph"),
        (read_dot, "graph g {\n\n @ }", "line 3: '@' is no part of a graph"),
        (read_containerlab, "name: x", "topology.nodes: no such member"),
        (read_containerlab, "topology: {nodes: {a: {}}, links: [{endpoints: [a:x]}]}", "expected 'endpoints' with two"),
        (read_containerlab, "topology: {nodes: {a: {}}, links: [{endpoints: [a:x, b:y]}]}", "there is no node 'b'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(read: Read, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text.encode())
    assert message in str(caught.value)
