"""Every reason code has a page, and the page is true: its example causes the code."""

from __future__ import annotations

import pytest
import yaml

from railwise.engine.cycle import plan_scenario
from railwise.engine.reasons.verdict import ACTS
from railwise.formats.scenario.reader import read_spec
from railwise.model.reason import Act, Code
from railwise.report.code_pages import code_named, codes_table, markdown, page_item, page_lines
from railwise.report.code_texts import PAGES
from tests.conftest import ROOT

REFERENCE = ROOT / "docs" / "reference" / "reason-codes.md"


def test_every_code_has_a_page() -> None:
    assert set(PAGES) == set(Code)


@pytest.mark.parametrize("code", Code)
def test_a_page_is_complete_and_points_to_others(code: Code) -> None:
    page = PAGES[code]
    assert page.brief[:1].islower()
    assert not page.brief.endswith(".")
    assert page.meaning.endswith(".")
    assert all(remedy.endswith(".") for remedy in page.remedies)
    assert page.example
    assert page.related
    assert code not in page.related


@pytest.mark.parametrize("code", Code)
def test_who_acts_is_what_the_engine_says(code: Code) -> None:
    assert PAGES[code].act is ACTS.get(code, Act.WAIT)


@pytest.mark.parametrize("name", ["TooFragmented", "toofragmented", "too-fragmented", "TOO_FRAGMENTED"])
def test_a_code_is_found_however_it_is_written(name: str) -> None:
    assert code_named(name) is Code.TOO_FRAGMENTED


def test_an_unknown_code_is_not_guessed() -> None:
    assert code_named("Fragmented") is None
    assert code_named("") is None


def test_the_list_is_in_order_of_precedence() -> None:
    assert [cells[0].text for cells in codes_table().rows] == [code.value for code in Code]


@pytest.mark.parametrize("code", Code)
def test_the_page_of_a_terminal_and_the_data_say_the_same(code: Code) -> None:
    words = " ".join(line.text for line in page_lines(code))
    item = page_item(code)
    assert str(item["meaning"]) in words
    for remedy in PAGES[code].remedies:
        assert remedy in words


DEFAULTS = {
    "topologies": [{"name": "fabric", "levels": ["rack"]}],
    "nodes": [{"name": "n[1-4]", "gpus": 8, "in": {"rack": "r[1-2]"}}],
}
"""What an example leaves out."""

NOT_YET = {Code.WAITING_FOR_VICTIMS}
"""Codes that no plan gives yet; the test below tells when one of them does."""


def given(code: Code) -> list[Code]:
    """Return the codes of the workloads that wait in a page's example."""
    plan = plan_scenario(read_spec(DEFAULTS | yaml.safe_load("\n".join(PAGES[code].example))))
    return [entry.reason.code for entry in plan.workloads if entry.reason]


@pytest.mark.parametrize("code", [code for code in Code if code not in NOT_YET and code is not Code.UNPROVEN])
def test_the_example_of_a_page_causes_its_code(code: Code) -> None:
    assert code in given(code)


@pytest.mark.parametrize("code", [code for code in Code if code in NOT_YET])
def test_the_list_of_codes_that_no_plan_gives_yet_is_current(code: Code) -> None:
    assert code not in given(code), "take it out of NOT_YET"


def test_the_reference_page_is_current() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == markdown(), "mend with `make docs-generate`"
