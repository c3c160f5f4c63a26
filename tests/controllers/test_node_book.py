"""What of a node's news is a change of facts, and what makes a new engine."""

from __future__ import annotations

import msgspec

from railwise.controllers.node_book import NodeBook
from railwise.formats.kubernetes.schema import NodeObject
from railwise.model.node import MAINTENANCE_LABEL
from tests.control_plane import node

LEAF = "fabric.railwise.dev/leaf-group"


def book(**labels: str) -> NodeBook:
    """Return a book of two nodes with equal labels that has been read."""
    made = NodeBook()
    for name in ("a", "b"):
        made.put(one(name, **labels))
    made.read()
    return made


def one(name: str, **labels: str) -> NodeObject:
    return msgspec.convert(node(name, **labels), NodeObject)


def test_a_first_label_of_a_level_makes_it_a_level() -> None:
    nodes = book()
    assert [level.name for topology in nodes.trees.topologies for level in topology.levels] == []
    nodes.put(one("a", **{LEAF: "su-1"}))
    nodes.changes()
    assert nodes.reshaped
    assert nodes.read()[0].places == {"fabric": {"leaf-group": "su-1"}}


def test_another_place_makes_a_new_engine_and_a_label_of_no_level_does_not() -> None:
    nodes = book(**{LEAF: "su-1"})
    nodes.put(one("a", **{LEAF: "su-1", "pool": "gold"}))
    assert [set(change.values) for change in nodes.changes()] == [{"labels"}]
    assert not nodes.reshaped
    nodes.put(one("b", **{LEAF: "su-2"}))
    nodes.changes()
    assert nodes.reshaped


def test_a_node_below_a_switch_in_maintenance_is_closed_until_it_is_over() -> None:
    nodes = book(**{LEAF: "su-1"})
    nodes.put(one("a", **{LEAF: "su-1", MAINTENANCE_LABEL: "leaf-3"}))
    (change,) = nodes.changes()
    assert change.values["unschedulable"] is True
    assert not nodes.usable("a")
    nodes.put(one("a", **{LEAF: "su-1"}))
    (change,) = nodes.changes()
    assert change.values["unschedulable"] is False
    assert nodes.usable("a")
    assert not nodes.reshaped
