"""Runs under several policies as a table: a row a policy, times and shares as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from railwise.report.table import STRONG, Cell, Column, Table, row, table
from railwise.report.wording import gpu_time, span

NONE = "–"


def runs_table(runs: Sequence[tuple[str, Mapping[str, int]]]) -> Table:
    """Return a row per (policy, numbers of ``Metrics`` by name)."""
    columns: list[Column | str] = [
        "POLICY",
        Column("FINISHED", right=True),
        Column("WAIT MEAN", right=True),
        Column("MEDIAN", right=True),
        Column("95 %", right=True),
        Column("COMPLETION", right=True),
        Column("MAKESPAN", right=True),
        Column("GPUS HELD", right=True),
        Column("CLOSE", right=True),
        Column("EVICTED", right=True),
        Column("LOST", right=True),
    ]
    rows = [
        row(
            Cell(policy, STRONG),
            f"{numbers['finished']}/{numbers['workloads']}",
            *(_time(numbers[name]) for name in ("wait_mean", "wait_median", "wait_95", "completion", "makespan")),
            _share(numbers["held"]),
            _share(numbers["close"]),
            str(numbers["evictions"]),
            gpu_time(numbers["lost"]),
        )
        for policy, numbers in runs
    ]
    return table(columns, rows)


def _time(micros: int) -> str:
    return NONE if micros < 0 else span(micros)


def _share(thousandths: int) -> str:
    return NONE if thousandths < 0 else f"{thousandths / 10:.1f} %"
