"""What is written for containerlab holds the fields, types and rules of its documentation.

The schema below says in our words what its manual ("Topology definition", "Nodes", "Kinds") and the schema that it
publishes ask of the parts that are written here; both refuse any field that they do not name.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml
from hypothesis import given

from railwise.fabric.elements import Dialect, Fabric, Server, Switch
from railwise.formats.fabric.containerlab import KINDS, containerlab_text, read_containerlab
from tests.examples import examples
from tests.fabric.fabrics import SMALL, drawn, small

LINUX_NAME = 15
"""Characters that a network interface's name may have."""

RESERVED = "eth0"
"""The interface of the management network."""

WORD = {"type": "string", "minLength": 1}
NODE = {
    "type": "object",
    "required": ["kind", "image"],
    "additionalProperties": False,
    "properties": {
        "kind": {"enum": ["sonic-vs", "nvidia_cumulusvx", "ceos", "linux"]},
        "image": {"type": "string", "pattern": "^[a-z0-9._/-]+:[A-Za-z0-9._-]+$"},
        "labels": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
    },
}
LINK = {
    "type": "object",
    "required": ["endpoints"],
    "additionalProperties": False,
    "properties": {
        "endpoints": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "uniqueItems": True,
            "items": {"type": "string", "pattern": r"^\S+:\S+$"},
        }
    },
}
SCHEMA = {
    "type": "object",
    "required": ["name", "topology"],
    "additionalProperties": False,
    "properties": {
        "name": WORD,
        "topology": {
            "type": "object",
            "required": ["nodes"],
            "additionalProperties": False,
            "properties": {
                "nodes": {
                    "type": "object",
                    "propertyNames": {"pattern": "^[a-zA-Z0-9][a-zA-Z0-9_.-]*$"},
                    "additionalProperties": NODE,
                },
                "links": {"type": "array", "minItems": 1, "items": LINK},
            },
        },
    },
}
VALIDATOR = pytest.importorskip("jsonschema", reason="ray brings it along").Draft7Validator(SCHEMA)


def faults(document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]


def written(fabric: Fabric) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(containerlab_text(fabric))
    return document


@pytest.mark.parametrize("design", SMALL)
def test_every_design_is_a_laboratory_that_it_documents(design: str) -> None:
    assert faults(written(small(design))) == []


@examples(25)
@given(fabric=drawn())
def test_every_end_of_a_link_is_one_interface_of_one_node(fabric: Fabric) -> None:
    document = written(fabric)
    assert faults(document) == []
    topology = document["topology"]
    ends = Counter(end for link in topology.get("links", []) for end in link["endpoints"])
    assert not ends or max(ends.values()) == 1, "an interface has one link"
    for end in ends:
        node, _, interface = end.partition(":")
        assert node in topology["nodes"]
        assert interface != RESERVED
        assert len(interface) <= LINUX_NAME
    labels = [key for node in topology["nodes"].values() for key in node["labels"]]
    assert not any(key.startswith("clab-") for key in labels), "these are its own"


@pytest.mark.parametrize("dialect", Dialect)
def test_every_system_has_a_kind_and_an_image(dialect: Dialect) -> None:
    switch = Switch("leaf-1", ports=("1",), dialect=dialect)
    document = written(Fabric("one", (switch,), (), ()))
    assert faults(document) == []
    assert document["topology"]["nodes"]["leaf-1"]["kind"] == KINDS[dialect][0]


def test_a_fabric_without_cables_has_no_empty_list_of_links() -> None:
    document = written(Fabric("", (), (Server("n1"),), ()))
    assert faults(document) == []
    assert document["name"] == "fabric"
    again = read_containerlab(yaml.safe_dump(document).encode())
    assert ([server.name for server in again.servers], again.cables) == (["n1"], ())


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": None}, "$.name"),
        ({"topology": {"nodes": {"a": {"kind": "sonic"}}}}, "$.topology.nodes.a.kind"),
        ({"topology": {"nodes": {}, "links": []}}, "$.topology.links"),
        ({"topology": {"nodes": {}, "links": [{"endpoints": ["a:1"]}]}}, "$.topology.links[0].endpoints"),
        ({"version": 1}, "$"),
    ],
)
def test_the_list_of_fields_refuses_what_containerlab_refuses(change: dict[str, Any], path: str) -> None:
    document = written(small("rail-optimised"))
    assert any(one.startswith(f"{path}: ") for one in faults({**document, **change}))
