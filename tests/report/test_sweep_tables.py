"""Tables of sweeps: figures no more exact than their interval, and verdicts only where one can be given."""

from __future__ import annotations

import pytest

from railwise.report.measures import BY_NAME, LESS, MORE, NEITHER
from railwise.report.sweep_tables import Gap, GapRow, Mean, MeanRow, gaps_table, mean_text, means_table, verdict

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


def of(mean: float, half: float | None = None) -> Mean:
    return Mean(mean, half)


@pytest.mark.parametrize(
    ("mean", "name", "signed", "text"),
    [
        (of(2914 * SECOND), "makespan", False, "48m34s"),
        (of(2914 * SECOND, 121 * SECOND), "makespan", False, "48m34s ± 2m1s"),
        (of(7464 * SECOND, 48 * MINUTE), "makespan", False, "2h4m ± 48m"),
        (of(90 * HOUR + MINUTE, 30 * HOUR), "makespan", False, "3d18h ± 1d6h"),
        (of(-700 * SECOND, 0.0), "makespan", True, "−11m40s ± 0s"),
        (of(775, 12), "used", False, "77.5 ± 1.2 %"),
        (of(32, 4), "used", True, "+3.2 ± 0.4 points"),
        (of(3.25, 0.5), "evictions", False, "3.2 ± 0.5"),
        (of(-0.01), "evictions", True, "+0"),
        (of(4_500_000, 3600), "lost", False, "1,250.0 ± 1.0"),
    ],
)
def test_figures(mean: Mean, name: str, signed: bool, text: str) -> None:
    assert mean_text(mean, BY_NAME[name], signed=signed) == text


@pytest.mark.parametrize(
    ("mean", "better", "text"),
    [
        (of(-3, 2), LESS, "better"),
        (of(3, 2), LESS, "worse"),
        (of(3, 2), MORE, "better"),
        (of(3, 2), NEITHER, "higher"),
        (of(-3, 2), NEITHER, "lower"),
        (of(3, 3), MORE, "no difference seen"),
        (of(3), MORE, "one seed says nothing"),
    ],
)
def test_verdicts(mean: Mean, better: str, text: str) -> None:
    assert verdict(mean, better).text == text


def test_columns_are_what_there_is_to_say() -> None:
    means = {
        ("workloads", ""): of(8),
        ("finished", ""): of(7.5),
        ("wait_mean", ""): of(HOUR),
        ("wait_mean", "1-7"): of(2 * HOUR),
        ("wait_median", ""): of(HOUR),
        ("close", "spine"): of(900),
        ("close", "rack"): of(500, 10),
        ("stretch", ""): of(1000),
        ("evictions", ""): of(0),
    }
    labels = [("spec.a.x", "1"), ("spec.b.x", "2"), ("load", "3")]
    found = means_table(["spec.a.x", "spec.b.x", "load"], [MeanRow(labels, "flat", 5, means)])
    assert [column.name for column in found.columns] == [
        *("SPEC.A.X", "SPEC.B.X", "LOAD", "POLICY", "SEEDS", "FINISHED", "WAIT", "IN ONE RACK")
    ]
    assert [cell.text for cell in found.rows[0]] == ["1", "2", "3", "flat", "5", "7.5/8", "1h", "50.0 ± 1.0 %"]
    wide = means_table([], [MeanRow(labels, "flat", 5, means)], wide=True)
    assert [column.name for column in wide.columns][3:] == ["WAIT", "WAIT 50 %", "IN ONE SPINE", "IN ONE RACK"]


def test_rows_are_what_differs() -> None:
    pairs = {
        ("wait_mean", ""): Gap(of(-2 * HOUR, HOUR), -0.25, -150.0, 5, 0, 0),
        ("close", "rack"): Gap(of(100, 10), 1.0, 1.5, 0, 0, 5),
        ("used", ""): Gap(of(0, 0.0), None, None, 0, 5, 0),
    }
    found = gaps_table(["load"], [GapRow([("load", "3")], "flat", pairs)])
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["3", "flat", "wait, mean", "−2h ± 1h", "−25.0 %", "< −100", "5/0/0", "better"],
        ["3", "flat", "inside one rack", "+10.0 ± 1.0 points", "–", "+1.50", "0/0/5", "better"],
    ]
