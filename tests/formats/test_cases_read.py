from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario, read_spec
from railwise.formats.scenario.writer import scenario_document
from railwise.formats.schema import schema_of
from railwise.model.errors import InputError
from railwise.model.scenario import Scenario
from tests.conftest import ROOT
from tests.formats.schema_check import problems

FILES = sorted((ROOT / "cases").glob("*.yaml"))
SCHEMA = schema_of("scenario")["$defs"]["ScenarioSpec"]


def cases(path: Path) -> Iterator[dict[str, Any]]:
    for document in load(path.read_bytes(), path.name):
        assert isinstance(document.value, dict)
        yield document.value


def read(spec: dict[str, Any]) -> Scenario:
    if "document" not in spec:
        return read_spec(spec["scenario"])
    text = spec["document"]
    return read_scenario(load(text if isinstance(text, bytes) else text.encode(), "document")[0].value)


def refusals(expect: list[dict[str, Any]]) -> list[list[dict[str, str]]]:
    """Return, per expected refusal, the answers that will do."""
    found = []
    for item in expect:
        answers = [one["error"] for one in item.get("oneOf", [item]) if "error" in one]
        if answers and len(answers) == len(item.get("oneOf", [item])):
            found.append(answers)
    return found


def matches(error: InputError, answer: dict[str, str]) -> bool:
    path, part = answer.get("path", ""), answer.get("contains", "").casefold()
    return any(fault.path.startswith(path) and part in fault.message.casefold() for fault in error.faults)


def test_there_are_cases() -> None:
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_reads_or_is_refused_as_it_expects(path: Path) -> None:
    for case in cases(path):
        name, spec = case["metadata"]["name"], case["spec"]
        expected = refusals(spec["expect"])
        if not expected:
            read(spec)
            continue
        with pytest.raises(InputError) as refusal:
            read(spec)
        for answers in expected:
            assert any(matches(refusal.value, answer) for answer in answers), (name, refusal.value.faults)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_survives_being_written_and_obeys_the_schema(path: Path) -> None:
    whole = schema_of("scenario")
    written = 0
    for case in cases(path):
        spec = case["spec"]
        if refusals(spec["expect"]) or "scenario" not in spec or "manifests" in spec["scenario"]:
            continue
        scenario = read(spec)
        assert problems(spec["scenario"], SCHEMA, whole) == [], case["metadata"]["name"]
        again = read_scenario(scenario_document(scenario))
        assert replace(again, warnings=()) == replace(scenario, warnings=()), case["metadata"]["name"]
        assert again.warnings == scenario.warnings
        written += 1
    assert written
