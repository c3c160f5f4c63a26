"""Whatever the input: it is read, or refused with an InputError that can be shown to people. Nothing else comes out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_document
from railwise.model.errors import InputError
from railwise.model.scenario import Scenario
from tests.formats.mutation import EVERYTHING, HEAD, broken_text, broken_value

CHUNKS = 10
PER_CHUNK = 150
NIGHTLY = 60_000


def check(error: InputError) -> None:
    assert error.faults
    for fault in error.faults:
        assert fault.message
        text = fault.text() + fault.hint
        assert text.isprintable(), text
        assert len(text) < 2000
        text.encode()


def check_written(scenario: Scenario) -> None:
    """What was read can be written and read again, unless Kubernetes objects brought more than a document can say."""
    again = read_scenario(scenario_document(scenario))
    assert replace(again, warnings=()) == replace(scenario, warnings=())


def try_value(number: int) -> bool:
    document = broken_value(number)
    try:
        scenario = read_scenario(document)
    except InputError as error:
        check(error)
        return False
    if "manifests" not in document.get("spec", {}):
        check_written(scenario)
    return True


def try_text(number: int) -> bool:
    try:
        read_inputs([("f.yaml", broken_text(number))])
    except InputError as error:
        check(error)
        return False
    return True


def test_the_document_that_is_broken_is_sound_by_itself() -> None:
    check_written(read_scenario({**HEAD, "spec": EVERYTHING}))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_broken_structures_are_read_or_refused(chunk: int) -> None:
    read = sum(try_value(number) for number in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK))
    assert 0 < read < PER_CHUNK


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_broken_texts_are_read_or_refused(chunk: int) -> None:
    read = sum(try_text(number) for number in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK))
    assert 0 < read < PER_CHUNK


@pytest.mark.nightly
def test_very_many_broken_structures_are_read_or_refused() -> None:
    assert sum(try_value(number) for number in range(10**6, 10**6 + NIGHTLY)) > 0


@pytest.mark.nightly
def test_very_many_broken_texts_are_read_or_refused() -> None:
    assert sum(try_text(number) for number in range(10**6, 10**6 + NIGHTLY)) > 0
