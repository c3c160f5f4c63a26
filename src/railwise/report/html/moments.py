"""The cluster at equally spaced moments of a run, cell by cell: free, out of order, or held by what lies how wide.

It follows from the stints alone. Only nodes on which something changed between two moments are looked at, so that a
month of a large cluster is gone through once and not once for each moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from railwise.model.scenario import Scenario
from railwise.report.pack import FREE, OUT, in_use
from railwise.report.run_data import RunData, Stint


class Series(NamedTuple):
    """Per moment: whole GPUs held, workloads that run, workloads that wait."""

    held: list[int]
    running: list[int]
    waiting: list[int]


def cells(data: RunData, scenario: Scenario, order: Sequence[int], times: Sequence[int]) -> Iterator[bytes]:
    """Yield a small number a node in tree order for each time (µs, ascending); see ``pack`` for their meaning."""
    place = [0] * len(order)
    for position, node in enumerate(order):
        place[node] = position
    cards = [1000 * scenario.nodes[node].card_count() for node in order]
    tenants: list[dict[int, int]] = [{} for _ in order]
    out = [0] * len(order)
    now = bytearray(len(order))
    stints = data.stints
    for begun, ended, off, on in _changes(data, times):
        touched: set[int] = set()
        for index in ended:
            for node, _ in stints[index].places:
                tenants[place[node]].pop(index, None)
                touched.add(place[node])
        for index in begun:
            for node, gpus in stints[index].places:
                here = tenants[place[node]]
                here[index] = here.get(index, 0) + gpus
                touched.add(place[node])
        for node in on:
            out[place[node]] -= 1
            touched.add(place[node])
        for node in off:
            out[place[node]] += 1
            touched.add(place[node])
        for position in touched:
            now[position] = _cell(tenants[position], stints, cards[position], out=out[position] > 0)
        yield bytes(now)


def _cell(tenants: dict[int, int], stints: Sequence[Stint], cards: int, *, out: bool) -> int:
    if not tenants:
        return OUT if out else FREE
    widest = max(stints[index].spread for index in tenants)
    return in_use(widest, partly=sum(tenants.values()) < cards)


def _changes(data: RunData, times: Sequence[int]) -> Iterator[tuple[list[int], list[int], list[int], list[int]]]:
    """Yield per time what changed since the one before: stints begun and ended, nodes gone and back."""
    steps: list[tuple[list[int], list[int], list[int], list[int]]] = [([], [], [], []) for _ in times]
    spans = [(stint.start, stint.end, index) for index, stint in enumerate(data.stints)]
    for (start, end, what), into in (
        *((span, 0) for span in spans),
        *(((one.start, one.end, one.node), 2) for one in data.outages),
    ):
        first, after = _from(times, start), _from(times, end)
        if first < after:
            steps[first][into].append(what)
            if after < len(times):
                steps[after][into + 1].append(what)
    yield from steps


def _from(times: Sequence[int], when: int) -> int:
    """Return the index of the first time that is not before ``when``."""
    low, high = 0, len(times)
    while low < high:
        middle = (low + high) // 2
        if times[middle] < when:
            low = middle + 1
        else:
            high = middle
    return low


def series(data: RunData, scenario: Scenario, times: Sequence[int]) -> Series:
    """Return what holds at each time; at the end of the run everything that is over counts as gone."""
    changes = {name: [0] * (len(times) + 1) for name in ("held", "running", "there")}

    def between(name: str, start: int, end: int, amount: int) -> None:
        changes[name][_from(times, start)] += amount
        changes[name][_from(times, end)] -= amount

    for stint in data.stints:
        between("held", stint.start, stint.end, sum(gpus for _, gpus in stint.places))
        if stint.works:
            between("running", stint.start, stint.end, 1)
    for one, workload in zip(data.jobs, scenario.workloads, strict=True):
        last = one.end if one.end >= 0 else data.end + 1
        between("there", min(workload.submit, last), last, 1)
    held, running, there = (_summed(changes[name][:-1]) for name in ("held", "running", "there"))
    waiting = [max(all_of - some, 0) for all_of, some in zip(there, running, strict=True)]
    return Series([amount // 1000 for amount in held], running, waiting)


def _summed(steps: Sequence[int]) -> list[int]:
    total = 0
    found: list[int] = []
    for step in steps:
        total += step
        found.append(total)
    return found
