"""What a live scheduler was told and what it decided, as files: a log of decisions, and a recording to live it again.

Both are in the forms of the twin, so that a run on a cluster and a run in virtual time are compared line by line. Each
round writes whole lines in one go and at once: after a crash what is there can be read, but for the last line. Time 0
is when the process began, so each process begins files of its own, and keeps those of the processes before it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from railwise.engine.cycle import Engine, Event
from railwise.formats.decision_log import log_text
from railwise.formats.decision_record import DecisionRecord, altered
from railwise.formats.recording import began_line, round_line
from railwise.model.plan import Plan
from railwise.model.scenario import Scenario

log = logging.getLogger("railwise.journal")

LARGEST = 256 << 20
"""Bytes after which a log goes on in a new file."""

KEPT = 5
"""So many former files are kept: FILE.1 is the newest."""


class LineFile:
    """A file that only grows, by whole lines; what was there under its name is moved aside."""

    def __init__(self, path: Path, largest: int = LARGEST) -> None:
        """Begin the file; with ``largest`` 0 it is never moved aside while it is written.

        Raises:
            OSError: it cannot be written.
        """
        self.path = path
        self._largest = largest
        self._size = 0
        self._handle = self._begin()

    def write(self, text: str) -> None:
        """Append whole lines; a disk that is full is said once, and then nothing is written until the next file."""
        if self._handle < 0 or not text:
            return
        data = text.encode()
        if self._largest and self._size and self._size + len(data) > self._largest:
            os.close(self._handle)
            self._handle = self._begin()
        try:
            while data:
                written = os.write(self._handle, data)
                self._size += written
                data = data[written:]
        except OSError as error:
            log.error("%s: %s; nothing more is written to it", self.path, error.strerror)  # noqa: TRY400 -- said in full
            self.close()

    def close(self) -> None:
        """Write no more."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def _begin(self) -> int:
        if self.path.is_file() and self.path.stat().st_size:
            for number in range(KEPT, 0, -1):
                older = self.path.with_name(f"{self.path.name}.{number - 1}") if number > 1 else self.path
                if older.exists():
                    older.replace(self.path.with_name(f"{self.path.name}.{number}"))
        self._size = 0
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


class Journal:
    """Hears what an engine is told and what it answers, and writes it down where somebody wants that."""

    def __init__(self, decisions: LineFile | None = None, recording: LineFile | None = None) -> None:
        """Keep where to write; None: not at all."""
        self._decisions = decisions
        self._recording = recording
        self._record = DecisionRecord()
        self._first = True

    def began(self, scenario: Scenario, now: int) -> None:
        """Hear that an engine is made of a scenario, at a time in µs."""
        self._first = True
        if self._recording is not None:
            self._recording.write(began_line(now, scenario))
        if self._decisions is not None:
            self._record.begun(scenario, now)

    def told(self, events: Sequence[Event], now: int) -> None:
        """Hear what a round is told, before it decides."""
        if self._recording is not None:
            self._recording.write(round_line(now, events))
        if self._decisions is not None:
            self._record.came_in(events, now)

    def decided(self, plan: Plan, now: int, engine: Engine) -> None:
        """Hear what the round decided."""
        if self._decisions is not None:
            self._record.record(plan, now, engine, altered(engine, first=self._first))
            self._decisions.write(log_text(self._record.taken()))
        self._first = False

    def close(self) -> None:
        """End both files."""
        for file in (self._decisions, self._recording):
            if file is not None:
                file.close()
