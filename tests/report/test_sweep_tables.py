"""Tables of sweeps: figures no more exact than their interval, and verdicts only where one can be given."""

from __future__ import annotations

import pytest

from railwise.report.sweep_tables import (
    COUNT,
    GPU_HOURS,
    SHARE,
    TIME,
    differences_table,
    mean_text,
    means_table,
    verdict,
)
from railwise.twin.statistics import Estimate, Paired

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


def of(mean: float, half: float | None = None) -> Estimate:
    return Estimate(5, mean, half, half)


@pytest.mark.parametrize(
    ("mean", "unit", "signed", "text"),
    [
        (of(2914 * SECOND), TIME, False, "48m34s"),
        (of(2914 * SECOND, 121 * SECOND), TIME, False, "48m34s ± 2m1s"),
        (of(7464 * SECOND, 48 * MINUTE), TIME, False, "2h4m ± 48m"),
        (of(90 * HOUR + MINUTE, 30 * HOUR), TIME, False, "3d18h ± 1d6h"),
        (of(-700 * SECOND, 0.0), TIME, True, "−11m40s ± 0s"),
        (of(775, 12), SHARE, False, "77.5 ± 1.2 %"),
        (of(32, 4), SHARE, True, "+3.2 ± 0.4 points"),
        (of(3.25, 0.5), COUNT, False, "3.2 ± 0.5"),
        (of(-0.01), COUNT, True, "+0"),
        (of(4_500_000, 3600), GPU_HOURS, False, "1,250.0 ± 1.0"),
    ],
)
def test_figures(mean: Estimate, unit: str, signed: bool, text: str) -> None:
    assert mean_text(mean, unit, signed=signed) == text


@pytest.mark.parametrize(
    ("mean", "better", "text"),
    [
        (of(-3, 2), -1, "better"),
        (of(3, 2), -1, "worse"),
        (of(3, 2), 1, "better"),
        (of(3, 2), 0, "higher"),
        (of(-3, 2), 0, "lower"),
        (of(3, 3), 1, "no difference seen"),
        (of(3), 1, "one seed says nothing"),
    ],
)
def test_verdicts(mean: Estimate, better: int, text: str) -> None:
    assert verdict(mean, better).text == text


def test_columns_are_what_there_is_to_say() -> None:
    means = {"workloads": of(8), "finished": of(7.5), "wait_mean": of(HOUR), "evictions": of(0), "lost": of(0)}
    labels = [("spec.a.x", "1"), ("spec.b.x", "2"), ("load", "3")]
    found = means_table(["spec.a.x", "spec.b.x", "load"], [(labels, "flat", 5, means)])
    assert [column.name for column in found.columns] == [
        *("SPEC.A.X", "SPEC.B.X", "LOAD", "POLICY", "SEEDS", "FINISHED", "WAIT MEAN")
    ]
    assert [cell.text for cell in found.rows[0]] == ["1", "2", "3", "flat", "5", "7.5/8", "1h"]


def test_rows_are_what_differs() -> None:
    pairs = {
        "wait_mean": Paired(of(-2 * HOUR, HOUR), -0.25, -150.0, 5, 0, 0),
        "held": Paired(of(0, 0.0), None, None, 0, 5, 0),
    }
    found = differences_table(["load"], [([("load", "3")], "flat", pairs)])
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["3", "flat", "mean wait", "−2h ± 1h", "−25.0 %", "< −100", "5/0/0", "better"]
    ]
