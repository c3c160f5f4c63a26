"""What a simulation writes: a report that is whole or not there, tables that say what they are, partial results."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from railwise.report.exports import EXPORTS
from railwise.twin.recording import Recorder
from tests.cli.conftest import Railwise

DAY = "one-day.yaml"
COMPARED = ("--policy", "railwise", "--policy", "spread")


def data_of(page: str) -> str:
    """Return the data part of a report."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def test_a_report_is_written_and_named(railwise: Railwise, folder: Path) -> None:
    done = railwise("simulate", DAY, *COMPARED, "--report", "out.html")
    assert done.code == 0
    assert "The report is in out.html" in done.out
    assert (folder / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_a_report_goes_to_standard_output_alone(railwise: Railwise) -> None:
    done = railwise("simulate", DAY, "--report", "-")
    assert done.out.startswith("<!doctype html>")
    assert done.out.endswith("</html>\n")


def test_the_data_of_a_report_stay_the_same(railwise: Railwise, golden: Callable[[str, str], None]) -> None:
    page = railwise("simulate", DAY, *COMPARED, "--report", "-").out
    golden("report-data.json", json.dumps(json.loads(data_of(page)), indent=1) + "\n")


@pytest.mark.slow
def test_hash_seeds_do_not_change_a_byte(folder: Path) -> None:
    command = [sys.executable, "-m", "railwise", "simulate", DAY, *COMPARED, "--report", "-"]
    script = "import sys; from railwise.cli.main import main; sys.argv[0] = 'railwise'; main()"
    command[1:3] = ["-c", script]
    pages = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, cwd=folder, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(pages) == 1


@pytest.mark.parametrize(
    ("place", "says", "hint"),
    [
        ("nowhere/out.html", "no such directory: nowhere", "mkdir -p nowhere"),
        (".", "is a directory", "name a file in it"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_run(
    railwise: Railwise, place: str, says: str, hint: str
) -> None:
    done = railwise("simulate", DAY, "--report", place)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert f"hint: {hint}" in done.err


def _limited(folder: Path, size: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a simulation that may write no file larger than ``size`` bytes."""
    script = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        "from railwise.cli.main import main; sys.argv[0] = 'railwise'; main()"
    )
    command = [sys.executable, "-c", script, "simulate", DAY, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_where_there_is_no_room_the_old_report_stays(folder: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)
    (folder / "out.html").write_text("the old one", encoding="utf-8")
    done = _limited(folder, 20_000, "--report", "out.html")
    assert done.returncode == 2
    assert "MEASURE" in done.stdout
    assert "error: out.html: file too large; nothing was written" in done.stderr
    assert "hint: free about 1 MB, or name another place" in done.stderr
    assert (folder / "out.html").read_text(encoding="utf-8") == "the old one"
    assert list(folder.glob(".out.html*")) == []


@pytest.mark.slow
def test_where_there_is_no_room_a_folder_of_tables_is_not_complete(folder: Path) -> None:
    assert _limited(folder, 10_000_000, "--out", "data").returncode == 0
    assert (folder / "data" / "run.json").is_file()
    assert _limited(folder, 1000, "--out", "data").returncode == 2
    assert not (folder / "data" / "run.json").exists()
    assert list((folder / "data").glob(".*")) == []


def test_a_report_keeps_the_mode_and_the_link_of_what_it_replaces(railwise: Railwise, folder: Path) -> None:
    (folder / "real.html").write_text("old", encoding="utf-8")
    (folder / "real.html").chmod(0o640)
    (folder / "out.html").symlink_to("real.html")
    assert railwise("simulate", DAY, "--report", "out.html").code == 0
    assert (folder / "out.html").is_symlink()
    assert (folder / "real.html").stat().st_mode & 0o777 == 0o640
    assert (folder / "real.html").read_text(encoding="utf-8").startswith("<!doctype")


def test_tables_are_what_their_document_says(railwise: Railwise, folder: Path) -> None:
    done = railwise("simulate", DAY, *COMPARED, "--out", "data")
    assert done.code == 0
    index = json.loads((folder / "data" / "run.json").read_text(encoding="utf-8"))
    assert index["kind"] == "SimulationResult"
    assert set(index["tables"]) == {one.name for one in EXPORTS} | {"decisions"}
    assert {path.name for path in (folder / "data").iterdir()} == {
        "run.json",
        *(table["file"] for table in index["tables"].values()),
    }
    for table in index["tables"].values():
        with (folder / "data" / table["file"]).open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert head == [column["name"] for column in table["columns"]]
        assert len(rows) == table["rows"]
        for column, values in zip(table["columns"], zip(*rows, strict=True), strict=bool(rows)):
            if column["type"] in ("number", "integer"):
                assert all(re.fullmatch(r"-?\d+(\.\d+)?|", value) for value in values)
            if column["type"] == "flag":
                assert set(values) <= {"true", "false"}


def test_tables_agree_with_the_figures(railwise: Railwise, folder: Path) -> None:
    railwise("simulate", DAY, *COMPARED, "--out", "data")
    with (folder / "data" / "workloads.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    figures = json.loads(railwise("simulate", DAY, *COMPARED, "-o", "json").out)["items"]
    for item in figures:
        own = [row for row in rows if row["policy"] == item["policy"]]
        waits = [float(row["wait_s"]) for row in own if row["wait_s"]]
        assert int(1e6 * sum(waits) / len(waits)) == item["waitMean"]
        assert sum(float(row["lost_gpu_s"]) for row in own) == item["lost"]
        assert sum(row["state"] == "finished" for row in own) == item["finished"]


def test_parquet_holds_the_same_rows(railwise: Railwise, folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    railwise("simulate", DAY, "--out", "plain")
    done = railwise("simulate", DAY, "--out", "packed", "--format", "parquet")
    assert done.code == 0
    for name in ("workloads", "stints", "metrics"):
        table = parquet.read_table(folder / "packed" / f"{name}.parquet")
        with (folder / "plain" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert table.column_names == list(rows[0])
        first: dict[str, Any] = table.to_pylist()[0]
        assert table.num_rows == len(rows)
        for key, value in first.items():
            text = rows[0][key]
            assert (value is None) == (text == "" and not isinstance(value, str)), key
            if isinstance(value, float):
                assert value == float(text)


def test_without_its_library_parquet_names_the_extra(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = railwise("simulate", DAY, "--out", "data", "--format", "parquet")
    assert (done.code, done.out) == (2, "")
    assert "hint: pip install 'railwise[parquet]'" in done.err


def test_ctrl_c_keeps_what_there_is(railwise: Railwise, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Recorder.see
    moments = []

    def press(self: Recorder, simulation: Any, moment: Any) -> None:
        seen(self, simulation, moment)
        moments.append(moment.at)
        if len(moments) == 20:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Recorder, "see", press)
    names = ("--policy", "railwise", "--policy", "spread", "--policy", "flat")
    done = railwise("simulate", DAY, *names, "--report", "out.html", "--out", "data")
    assert done.code == 130
    assert "SPREAD" in done.out
    assert "FLAT" not in done.out
    assert "of virtual time under spread: a partial result; flat did not run" in done.err
    assert len(moments) == 20
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "was stopped before its end: these are partial results" in page
    runs = json.loads((folder / "data" / "run.json").read_text(encoding="utf-8"))["runs"]
    assert [(run["policy"], run["stopped"]) for run in runs] == [("railwise", False), ("spread", True)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_a_terminal_sees_how_far_a_long_run_is(folder: Path) -> None:
    script = (
        "import sys; import railwise.cli.run_progress as shown; shown.PATIENCE = 0; shown._OFTEN = 0;"
        "from railwise.cli.main import main; sys.argv[0] = 'railwise'; main()"
    )
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script, "simulate", DAY, *COMPARED],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    told = os.read(ours, 1_000_000).decode()
    os.close(ours)
    assert "railwise (1 of 2) at " in told
    assert re.search(r"\d+%", told)
    assert done.stdout.startswith(b"MEASURE")
