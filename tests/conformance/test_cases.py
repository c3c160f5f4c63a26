"""Every case of ``cases/``: it passes, or it stands in ``waiting.yaml`` under the capability that it still needs.

The list is strict: a case that passes while it is listed fails here, so the list can only shrink.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from railwise.formats.cases.expectation import check
from railwise.formats.cases.reader import Case, read_cases
from railwise.twin.cases import live_through

ROOT = Path(__file__).resolve().parents[2]
WAITING: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("waiting.yaml").read_text(encoding="utf-8"))
CASES = [case for path in sorted((ROOT / "cases").glob("*.yaml")) for case in read_cases(path.read_bytes(), path.name)]


def _parameter(case: Case) -> object:
    needs = [reason for reason, names in WAITING.items() if case.name in names]
    marks = [pytest.mark.xfail(strict=True, reason=f"needs {needs[0]}")] if needs else []
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in CASES])
def test_case(case: Case) -> None:
    assert check(case, live_through) == [], case.notes


def test_names_are_unique_over_all_files() -> None:
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))
    assert len(names) > 400


def test_the_waiting_list_names_each_case_once_and_only_cases_that_exist() -> None:
    listed = [name for names in WAITING.values() for name in names]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) <= {case.name for case in CASES}
    for names in WAITING.values():
        assert names == sorted(names)
