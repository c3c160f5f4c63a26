"""Processes that are known by file: found again, stopped for certain, never confused with others."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from railwise.devcluster import processes
from railwise.devcluster.errors import ControlPlaneError
from railwise.devcluster.processes import Daemon, Process, birth_of


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    one = Daemon("sleeper", tmp_path / "run" / "sleeper.pid", tmp_path / "logs" / "sleeper.log")
    yield one
    one.stop()


def test_a_process_is_found_again_by_its_file(daemon: Daemon) -> None:
    assert (daemon.process(), daemon.alive(), daemon.stop()) == (None, False, False)
    started = daemon.start(["/bin/sh", "-c", "echo ready; exec sleep 60"])
    again = Daemon(*daemon)
    assert (again.process(), again.alive()) == (started, True)
    assert os.getsid(started.pid) == started.pid, "it has a session of its own"
    assert again.stop()
    assert (started.alive(), daemon.alive(), daemon.pid_file.exists()) == (False, False, False)


def test_what_it_says_goes_to_its_log(daemon: Daemon) -> None:
    process = daemon.start(["/bin/sh", "-c", "echo one; echo two >&2; echo three; echo four; exit 3"])
    assert processes.gone_within(process, 10)
    assert daemon.last_words() == "two\nthree\nfour"
    assert stat.S_IMODE(daemon.log.stat().st_mode) == 0o600


def test_who_does_not_listen_is_ended(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 0.2)
    process = daemon.start(["/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.05; done"])
    while daemon.last_words() != "deaf":
        assert process.alive()
    assert daemon.stop()
    assert not process.alive()


def test_a_number_that_is_used_again_is_somebody_else(daemon: Daemon) -> None:
    daemon.pid_file.parent.mkdir()
    daemon.pid_file.write_text(f"{os.getpid()} 1\n")
    assert not daemon.alive()
    assert not daemon.stop(), "this test would not survive it"
    assert birth_of(os.getpid()) != ""
    assert not Process(os.getpid(), "").alive()


def test_a_program_that_cannot_be_started_is_an_error(daemon: Daemon) -> None:
    with pytest.raises(ControlPlaneError, match="sleeper cannot be started from /nowhere"):
        daemon.start(["/nowhere"])


@pytest.mark.parametrize("text", ["", "none", "12x 3"])
def test_a_spoiled_file_is_no_process(daemon: Daemon, text: str) -> None:
    daemon.pid_file.parent.mkdir()
    daemon.pid_file.write_text(text)
    assert not daemon.alive()
