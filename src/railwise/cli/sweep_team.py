"""Working off a list of runs with several workers: who gets what, what is tried again, what is given up.

Workers are processes here or actors on a Ray cluster; both are a ``Team``. A worker that dies loses the run it had in
hand and nothing else, and is replaced. Results do not depend on who made them, nor on when.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from railwise.twin.sweep import Cell, Numbers, Runner


class Outcome(NamedTuple):
    """What came of a run: its numbers, or an error; ``again``: another try may end otherwise."""

    numbers: Numbers
    error: str = ""
    again: bool = False


class Failure(NamedTuple):
    """A run that was given up: its error, and how often it was tried."""

    cell: Cell
    error: str
    tries: int


class Team(Protocol):
    """Workers, numbered from 0. Each has one run in hand at a time."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def give(self, worker: int, cell: Cell) -> None:
        """Let a worker that has nothing in hand live through a run."""
        ...

    def next(self) -> tuple[int, Outcome]:
        """Wait until a worker is done or dead, and return which one and what came of it."""
        ...

    def close(self) -> None:
        """Stop all workers at once."""
        ...


def attempt(runner: Runner, cell: Cell) -> Outcome:
    """Live through a run in a worker; whatever goes wrong is its outcome, so that the others go on."""
    from railwise.model.errors import InputError, RailwiseError

    try:
        return Outcome(runner.live(cell))
    except InputError as error:
        return Outcome({}, "; ".join(fault.text() for fault in error.faults[:3]))
    except (RailwiseError, OSError) as error:
        return Outcome({}, str(error), again=True)
    except Exception as error:  # noqa: BLE001 -- a fault of one run is told at its name, with all others done
        return Outcome({}, f"{type(error).__name__}: {error}", again=True)


def work_off(
    team: Team,
    cells: Sequence[Cell],
    tries: int,
    done: Callable[[Cell, Numbers], None],
    failed: Callable[[Failure], None],
) -> None:
    """Live through all cells, each at most so many times; report each result and each failure as it comes."""
    waiting = deque((cell, 1) for cell in cells)
    busy: dict[int, tuple[Cell, int]] = {}
    idle = deque(range(team.size))
    while waiting or busy:
        while waiting and idle:
            worker = idle.popleft()
            busy[worker] = waiting.popleft()
            team.give(worker, busy[worker][0])
        worker, outcome = team.next()
        cell, number = busy.pop(worker)
        idle.append(worker)
        if not outcome.error:
            done(cell, outcome.numbers)
        elif outcome.again and number < tries:
            waiting.append((cell, number + 1))
        else:
            failed(Failure(cell, outcome.error, number))
