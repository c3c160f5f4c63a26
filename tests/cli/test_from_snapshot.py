"""``railwise simulate --from-snapshot``: what runs holds its places for the rest of its time, and others arrive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Railwise
from tests.conftest import SHARED

MINUTE = 60_000_000
SNAP = ("simulate", "--from-snapshot", "monday.yaml")
PHILLY = SHARED / "traces" / "philly" / "philly.csv.gz"


def ends(log: str) -> dict[str, int]:
    """Return when each workload ends, in minutes."""
    lines = [json.loads(line) for line in log.splitlines()]
    return {line["workload"]: line["at"] // MINUTE for line in lines if line["event"] == "finished"}


def test_what_runs_goes_on_for_the_rest_of_its_duration(railwise: Railwise) -> None:
    done = railwise(*SNAP, "--decisions", "-")
    assert ends(done.out) == {"llama": 30, "tune": 30, "wide": 90}
    assert "never end: 1 of 3" in done.err


def test_what_tells_no_duration_ends_when_it_is_said(railwise: Railwise) -> None:
    done = railwise(*SNAP, "--remaining", "45m", "--decisions", "-")
    assert ends(done.out) == {"llama": 30, "tune": 30, "resident": 45, "wide": 90}
    assert "1 of 3; 45m left of each" in done.err


def test_work_done_before_the_record_is_not_counted(railwise: Railwise) -> None:
    data = json.loads(railwise(*SNAP, "--remaining", "45m", "-o", "json").out)
    (run,) = data["items"]
    assert run["used"] == run["held"] == 750


def test_files_arrive_at_the_record_and_logs_are_compared(railwise: Railwise, folder: Path) -> None:
    job = {"name": "late", "pods": 1, "request": {"gpu": 8}, "submit": "5m", "duration": "10m"}
    document = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "more"}}
    (folder / "more.json").write_text(json.dumps({**document, "spec": {"workloads": [job]}}))
    railwise(*SNAP, "--decisions", "without.jsonl")
    railwise(*SNAP, "more.json", "--decisions", "with.jsonl")
    assert railwise("diff", "without.jsonl", "without.jsonl").code == 0
    differs = railwise("diff", "without.jsonl", "with.jsonl")
    assert differs.code == 1
    assert "were told different things at 5m" in differs.out
    again = railwise(*SNAP, "more.json", "--decisions", "-")
    assert again.out == (folder / "with.jsonl").read_text()
    assert ends(again.out)["late"] == 15


@pytest.mark.skipif(not PHILLY.exists(), reason="the trace is not there")
@pytest.mark.slow
def test_a_trace_arrives_at_the_record(railwise: Railwise) -> None:
    done = railwise(*SNAP, "--trace", "philly", str(PHILLY), "--jobs", "20", "--until", "20h", "--decisions", "-")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["workload"] for line in lines if line["event"] == "running"] == ["llama", "resident", "tune"]
    assert sum(line["event"] == "submitted" for line in lines) > 1
    assert "left out" not in done.err


@pytest.mark.parametrize(
    ("options", "says", "hint"),
    [
        (("--remaining", "2h", "one-day.yaml"), "goes with --from-snapshot", "--from-snapshot snap.yaml"),
        ((*SNAP[1:], "--remaining", "soon"), "--remaining soon", "such as 2h"),
        ((*SNAP[1:], "--remaining", "-1h"), "nothing is left", "such as 2h"),
        (("--from-snapshot", "nowhere.yaml"), "nowhere.yaml: no such file", "did you mean"),
        ((*SNAP[1:], "--cluster", "4x8", "--trace", "philly", "x"), "both a cluster", "leave one of them out"),
    ],
)
def test_bad_options_say_what_to_do(railwise: Railwise, options: tuple[str, ...], says: str, hint: str) -> None:
    done = railwise("simulate", *options)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert hint in done.err.split("hint:")[1]
