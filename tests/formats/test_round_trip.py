from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_document, scenario_text
from railwise.formats.schema import schema_of
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from tests.formats.models import scenarios
from tests.formats.schema_check import problems

SCHEMA = schema_of("scenario")


@given(scenarios(), st.sampled_from(["yaml", "json"]))
def test_a_scenario_reads_as_it_was_written(scenario: Scenario, form: str) -> None:
    (document,) = load(scenario_text(scenario, form).encode(), f"f.{form}")
    assert problems(document.value, SCHEMA) == []
    read = read_scenario(document.value)
    assert replace(read, warnings=()) == scenario
    assert scenario_document(read) == document.value


def rack_of(number: int) -> dict[str, dict[str, str]]:
    return {"fabric": {"spine": "s1", "rack": f"r{number}"}}


FABRIC = (Topology("fabric", (Level("spine"), Level("rack"))),)


@pytest.mark.parametrize(
    ("nodes", "entries"),
    [
        (
            [Node(f"n{number:02d}", rack_of(number // 4), (Cards(8),)) for number in range(8, 16)],
            [{"name": "n[08-15]", "in": {"spine": "s1", "rack": "r[2-3]"}, "gpus": 8}],
        ),
        (
            [Node(f"n{number}", rack_of(1 if number < 3 else 2), (Cards(8),)) for number in range(1, 5)],
            [{"name": "n[1-4]", "in": {"spine": "s1", "rack": "r[1-2]"}, "gpus": 8}],
        ),
        (
            [Node(f"n{number}", rack_of(1 if number < 2 else 2)) for number in range(1, 5)],
            [
                {"name": "n1", "in": {"spine": "s1", "rack": "r1"}},
                {"name": "n[2-4]", "in": {"spine": "s1", "rack": "r2"}},
            ],
        ),
        (
            [Node(f"n{place}", rack_of(rack)) for place, rack in enumerate([1, 1, 2, 2, 3, 4, 4, 5, 5, 5])],
            [
                {"name": "n[0-3]", "in": {"spine": "s1", "rack": "r[1-2]"}},
                {"name": "n4", "in": {"spine": "s1", "rack": "r3"}},
                {"name": "n[5-6]", "in": {"spine": "s1", "rack": "r4"}},
                {"name": "n[7-9]", "in": {"spine": "s1", "rack": "r5"}},
            ],
        ),
        (
            [Node("n1"), Node("n2", ready=False), Node("n3")],
            [{"name": "n1"}, {"name": "n2", "ready": False}, {"name": "n3"}],
        ),
        (
            [Node("a1"), Node("b2"), Node("x"), Node("y")],
            [{"name": "a1"}, {"name": "b2"}, {"name": "x"}, {"name": "y"}],
        ),
        ([Node("n1", rack_of(1)), Node("n2")], [{"name": "n1", "in": {"spine": "s1", "rack": "r1"}}, {"name": "n2"}]),
    ],
)
def test_neighbours_that_are_alike_become_one_entry(nodes: list[Node], entries: list[dict[str, object]]) -> None:
    document = scenario_document(Scenario(topologies=FABRIC, nodes=tuple(nodes)))
    assert document["spec"]["nodes"] == entries


def test_an_empty_scenario_is_a_short_document() -> None:
    assert scenario_document(Scenario()) == {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "spec": {}}


def test_text_is_yaml_or_json() -> None:
    with pytest.raises(ValueError, match="expected json or yaml, not 'toml'"):
        scenario_text(Scenario(), "toml")
