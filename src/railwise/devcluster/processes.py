"""Processes that outlive who started them: known by a file each, stopped for certain, never confused with others.

A process number alone is no identity, because numbers are used again; so the file also holds when that process began,
and only a process that began then is ever stopped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from railwise.devcluster.errors import ControlPlaneError

PATIENCE = 10.0
"""Seconds a process has to end after it was asked to, before it is ended."""

LAST_LINES = 3

PROC = Path("/proc/self").parent
"""Where Linux tells of processes; other systems have a program for it."""

STARTED = 19
"""The position of the start time behind the state in ``/proc/PID/stat`` (field 22 of proc(5), counted from field 3)."""


class Process(NamedTuple):
    """A process by number and birth; ``birth`` tells it from others that have the number later."""

    pid: int
    birth: str

    def alive(self) -> bool:
        """Return whether it still runs."""
        return birth_of(self.pid) == self.birth != ""


class Daemon(NamedTuple):
    """A program of a cluster: its name, where its process is written down and where it logs."""

    name: str
    pid_file: Path
    log: Path

    def process(self) -> Process | None:
        """Return the process that was started last, None if none is known."""
        try:
            pid, _, birth = self.pid_file.read_text(encoding="utf-8").strip().partition(" ")
        except FileNotFoundError:
            return None
        return Process(int(pid), birth) if pid.isdecimal() else None

    def alive(self) -> bool:
        """Return whether it runs."""
        process = self.process()
        return process is not None and process.alive()

    def start(self, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> Process:
        """Start it in a session of its own, so that the end of a terminal does not end it."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.pid_file.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self.log), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        try:
            pid = os.posix_spawn(command[0], list(command), dict(environment), file_actions=actions, setsid=True)
        except OSError as error:
            raise ControlPlaneError(self.name, f"cannot be started from {command[0]}: {error.strerror}") from None
        process = Process(pid, birth_of(pid))
        self.pid_file.write_text(f"{process.pid} {process.birth}\n", encoding="utf-8")
        return process

    def stop(self) -> bool:
        """Stop it and wait for its end; return whether it ran.

        Raises:
            ControlPlaneError: it may not be stopped by this user.
        """
        process = self.process()
        ran = process is not None and process.alive()
        if process is not None and ran:
            self._end(process)
        self.pid_file.unlink(missing_ok=True)
        return ran

    def _end(self, process: Process) -> None:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(process.pid, sign)
            except ProcessLookupError:
                return
            except PermissionError:
                raise ControlPlaneError(self.name, f"runs as process {process.pid} of another user") from None
            if gone_within(process, PATIENCE):
                return
        raise ControlPlaneError(self.name, f"does not end (process {process.pid})", f"see {self.log}")

    def last_words(self) -> str:
        """Return the last lines of the log."""
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(line[:300] for line in text.splitlines()[-LAST_LINES:])


def gone_within(process: Process, seconds: float) -> bool:
    """Wait for the end of a process; return whether it came in time."""
    end = time.monotonic() + seconds
    while process.alive():
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True


def birth_of(pid: int) -> str:
    """Return what tells a living process from others of its number; empty: it has ended, or there is none."""
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)  # a child that has ended is only gone once somebody has asked
    if PROC.is_dir():
        try:
            text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return ""
        fields = text.rpartition(")")[2].split()
        return "" if fields[0] in ("Z", "X") else fields[STARTED]
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()
