"""``railwise test``: one line a case, what differs below it, and an exit code for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Railwise

HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Case\n"
CLUSTER = "scenario: {nodes: [{name: n1, gpus: 8}], workloads: [{name: a, pods: 1, request: {gpu: 8}}]}"
REFUSED = CLUSTER.replace("pods: 1", "unsupported: no such rule")


def _case(name: str, area: str, spec: str) -> str:
    return f"---\n{HEAD}metadata: {{name: {name}, labels: {{area: {area}}}, notes: because.}}\nspec: {{{spec}}}\n"


@pytest.fixture
def cases(folder: Path) -> Path:
    """Return a folder with one file of four cases: two good, one wrong, one that needs virtual time."""
    place = folder / "policy"
    place.mkdir()
    (place / "all.yaml").write_text(
        _case("good", "rank", f"{CLUSTER}, expect: [{{workload: a, state: placed}}]")
        + _case("wrong", "quota", f"{CLUSTER}, expect: [{{workload: a, state: pending}}]")
        + _case("late", "quota", f"{CLUSTER}, run: simulate, expect: [{{workload: a, starts: {{max: 1m}}}}]")
        + _case("file", "rank", "scenario: ../two.yaml, expect: [{workload: b, nodes: [n2]}]")
    )
    (place / "notes.txt").write_text("no case")
    (folder / "two.yaml").write_text(
        "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec:\n  nodes: [{name: n2, gpus: 1}]\n"
        "  workloads: [{name: b, request: {gpu: 1}}]\n"
    )
    return place


@pytest.fixture
def without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what lives through virtual time, as in a program that has no twin."""
    monkeypatch.setattr("railwise.twin.cases.live_through", None)


def test_what_takes_time_is_lived_through(railwise: Railwise, cases: Path) -> None:
    assert railwise("test", str(cases)).out.splitlines()[4:] == ["ok    late", "ok    file", "3 passed, 1 failed"]


@pytest.mark.usefixtures("without_time")
def test_a_failure_says_what_was_expected_and_why(railwise: Railwise, cases: Path) -> None:
    done = railwise("test", "policy")
    assert cases.is_dir()
    assert done.code == 1
    assert done.out.splitlines() == [
        "ok    good",
        "FAIL  wrong",
        "      spec.expect[0]: workload a: state: expected pending, found placed",
        "      why: because.",
        "--    late: needs the twin",
        "ok    file",
        "2 passed, 1 failed, 1 not judged (they need more than this version can do)",
    ]


def test_a_refused_rule_is_named_as_such_and_fails_the_run(railwise: Railwise) -> None:
    text = _case("odd", "sharing", f"{REFUSED}, expect: [{{workload: a, state: placed}}]")
    done = railwise("test", "-", stdin=text)
    first, last = done.out.splitlines()
    assert first.startswith("--    odd: Unsupported, no such rule")
    assert last == "0 passed, 0 failed, 1 unsupported (a rule of theirs is refused)"
    assert done.code == 1
    assert "expected placed, found pending (Unsupported" in railwise("test", "-", "-o", "wide", stdin=text).out


def test_who_expects_a_refusal_passes_and_what_else_differs_fails(railwise: Railwise) -> None:
    asked = _case("asked", "sharing", f"{REFUSED}, expect: [{{workload: a, reason: Unsupported}}]")
    assert railwise("test", "-", stdin=asked).out.startswith("ok    asked")
    other = _case("other", "sharing", f"{REFUSED}, expect: [{{workload: b, state: placed}}]")
    assert railwise("test", "-", stdin=other).out.startswith("FAIL  other")


def test_an_area_narrows_the_run_and_success_is_zero(railwise: Railwise, cases: Path) -> None:
    done = railwise("test", str(cases / "all.yaml"), "--area", "rank")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["ok    good", "ok    file", "2 passed, 0 failed"]


def test_an_unknown_area_names_the_known_ones(railwise: Railwise, cases: Path) -> None:
    done = railwise("test", str(cases), "--area", "ranks")
    assert done.code == 2
    assert "no case of area ranks" in done.err
    assert "quota, rank" in done.err


def test_wide_tells_why_also_for_what_passed(railwise: Railwise, cases: Path) -> None:
    done = railwise("test", str(cases), "--area", "rank", "-o", "wide")
    assert done.out.count("why: because.") == 2


@pytest.mark.usefixtures("without_time")
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_machines_get_a_list(railwise: Railwise, cases: Path, form: str) -> None:
    done = railwise("test", str(cases), "-o", form)
    assert done.code == 1
    found = json.loads(done.out) if form == "json" else yaml.safe_load(done.out)
    assert found["kind"] == "CaseResultList"
    assert [(item["name"], item["outcome"], item["needs"]) for item in found["items"]] == [
        ("good", "passed", ""),
        ("wrong", "failed", ""),
        ("late", "needs", "the twin"),
        ("file", "passed", ""),
    ]
    assert found["items"][1]["differences"] == ["spec.expect[0]: workload a: state: expected pending, found placed"]


def test_a_case_may_come_from_standard_input(railwise: Railwise) -> None:
    text = _case("piped", "rank", f"{CLUSTER}, expect: [{{workload: a, state: placed}}]")
    assert railwise("test", "-", stdin=text).out.startswith("ok    piped")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kind: Case", "spec"),
        (_case("x", "rank", f"{CLUSTER}, expect: [{{workload: a, sate: placed}}]"), "did you mean 'state'"),
        (_case("x", "rank", "scenario: nowhere.yaml, expect: [stable: true]"), "nowhere.yaml: no such file"),
    ],
)
def test_a_faulty_case_is_an_input_error(railwise: Railwise, text: str, problem: str) -> None:
    done = railwise("test", "-", stdin=text)
    assert done.code == 2
    assert problem in done.err


def test_a_folder_without_cases_is_an_input_error(railwise: Railwise, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = railwise("test", "empty")
    assert done.code == 2
    assert done.err == "error: no file with cases\nhint: in a folder these are *.yaml, *.yml and *.json\n"


def test_a_scenario_of_a_case_may_name_a_fabric_beside_it(railwise: Railwise, folder: Path) -> None:
    place = folder / "policy"
    place.mkdir()
    (folder / "parts").mkdir()
    fabric = folder / "parts" / "fabric.yaml"
    done = railwise("fabric", "generate", "rail-optimised", "--units", "2", "--servers", "2", "-o", str(fabric))
    assert done.code == 0, done.err
    inside = "fabric: FILE, workloads: [{name: a, pods: 2, request: {gpu: 8}, topology: {required: leaf-group}}]"
    expect = "expect: [{workload: a, state: placed}]"
    inline = inside.replace("FILE", "../parts/fabric.yaml")
    (place / "all.yaml").write_text(
        _case("inline", "rank", f"scenario: {{{inline}}}, {expect}")
        + _case("file", "rank", f"scenario: ../parts/wired.yaml, {expect}")
        + _case(
            "lost",
            "rank",
            f"scenario: {{{inside.replace('FILE', 'no.yaml')}}}, expect: [{{error: {{path: spec.fabric}}}}]",
        )
    )
    (folder / "parts" / "wired.yaml").write_text(
        f"apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec: {{{inside.replace('FILE', 'fabric.yaml')}}}\n"
    )
    done = railwise("test", str(place))
    assert done.code == 0, done.out
