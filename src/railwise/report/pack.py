"""What a page draws over time, in few bytes: whole numbers of variable length, runs of equal cells, only what changed.

Ten thousand nodes at a hundred moments are a million cells. Neighbours in the tree mostly hold the same and change at
the same moment, so a moment is written as the runs of nodes that differ from the moment before. A number takes as many
bytes of seven bits as it needs, lowest first. The page undoes it in a few lines of script.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence

from railwise.report.run_data import ENDINGS, Stint

FREE = 0
OUT = 1
FIRST_SPREAD = 2
"""A cell is free, out of order, or in use: twice the spread of what is there from here on, one more: partly in use."""

IDLE = len(ENDINGS)

_SEVEN = 0x7F
_MORE = 0x80


def number(value: int) -> bytes:
    """Return a whole number from 0 on, seven bits a byte, lowest first; the last byte has no top bit."""
    found = bytearray()
    while value > _SEVEN:
        found.append(value & _SEVEN | _MORE)
        value >>= 7
    found.append(value)
    return bytes(found)


def signed(value: int) -> int:
    """Return a whole number from 0 on for any whole number, small for small ones."""
    return 2 * value if value >= 0 else -2 * value - 1


def text(data: bytes) -> str:
    """Return bytes as text for a page."""
    return b64encode(data).decode("ascii")


def in_use(spread: int, *, partly: bool) -> int:
    """Return the cell of a node that is used by what is spread so wide."""
    return FIRST_SPREAD + 2 * spread + partly


def frames(cells: Iterable[Sequence[int]], nodes: int, kinds: int) -> bytes:
    """Return moments as changes: per moment the number of runs, then each run of nodes with another cell than before.

    A run is one number, (2 × nodes skipped + whether it is longer than one) × kinds + cell, and its length less two
    where it is longer.

    Args:
        cells: per moment a small number for each node.
        nodes: how many there are; before the first moment all are 0.
        kinds: how many different cells there can be.
    """
    found = bytearray()
    before: Sequence[int] = bytes(nodes)
    for now in cells:
        runs = _changes(before, now)
        found += number(len(runs))
        at = 0
        for first, length, cell in runs:
            found += number((2 * (first - at) + (length > 1)) * kinds + cell)
            if length > 1:
                found += number(length - 2)
            at = first + length
        before = bytes(now)
    return bytes(found)


def _changes(before: Sequence[int], now: Sequence[int]) -> list[tuple[int, int, int]]:
    runs: list[tuple[int, int, int]] = []
    index, size = 0, len(now)
    while index < size:
        if now[index] == before[index]:
            index += 1
            continue
        first, cell = index, now[index]
        last = index
        while index < size and now[index] == cell:
            if now[index] != before[index]:
                last = index
            index += 1
        runs.append((first, last + 1 - first, cell))
        index = last + 1
    return runs


def stints(chosen: Sequence[Stint], place: Sequence[int], job_index: dict[int, int], tick: int) -> bytes:
    """Return stints in order of their start.

    Each is: job, ticks since the start before, ticks it lasted, how it ended (4 more: nothing worked), how wide it lay,
    the number of runs, and
    per run: nodes skipped (signed), length, GPUs (twice the whole cards, or twice the thousandths and one).

    Args:
        chosen: the stints.
        place: of each node of the scenario, its place in the tree.
        job_index: the number under which the page knows a job.
        tick: µs of a tick.
    """
    found = bytearray(number(len(chosen)))
    before = 0
    for one in sorted(chosen, key=lambda stint: (stint.start, stint.job)):
        start, end = max(one.start, 0) // tick, max(one.end, 0) // tick
        found += number(job_index[one.job]) + number(start - before) + number(max(end - start, 0))
        found += bytes((ENDINGS.index(one.ending) + (0 if one.works else IDLE), one.spread))
        runs = _node_runs(one, place)
        found += number(len(runs))
        at = 0
        for first, length, gpus in runs:
            found += number(signed(first - at)) + number(length)
            found += number(2 * (gpus // 1000) if gpus % 1000 == 0 else 2 * gpus + 1)
            at = first + length
        before = start
    return bytes(found)


def _node_runs(stint: Stint, place: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (first place, length, GPUs on each) of neighbours in the tree that hold as many GPUs."""
    on: dict[int, int] = {}
    for node, gpus in stint.places:
        on[place[node]] = on.get(place[node], 0) + gpus
    runs: list[tuple[int, int, int]] = []
    for node in sorted(on):
        if runs and runs[-1][0] + runs[-1][1] == node and runs[-1][2] == on[node]:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, on[node])
        else:
            runs.append((node, 1, on[node]))
    return runs
