"""Sweeps from the command line: the same table with any number of workers, killed, resumed, and with failing runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.cli.sweep_local import Processes
from railwise.cli.sweep_ray import RayTeam
from railwise.cli.sweep_store import Store
from railwise.cli.sweep_team import Failure, Outcome, Team, attempt, work_off
from railwise.formats.sweep.reader import read_sweep
from railwise.twin.sweep import Cell, Numbers, Runner, cells_of
from railwise.twin.sweep_scenarios import Material
from tests.cli.conftest import Railwise
from tests.conftest import ROOT

LONG = """\
apiVersion: railwise.dev/v1alpha1
kind: Sweep
spec:
  scenario:
    topologies: [{name: fabric, levels: [rack]}]
    nodes: [{name: "n[001-064]", gpus: 8, in: {rack: "r[1-8]"}}]
    workloads:
    - {name: "big-[1-20]", pods: 8, request: {gpu: 8}, topology: {required: rack}, duration: 2h}
    - {name: "mid-[1-50]", pods: 3, request: {gpu: 8}, topology: {preferred: rack}, submit: 20m, duration: 1h}
    - {name: "small-[1-100]", request: {gpu: 2}, submit: 40m, duration: 40m}
  policies: [railwise, flat]
  resample: jobs
  seeds: 6
"""

CLASH = """\
apiVersion: railwise.dev/v1alpha1
kind: Sweep
spec:
  scenario: one-day.yaml
  parameters:
    spec.nodes[0].name: ["gpu-[1-8]", "gpu-[1-6]"]
    spec.nodes[0].in.rack: ["r[1-2]", "r[1-4]"]
