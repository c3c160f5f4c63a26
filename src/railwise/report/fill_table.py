"""How full policies get a cluster, as tables: one workload in detail, or many workloads side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from railwise.report.table import GOOD, STRONG, Cell, Column, Table, row, table


class Filled(NamedTuple):
    """What a policy made of one workload: means over ``seeds`` runs, in percent of the capacity.

    ``allocated`` are pairs (demand in percent of the capacity, cards in use); ``least`` and ``most`` the extremes of
    the last one; ``fragmented`` the free cards that the usual pods cannot use there; ``left`` free cards, in cards.
    """

    workload: str
    policy: str
    seeds: int
    allocated: tuple[tuple[int, float], ...]
    least: float
    most: float
    fragmented: float
    left: float


def fill_table(figures: Sequence[Filled]) -> Table:
    """Return a row a policy for one workload; for several a row a workload and a column a policy.

    The fullest cluster is marked.
    """
    workloads = list(dict.fromkeys(figure.workload for figure in figures))
    return _one(figures) if len(workloads) == 1 else _many(figures, workloads)


def _one(figures: Sequence[Filled]) -> Table:
    demands = [percent for percent, _ in figures[0].allocated]
    columns: list[Column | str] = ["POLICY"]
    columns += [Column(f"USED AT {percent} %", right=True) for percent in demands]
    columns += [Column("LEAST", right=True, wide=True), Column("MOST", right=True, wide=True)]
    columns += [Column("FRAGMENTED", right=True), Column("CARDS LEFT", right=True)]
    best = max(_last(figure) for figure in figures)
    rows = []
    for figure in figures:
        used = [Cell(_percent(value)) for _, value in figure.allocated[:-1]]
        last = Cell(_percent(_last(figure)), GOOD if _last(figure) == best else "")
        extremes = [_percent(figure.least), _percent(figure.most)]
        rows.append(
            row(Cell(figure.policy, STRONG), *used, last, *extremes, _percent(figure.fragmented), f"{figure.left:.1f}")
        )
    return table(columns, rows)


def _many(figures: Sequence[Filled], workloads: list[str]) -> Table:
    policies = list(dict.fromkeys(figure.policy for figure in figures))
    of = {(figure.workload, figure.policy): figure for figure in figures}
    columns: list[Column | str] = ["WORKLOAD", *(Column(policy.upper(), right=True) for policy in policies)]
    rows = []
    for workload in workloads:
        values = [_last(of[workload, policy]) for policy in policies]
        cells = [Cell(_percent(value), GOOD if value == max(values) else "") for value in values]
        rows.append(row(Cell(workload, STRONG), *cells))
    return table(columns, rows)


def _last(figure: Filled) -> float:
    return figure.allocated[-1][1]


def _percent(value: float) -> str:
    return f"{value:.2f}"


def fill_document(figures: Sequence[Filled]) -> list[dict[str, object]]:
    """Return an item a workload and policy, percent rounded to 3 digits."""
    return [
        {
            "workload": figure.workload,
            "policy": figure.policy,
            "seeds": figure.seeds,
            "allocated": {str(percent): round(value, 3) for percent, value in figure.allocated},
            "least": round(figure.least, 3),
            "most": round(figure.most, 3),
            "fragmented": round(figure.fragmented, 3),
            "cardsLeft": round(figure.left, 1),
        }
        for figure in figures
    ]
