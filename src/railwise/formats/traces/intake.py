"""Where the jobs of a stream come together: names, duplicates, bad rows, notes, the clock and the wanted window.

Every reader of a data set is then only the sentence that turns a row into a job. What is the same for all of them is
here: a job's name can be written into a scenario, an id that occurs twice is a fault of the second row, bad rows are
told with file, line and column and either end the reading or are counted, and the clock starts with the first job.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from sys import intern

from msgspec.structs import force_setattr

from railwise.formats.faults import shown
from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.job_trace import MOST_TOLD, JobTrace, LoadOptions, TraceJob
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import format_duration

MOST_JOBS = 2_000_000
"""Jobs that one stream may have."""

LONGEST_NAME = 32
"""A published id that is longer is replaced by the number of its row."""

LONGEST = 63
"""Letters that any name made of a published one has at most."""

_UNFIT = re.compile(r"[^a-z0-9.-]+", re.ASCII)
_HINT = "--skip-bad leaves such rows out and counts them"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Make = Callable[[Cells], TraceJob | None]
"""Turns a row into a job; None: the row is none, and that has been counted."""


class Intake:
    """The jobs of one stream while its files are read."""

    def __init__(self, kind: str, title: str, options: LoadOptions) -> None:
        """Start with nothing."""
        self.kind = kind
        self.title = title
        self.options = options
        self.jobs: list[TraceJob] = []
        self.notes: list[str] = []
        self.absolute = False
        self._counts: Counter[str] = Counter()
        self._bad: list[Fault] = []
        self._skipped = 0
        self._lines: dict[str, int] = {}
        self._names: set[str] = set()
        self._file = ""
        self._prefix = kind
        self._row = 0
        self._present = ("", 0)

    def note(self, text: str) -> None:
        """Tell something that the trace does not say, or what was assumed instead; the same text only once."""
        line = f"{self.kind}: {text}"
        if line not in self.notes:
            self.notes.append(line)

    def count(self, what: str) -> None:
        """Count a row to which something happened that is worth a note: ``jobs that never ran, left out``."""
        self._counts[what] += 1

    def bad(self, source: str, line: int, message: str) -> None:
        """Note a bad row."""
        self._skipped += 1
        if len(self._bad) < MOST_TOLD:
            self._bad.append(Fault(f"{source}:{line}" if line else source, message, _HINT))

    def begin(self, source: str, prefix: str = "") -> None:
        """Go on with another file, whose ids are its own; jobs without a name of their own are called PREFIX-ROW."""
        self._file = source
        self._prefix = fitting(prefix) or self.kind
        self._row = 0
        self._lines.clear()

    def read(self, table: Table, make: Make) -> None:
        """Turn every row of a table into a job; rows that cannot be are bad ones."""
        for cells in table.rows():
            self.next_row()
            try:
                cells.check()
                job = make(cells)
                if job is not None:
                    self.add(job)
            except CellError as error:
                self.bad(table.source, cells.line, str(error))

    def next_row(self) -> None:
        """Count a row, after which a job without an id of its own is called."""
        self._row += 1

    def name(self, published: str, line: int) -> str:
        """Return the name of a job by its published id (empty: it has none); CellError if the id occurred before."""
        self._present = (published, line)
        if published in self._lines:
            raise CellError(f"the id {shown(published)} stands in line {self._lines[published]} already")
        name = fitting(published) if len(published) <= LONGEST_NAME else ""
        if not name or name.isdigit():
            name = f"{self._prefix}-{name or self._row}"
        while name in self._names:
            name = f"{name}-{self._row}"
        return name

    def add(self, job: TraceJob) -> None:
        """Take a job; one without cards only where that was asked for. Names that many jobs share are kept once."""
        if not job.gpus and not self.options.cpu_jobs:
            self.count("jobs without a GPU, left out unless --assume cpu-jobs=yes")
            return
        if len(self.jobs) >= MOST_JOBS:
            hint = "name fewer of its files"
            raise InputError([Fault(self._file, f"more than {MOST_JOBS} jobs", hint)])
        published, line = self._present
        if published:
            self._lines[published] = line
        self._names.add(job.name)
        for field in ("queue", "user", "status"):
            force_setattr(job, field, intern(getattr(job, field)))
        self.jobs.append(job)

    def finish(self) -> JobTrace:
        """Return the stream: sorted, on its own clock, reduced to what was asked for.

        Raises InputError with all bad rows unless they are to be skipped, and where no job is left.
        """
        if self._bad and not self.options.skip_bad:
            more = [Fault("", f"and {self._skipped - len(self._bad)} more bad rows")]
            raise InputError(self._bad + more * (self._skipped > len(self._bad)))
        for what, count in self._counts.items():
            self.note(f"{what}: {count:,}")
        if self._skipped:
            self.note(f"bad rows, left out: {self._skipped:,}, the first at {self._bad[0].text()}")
        if not self.jobs:
            raise InputError([Fault(self._file or self.kind, "no jobs in it", "\n".join(self.notes))])
        self.jobs.sort(key=lambda job: job.submit)
        first = self.jobs[0].submit
        began = (_EPOCH + timedelta(microseconds=first)).strftime("%Y-%m-%d %H:%M:%S") if self.absolute else ""
        jobs = tuple(self._window(first))
        if not jobs:
            span = format_duration(self.jobs[-1].submit - first)
            raise InputError([Fault("--from", f"no job was submitted in that time; the trace is {span} long")])
        return JobTrace(
            self.kind, self.title, jobs, tuple(self.notes), tuple(self._bad), skipped=self._skipped, began=began
        )

    def _window(self, first: int) -> Iterator[TraceJob]:
        """Yield the jobs of the wanted time, on a clock that is 0 at its start; they are set in place, not copied."""
        options = self.options
        start = first + options.start
        taken = 0
        for job in self.jobs:
            if job.submit < start:
                continue
            if (options.until and job.submit >= first + options.until) or (options.jobs and taken >= options.jobs):
                break
            taken += 1
            force_setattr(job, "submit", job.submit - start)
            yield job
        if options.start:
            self.note(f"submissions from {format_duration(options.start)} on; the cluster is empty then")
        if taken < len(self.jobs):
            self.note(f"jobs replayed: {taken:,} of {len(self.jobs):,}")


def fitting(text: str) -> str:
    """Return a text as a name: small letters, digits, dashes and dots, empty if nothing is left."""
    return _UNFIT.sub("-", text[: 4 * LONGEST].lower()).strip(".-")[:LONGEST].strip(".-")
