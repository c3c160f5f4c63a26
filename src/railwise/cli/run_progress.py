"""How far a simulation is, on standard error, and what Ctrl-C does to it.

Nothing is shown for a second, and nothing at all where standard error is no terminal. The first Ctrl-C ends the run
after the present moment, so that a valid partial result remains; the second one ends the program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from railwise.report.wording import span
from railwise.twin.comparison import Stage, StopRun

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds for which nothing is shown."""

_OFTEN = 0.1


class RunProgress:
    """Shows how far the runs are; ``tell`` is for ``compare``. ``stopped`` says whether somebody pressed Ctrl-C."""

    def __init__(self, until: int = 0) -> None:
        """Note when it began; ``until`` is where runs stop at the latest, µs (0: unknown)."""
        self.stopped = False
        self._until = until
        self._began = time.monotonic()
        self._shown = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._before: Any = None

    def __enter__(self) -> Self:
        """Take Ctrl-C over, where this is the thread that gets it."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away and give Ctrl-C back."""
        if self._bar is not None:
            self._bar.stop()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            signal.default_int_handler(number, frame)
        self.stopped = True
        os.write(2, b"\nstopping after this moment; Ctrl-C again gives up\n")

    def tell(self, stage: Stage) -> None:
        """Show a stage; raises ``StopRun`` where somebody wants the run to end."""
        if self.stopped:
            raise StopRun
        now = time.monotonic()
        if now - self._began < PATIENCE or now - self._shown < _OFTEN:
            return
        self._shown = now
        if self._bar is None:
            if not _shows():
                self._began = float("inf")
                return
            self._bar = _made()
            self._task = self._bar.add_task(_words(stage), total=1.0)
            self._bar.start()
        if self._task is not None:
            self._bar.update(self._task, completed=self._part(stage), description=_words(stage))

    def _part(self, stage: Stage) -> float:
        """Return which part of all runs is done: by arrivals and ends, or by time where that is further."""
        here = stage.done / stage.total if stage.total else 0.0
        if self._until:
            here = max(here, stage.now / self._until)
        return (stage.number + min(here, 1.0)) / stage.runs


def _words(stage: Stage) -> str:
    which = f" ({stage.number + 1} of {stage.runs})" if stage.runs > 1 else ""
    return f"{stage.policy}{which} at {span(stage.now)}"


def _shows() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _made() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")))
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("left", markup=False),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True)
