"""Logs on the disk: whole lines, former ones kept, a full disk said once."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from railwise.controllers.journal import KEPT, Journal, LineFile
from railwise.engine.cycle import Engine
from railwise.formats.decision_log import read_log
from railwise.formats.inputs import read_inputs
from tests.conftest import ROOT


def test_each_process_begins_anew_and_keeps_the_former_ones(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for number in range(KEPT + 3):
        file = LineFile(path)
        file.write(f"{number}\n")
        file.close()
    found = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert found == {"log": "7\n", **{f"log.{age}": f"{7 - age}\n" for age in range(1, KEPT + 1)}}


def test_a_long_log_goes_on_in_a_new_file_between_lines(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "log", largest=20)
    for number in range(5):
        file.write(f"line number {number}\n")
    file.close()
    assert (tmp_path / "log").read_text() == "line number 4\n"
    assert (tmp_path / "log.4").read_text() == "line number 0\n"


def test_an_empty_file_is_not_kept(tmp_path: Path) -> None:
    LineFile(tmp_path / "log").close()
    LineFile(tmp_path / "log").close()
    assert [one.name for one in tmp_path.iterdir()] == ["log"]


def test_a_full_disk_is_said_once_and_does_not_stop_the_scheduler(caplog: pytest.LogCaptureFixture) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    file = LineFile(full)
    with caplog.at_level(logging.ERROR):
        file.write("one\n")
        file.write("two\n")
    assert [record.getMessage() for record in caplog.records] == [
        "/dev/full: No space left on device; nothing more is written to it"
    ]


def test_what_a_round_decides_is_on_the_disk_at_once(tmp_path: Path) -> None:
    data = (ROOT / "examples" / "small-mix.yaml").read_bytes()
    scenario = read_inputs([("small-mix.yaml", data)])
    journal = Journal(LineFile(tmp_path / "log"), LineFile(tmp_path / "recording", largest=0))
    engine = Engine(scenario)
    journal.began(scenario, 3)
    journal.told((), 5)
    journal.decided(engine.cycle((), 5), 5, engine)
    found = read_log((tmp_path / "log").read_bytes(), "log")
    assert {one.at for one in found} == {3, 5}
    assert len((tmp_path / "recording").read_text().splitlines()) == 2
    journal.close()
    journal.told((), 9)
    assert len((tmp_path / "recording").read_text().splitlines()) == 2
