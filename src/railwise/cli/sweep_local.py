"""Workers of a sweep as processes of this machine.

Each is a fresh interpreter (``spawn``) at the other end of a pipe: the same on every system, and nothing of the parent
leaks in. A pool of the standard library gives up altogether when one of its processes dies, and cannot say over which
run it died; here the pipe of the dead one breaks, and its run is known. Workers end when their parent does, however it
ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from railwise.cli.sweep_team import Outcome, attempt
from railwise.twin.sweep import Cell, Runner

PATIENCE_S: Final = 10.0
"""How long an ended process is waited for."""


class Processes:
    """So many processes with a runner each."""

    def __init__(self, runner: Runner, size: int) -> None:
        """Start them; a process takes a fraction of a second to be there."""
        self.size: Final = size
        self._runner: Final = runner
        self._context: Final = multiprocessing.get_context("spawn")
        self._workers: Final[list[tuple[BaseProcess, Connection]]] = []
        self._idle: Final = set(range(size))
        for _ in range(size):
            self._workers.append(self._start())

    def give(self, worker: int, cell: Cell) -> None:
        """Send a run to a worker; a worker that died meanwhile is replaced first."""
        self._idle.discard(worker)
        try:
            self._workers[worker][1].send(cell)
        except (BrokenPipeError, ConnectionResetError):
            self._replace(worker)
            self._workers[worker][1].send(cell)

    def next(self) -> tuple[int, Outcome]:
        """Wait for the first worker that answers or dies."""
        places = {id(pipe): place for place, (_, pipe) in enumerate(self._workers) if place not in self._idle}
        ready = wait([pipe for place, (_, pipe) in enumerate(self._workers) if place not in self._idle])
        pipe = next(one for one in ready if isinstance(one, Connection))
        worker = places[id(pipe)]
        self._idle.add(worker)
        try:
            outcome: Outcome = pipe.recv()
        except (EOFError, ConnectionResetError):
            return worker, Outcome({}, self._replace(worker), again=True)
        return worker, outcome

    def close(self) -> None:
        """End all processes, in the middle of a run too."""
        for process, pipe in self._workers:
            pipe.close()
            process.terminate()
        for process, _ in self._workers:
            process.join(PATIENCE_S)

    def _start(self) -> tuple[BaseProcess, Connection]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._runner), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def _replace(self, worker: int) -> str:
        """Start another process in place of a dead one; return what the dead one died of."""
        process, pipe = self._workers[worker]
        pipe.close()
        process.join(PATIENCE_S)
        code = process.exitcode
        self._workers[worker] = self._start()
        if code is not None and code < 0:
            return f"its process was killed by {signal.Signals(-code).name}" + (
                ": was there too little memory?" if -code == signal.SIGKILL else ""
            )
        return f"its process ended with exit code {code}"


def _serve(pipe: Connection, runner: Runner) -> None:
    """Live through what comes over the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            cell = pipe.recv()
            pipe.send(attempt(runner, cell))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _end_with_parent() -> None:
    """End this process at once when its parent is gone, also in the middle of a long run."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
