"""``railwise diff`` from the command line: two runs, their first difference, and input that is no log."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Railwise


def _log(railwise: Railwise, name: str, *options: str) -> None:
    assert railwise("simulate", "one-day.yaml", "--decisions", name, *options).code == 0


def test_the_same_run_gives_the_same_bytes(railwise: Railwise) -> None:
    _log(railwise, "a.jsonl")
    _log(railwise, "b.jsonl")
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    done = railwise("diff", "a.jsonl", "b.jsonl")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("a.jsonl and b.jsonl are the same: ")


def test_another_policy_is_another_run(railwise: Railwise) -> None:
    _log(railwise, "a.jsonl")
    _log(railwise, "b.jsonl", "--policy", "spread")
    done = railwise("diff", "a.jsonl", "b.jsonl")
    assert done.code == 1
    assert done.out.startswith("a.jsonl and b.jsonl decided differently at 0s: line 2, after 1 equal line\n")
    assert "came in before  eval is submitted" in done.out
    data = json.loads(railwise("diff", "a.jsonl", "b.jsonl", "-o", "json").out)
    assert (data["kind"], data["same"], data["line"]) == ("RunDifference", False, 2)


def test_a_log_may_come_from_standard_input(railwise: Railwise) -> None:
    _log(railwise, "a.jsonl")
    assert railwise("diff", "a.jsonl", "-", stdin=Path("a.jsonl").read_text(encoding="utf-8")).code == 0


def test_what_is_no_log_is_an_error_with_a_hint(railwise: Railwise) -> None:
    _log(railwise, "a.jsonl")
    for wrong, says in (
        ("one-day.yaml", "one-day.yaml: line 1: expected a JSON object"),
        ("none", "none: no such file"),
    ):
        done = railwise("diff", "a.jsonl", wrong)
        assert done.code == 2
        assert f"error: {says}" in done.err
        assert "hint: " in done.err
