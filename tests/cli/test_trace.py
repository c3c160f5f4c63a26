"""``simulate --trace``: what is noted beside the results, and what a user is told who got it wrong."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.cli import data_sets
from tests.cli.conftest import Railwise
from tests.formats.traces import samples

HEADER = "timestamp,duration,num_gpus,gpu_time,cluster\n"
ROWS = (
    "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    "2017-10-09 06:13:03,2951.0,16,47216.0,6214e9\n"
    "2017-10-09 07:02:00,3600.0,8,28800.0,6c71a0\n"
    "2017-10-10 06:20:00,60.0,20,1200.0,6c71a0\n"
)
CASES = {
    "trace-philly": "simulate --trace philly philly.csv.gz --cluster 3x8 --policy railwise --policy fifo",
    "trace-sized": "simulate --trace philly philly.csv.gz",
    "trace-on-scenario": "simulate --trace philly philly.csv.gz --cluster two-units.yaml --until 1h30m --jobs 2",
    "trace-window": "simulate --trace philly philly.csv.gz --cluster 3x8 --from 30m --until 2d -o yaml",
    "trace-bad": "simulate --trace philly broken.csv --cluster 3x8",
    "trace-skip-bad": "simulate --trace philly broken.csv --cluster 3x8 --skip-bad",
    "trace-wrong-header": "simulate --trace itp philly.csv.gz",
    "trace-unknown": "simulate --trace phily philly.csv.gz",
    "trace-no-files": "simulate --trace philly empty",
    "trace-no-file": "simulate --trace philly nowhere.csv",
    "trace-no-size": "simulate --trace philly philly.csv.gz --cluster 0x8",
    "trace-no-cluster": "simulate --trace philly philly.csv.gz --cluster nowhere",
    "trace-no-map": "simulate --trace philly philly.csv.gz --cluster empty",
    "trace-no-assumption": "simulate --trace philly philly.csv.gz --assume durations=1h --assume window=0s",
    "trace-no-window": "simulate --trace philly philly.csv.gz --from 3d",
    "trace-empty-window": "simulate --trace philly philly.csv.gz --from 3d --until 2d",
    "trace-no-start": "simulate --trace philly philly.csv.gz --from soon",
    "trace-without-trace": "simulate two-units.yaml --jobs 5",
}


@pytest.fixture
def traces(folder: Path) -> Path:
    """Put a small trace beside the examples, and one with bad rows."""
    (folder / "philly.csv.gz").write_bytes(gzip.compress((HEADER + ROWS).encode(), mtime=0))
    (folder / "broken.csv").write_text(HEADER + "soon,66.0,1,66.0,a\n" + ROWS + "2017-10-09 07:01:55,66.0,-1,66.0,a\n")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("traces")
def test_output(name: str, railwise: Railwise, golden: Callable[[str, str], None]) -> None:
    done = railwise(*shlex.split(CASES[name]))
    assert bool(done.out) == (done.code == 0)
    told = done._replace(out="") if done.out else done
    golden(f"trace/{name.removeprefix('trace-')}.txt", told.transcript(f"railwise {CASES[name]}"))


@pytest.mark.usefixtures("traces")
def test_the_same_trace_gives_the_same_decisions(railwise: Railwise) -> None:
    first, second = (railwise(*shlex.split(f"{CASES['trace-philly']} --decisions -")) for _ in range(2))
    assert first == second
    lines = [json.loads(line) for line in first.out.splitlines()]
    assert {line["workload"] for line in lines} == {f"philly-{row}" for row in range(1, 5)}


def test_a_map_beside_the_jobs_is_the_cluster(traces: Path, railwise: Railwise) -> None:
    (traces / "set").mkdir()
    (traces / "set" / "philly.csv").write_text(HEADER + ROWS)
    topo = "".join(f"{host:064x},G1,P1,S{host // 2}\n" for host in range(4))
    (traces / "set" / "topo.csv").write_text("ip,DSW,PSW,ASW\n" + topo)
    done = railwise("simulate", "--trace", "philly", "set", "--decisions", "-")
    assert done.code == 0
    assert "p1-s0-1" in done.out
    other = railwise("simulate", "--trace", "philly", "philly.csv.gz", "--cluster", "set", "--decisions", "-")
    assert other.out == done.out


def test_hourly_tables_keep_their_folders_and_bring_their_racks(folder: Path, railwise: Railwise) -> None:
    for name, data in {**samples.asi(), samples.ASI_SERVERS: samples.servers()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    done = railwise("simulate", "--trace", "asi", "data", "-o", "json")
    assert done.code == 0, done.err
    assert "asi: jobs that still ran in the last hour" in done.err
    assert "cluster given" not in done.err


def test_standard_input_is_a_file_of_the_trace(railwise: Railwise) -> None:
    line = "JobID|Submit|Elapsed|State|ReqTRES\n1|2026-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu=16,node=2\n"
    done = railwise("simulate", "--trace", "sacct", "-", "--cluster", "2x8", "--decisions", "-", stdin=line)
    assert done.code == 0
    assert all(word in done.out for word in ("job-1", "node-001", "node-002"))


@pytest.mark.parametrize(
    ("bound", "word"),
    [("LARGEST_FILE", "bytes to read"), ("LARGEST_SUM", "bytes to read"), ("MOST_FILES", "files in it")],
)
def test_what_is_read_is_bounded(
    bound: str, word: str, traces: Path, railwise: Railwise, monkeypatch: pytest.MonkeyPatch
) -> None:
    (traces / "set").mkdir()
    for name in ("philly.csv", "cluster_job_log"):
        (traces / "set" / name).write_text(HEADER + ROWS)
    monkeypatch.setattr(
        data_sets, bound, 1 if bound == "MOST_FILES" else len(HEADER + ROWS) - (bound == "LARGEST_FILE")
    )
    done = railwise("simulate", "--trace", "philly", "set")
    assert done.code == 2
    assert word in done.err


def test_every_golden_is_somebodys() -> None:
    folder = Path(__file__).parent / "golden" / "trace"
    assert {f"trace-{path.stem}" for path in folder.glob("*.txt")} == set(CASES)