"""
"""Each value is sound beside the first of the other; six nodes do not make four racks."""

STARTER = """\
import signal
from railwise.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""The command line with Ctrl-C as at a terminal; whoever runs tests in the background has it ignored."""


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", STARTER, "sweep", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_files(process: subprocess.Popen[str], folder: Path, count: int) -> list[Path]:
    """Return the results that are there as soon as there are so many."""
    while process.poll() is None:
        found = sorted(folder.glob("cells/*.json"))
        if len(found) >= count:
            return found
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(process.communicate()[1])


@pytest.mark.slow
def test_the_table(railwise: Railwise, folder: Path, golden: Callable[[str, str], None]) -> None:
    line = "sweep backfill-sweep.yaml --workers 2"
    golden("sweep/backfill.txt", railwise(*line.split()).transcript(f"railwise {line}"))
    again = railwise(*line.split())
    assert "20 runs, 20 done before" in again.err
    reported = railwise(*line.split(), "--report", "out.html")
    assert reported.out == again.out + "\nThe report is in out.html: open it in any browser.\n"
    assert "Railwise sweep report" in (folder / "out.html").read_text()
    golden("sweep/backfill-wide.txt", railwise(*line.split(), "-o", "wide").transcript(f"railwise {line} -o wide"))


def test_runs_are_listed_without_being_made(railwise: Railwise, folder: Path) -> None:
    done = railwise("sweep", "backfill-sweep.yaml", "--dry-run")
    assert done.out.splitlines()[0] == "policy.backfill=easy railwise seed 0"
    assert len(done.out.splitlines()) == 20
    assert not (folder / "backfill-sweep-results").exists()


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(railwise: Railwise, folder: Path) -> None:
    printed = {
        workers: railwise("sweep", "backfill-sweep.yaml", "--workers", workers, "--out", workers).out
        for workers in ("1", "3")
    }
    assert printed["1"] == printed["3"]
    found = [(folder / workers / "results.json").read_bytes() for workers in printed]
    assert found[0] == found[1]
    names = [sorted(path.name for path in (folder / workers / "cells").iterdir()) for workers in printed]
    assert names[0] == names[1]


@pytest.mark.slow
def test_another_seed_costs_one_seed(railwise: Railwise, folder: Path) -> None:
    railwise("sweep", "backfill-sweep.yaml", "--workers", "1")
    text = (folder / "backfill-sweep.yaml").read_text()
    (folder / "backfill-sweep.yaml").write_text(text.replace("seeds: 5 ", "seeds: 6 "))
    assert "24 runs, 20 done before" in railwise("sweep", "backfill-sweep.yaml", "--workers", "1").err


@pytest.mark.slow
def test_machines_get_every_number(railwise: Railwise) -> None:
    told = json.loads(railwise("sweep", "backfill-sweep.yaml", "--workers", "1", "-o", "json").out)
    assert (told["kind"], len(told["cells"]), len(told["summaries"]), len(told["differences"])) == (
        "SweepResult",
        20,
        4,
        2,
    )
    waits = [
        one["measures"]["waitMean"]
        for one in told["cells"]
        if one["policy"] == "spread" and one["variant"] == {"policy.backfill": "none"}
    ]
    mean = told["summaries"][3]["measures"]["waitMean"]
    assert (mean["mean"], mean["seeds"]) == (sum(waits) / 5, 5)


@pytest.mark.slow
def test_a_failing_run_is_named_and_the_others_are_made(railwise: Railwise, folder: Path) -> None:
    (folder / "clash.yaml").write_text(CLASH)
    done = railwise("sweep", "clash.yaml", "--workers", "1")
    assert done.code == 1
    assert len(done.out.splitlines()) == 4
    assert "error: nodes[0].name=gpu-[1-6] nodes[0].in.rack=r[1-4] railwise seed 0: spec.nodes[0].in.rack" in done.err
    told = json.loads((folder / "clash-results" / "results.json").read_text())
    assert [one["tries"] for one in told["failed"]] == [1]
    again = railwise("sweep", "clash.yaml", "--workers", "1")
    assert (again.code, again.out) == (1, done.out)
    assert "4 runs, 3 done before" in again.err


@pytest.mark.slow
def test_a_spoilt_result_is_made_again(railwise: Railwise, folder: Path) -> None:
    first = railwise("sweep", "backfill-sweep.yaml", "--workers", "1")
    spoilt = sorted((folder / "backfill-sweep-results" / "cells").iterdir())[:3]
    spoilt[0].write_text('{"digest": "')
    spoilt[1].write_text("[]")
    spoilt[2].write_text(spoilt[2].read_text().replace('"digest": "', '"digest": "x'))
    again = railwise("sweep", "backfill-sweep.yaml", "--workers", "1")
    assert "20 runs, 17 done before" in again.err
    assert again.out == first.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nowhere.yaml"], "no such file"),
        (["one-day.yaml"], "expected 'Sweep'"),
        (["backfill-sweep.yaml", "--out", "one-day.yaml"], "is a file, not a folder"),
        (["backfill-sweep.yaml", "--workers", "0"], "--workers"),
        (["backfill-sweep.yaml", "--report", "no/where.html"], "no such directory"),
    ],
)
def test_mistakes(arguments: list[str], text: str, railwise: Railwise) -> None:
    done = railwise("sweep", *arguments)
    assert (done.code, text in done.err) == (2, True), done.err
    assert "Traceback" not in done.err


def test_a_typo_in_a_path_shows_before_anything_runs(railwise: Railwise, folder: Path) -> None:
    text = (folder / "backfill-sweep.yaml").read_text()
    (folder / "typo.yaml").write_text(text.replace("spec.policy.backfill", "spec.policy.backfil"))
    done = railwise("sweep", "typo.yaml")
    assert done.code == 2
    assert "error: one-day.yaml: spec.policy.backfil: unknown field, did you mean 'backfill'?" in done.err
    assert not (folder / "typo-results").exists()


def test_without_ray_the_error_names_the_extra(railwise: Railwise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = railwise("sweep", "backfill-sweep.yaml", "--ray", "local")
    assert (done.code, "pip install 'railwise[ray]'" in done.err) == (2, True)


@pytest.mark.slow
def test_a_killed_sweep_goes_on(railwise: Railwise, folder: Path) -> None:
    (folder / "long.yaml").write_text(LONG)
    process = start("long.yaml", "--workers", "2")
    before = {path: path.stat().st_mtime_ns for path in wait_for_files(process, folder / "long-results", 3)}
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers = [int(pid) for pid in children.read_text().split()] if children.exists() else []
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    for path in (folder / "long-results" / "cells").glob("*.json"):
        before.setdefault(path, path.stat().st_mtime_ns)
        json.loads(path.read_bytes())
    assert len(before) < 12
    resumed = railwise("sweep", "long.yaml", "--workers", "2")
    assert f"12 runs, {len(before)} done before" in resumed.err
    assert all(path.stat().st_mtime_ns == at for path, at in before.items())
    fresh = railwise("sweep", "long.yaml", "--workers", "1", "--out", "fresh")
    assert resumed.out == fresh.out
    assert not [pid for pid in workers if Path(f"/proc/{pid}/cmdline").exists() and _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    """Return whether a process is still one of a sweep, and no zombie."""
    try:
        return b"spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.slow
def test_an_interrupted_sweep_keeps_and_shows_what_is_done(railwise: Railwise, folder: Path) -> None:
    (folder / "long.yaml").write_text(LONG)
    process = start("long.yaml", "--workers", "2")
    wait_for_files(process, folder / "long-results", 2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "POLICY" in out
    kept = len(list((folder / "long-results" / "cells").glob("*.json")))
    assert f"hint: the same command goes on: {kept} of 12 runs are done" in err
    assert "Traceback" not in err
    assert "12 done before" not in railwise("sweep", "long.yaml", "--workers", "2").err


class Dying(Runner):
    """Dies over some runs: always over seed 1, at first over seed 2; over seed 3 it fails at first."""

    def __init__(self, folder: Path) -> None:
        sweep = read_sweep(LONG.encode())
        super().__init__(sweep, Material({}))
        self.folder = folder

    def live(self, cell: Cell) -> Numbers:
        first = not (self.folder / str(cell.seed)).exists()
        (self.folder / str(cell.seed)).touch()
        if cell.seed == 1 or (cell.seed == 2 and first):
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.seed == 3 and first:
            raise ZeroDivisionError("at first")
        if cell.seed == 4:
            raise ZeroDivisionError("always")
        return {("workloads", ""): cell.seed}


def worked_off(team: Team, runner: Runner) -> tuple[dict[int, Numbers], list[Failure]]:
    cells = [cell for cell in cells_of(runner.sweep, runner.material) if cell.policy == "flat"]
    done: dict[int, Numbers] = {}
    failures: list[Failure] = []
    try:
        work_off(team, cells, 2, lambda cell, numbers: done.update({cell.seed: numbers}), failures.append)
    finally:
        team.close()
    return done, failures


@pytest.mark.slow
def test_a_worker_that_dies_loses_its_run_alone(tmp_path: Path) -> None:
    runner = Dying(tmp_path)
    done, failures = worked_off(Processes(runner, 2), runner)
    assert done == {seed: {("workloads", ""): seed} for seed in (0, 2, 3, 5)}
    assert {one.cell.seed: (one.error, one.tries) for one in failures} == {
        1: ("its process was killed by SIGKILL: was there too little memory?", 2),
        4: ("ZeroDivisionError: always", 2),
    }


def test_whatever_goes_wrong_is_an_outcome() -> None:
    known = read_sweep(CLASH.encode())
    cell = cells_of(known, Material({}))[0]
    found = attempt(Runner(known, Material({})), cell)
    assert found == Outcome({}, "[Errno 2] was not read when the sweep began: 'one-day.yaml'", again=True)


def test_a_result_that_cannot_be_kept_leaves_no_half(tmp_path: Path) -> None:
    known = read_sweep(LONG.encode())
    cell = cells_of(known, Material({}))[0]
    store = Store(tmp_path / "out")
    with pytest.raises(TypeError):
        store.save(cell, {("held", ""): object()})  # type: ignore[dict-item]
    numbers = {("held", ""): 1, ("slots_left", "rack/2"): 7}
    store.save(cell, numbers)
    assert store.load(cell) == numbers
    assert [path.suffix for path in (tmp_path / "out" / "cells").iterdir()] == [".json"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning:ray.*", "ignore::ResourceWarning")
def test_a_real_ray_gives_the_same_results_and_survives_its_actors(
    railwise: Railwise, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="needs the extra: pip install 'railwise[ray]'")
    here = railwise("sweep", "backfill-sweep.yaml", "--workers", "2", "--out", "here")
    there = railwise("sweep", "backfill-sweep.yaml", "--workers", "2", "--out", "there", "--ray", "local")
    assert (there.code, there.out) == (0, here.out), there.err
    assert (folder / "here" / "results.json").read_bytes() == (folder / "there" / "results.json").read_bytes()
    paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    runner = Dying(tmp_path)
    done, failures = worked_off(RayTeam(runner, "local", 2), runner)
    assert done == {seed: {("workloads", ""): seed} for seed in (0, 2, 3, 5)}
    assert [one.cell.seed for one in failures] in ([1, 4], [4, 1])
    assert all(one.tries == 2 for one in failures)
