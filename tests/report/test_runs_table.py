"""The table of a comparison: it fits a screen, tells better from worse, and claims nothing beyond its seeds."""

from __future__ import annotations

import pytest

from railwise.formats.inputs import read_inputs
from railwise.report.measures import BY_NAME
from railwise.report.run_data import RunData
from railwise.report.runs import runs_document, runs_table
from railwise.report.summary import Difference, Figure, brief_difference, difference_text, figure_text
from railwise.report.table import BAD, DIM, GOOD, Table
from railwise.twin.comparison import compare
from railwise.twin.resample import resample
from railwise.twin.summary import summarise
from tests.conftest import ROOT

BUSY = ROOT / "examples" / "busy-day.yaml"
POLICIES = ("railwise", "spread", "affinity", "flat", "best-fit", "fifo")
HOUR = 3_600_000_000


def runs(policies: int, seeds: int) -> list[RunData]:
    scenario = read_inputs([(str(BUSY), BUSY.read_bytes())])
    drawn = {seed: resample(scenario, seed, "jobs") if seeds > 1 else scenario for seed in range(seeds)}
    return [run.data for run in compare(drawn.__getitem__, POLICIES[:policies], tuple(drawn))]


def width(table: Table) -> int:
    """Return how wide a table is printed, with two blanks between columns."""
    rows = [[column.name for column in table.columns], *([cell.text for cell in row] for row in table.rows)]
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) - 2


@pytest.mark.slow
@pytest.mark.parametrize(("policies", "seeds"), [(1, 1), (3, 1), (4, 1), (6, 1), (3, 3)])
def test_the_narrow_table_fits_a_screen(policies: int, seeds: int) -> None:
    table = runs_table(summarise(runs(policies, seeds)))
    assert width(table) <= 120
    assert len({len(row) for row in table.rows} | {len(table.columns)}) == 1


def test_a_wide_table_and_the_document_hold_every_figure() -> None:
    found = runs(2, 1)
    summary = summarise(found)
    wide = runs_table(summary, wide=True)
    assert len(wide.rows) == len({key for run in found for key in run.measures})
    own, other = runs_document(summary)
    assert own["waitMean"] == found[0].measures["wait_mean", ""]
    assert isinstance(by_level := other["byLevel"], dict)
    assert by_level["rack"]["close"] == found[1].measures["close", "rack"]
    assert isinstance(gaps := other["differences"], dict)
    assert gaps["waitMean"] == found[1].measures["wait_mean", ""] - found[0].measures["wait_mean", ""]


def tones(summary_runs: list[RunData], title: str) -> list[str]:
    return next([cell.tone for cell in row] for row in runs_table(summarise(summary_runs)).rows if row[0].text == title)


def test_better_and_worse_follow_the_measure() -> None:
    found = runs(2, 1)
    assert tones(found, "wait, mean")[-1] == BAD
    assert tones(found, "wait, median")[-1] == GOOD
    assert tones(found, "GPUs at work")[-1] == BAD
    assert tones(found, "finished")[-1] == DIM


@pytest.mark.parametrize(
    ("name", "figure", "text"),
    [
        ("wait_mean", Figure(1.5 * HOUR, None, 1), "1h30m"),
        ("wait_mean", Figure(1.5 * HOUR + 31_000_000, 0.5 * HOUR, 5), "1h31m ± 30m"),
        ("wait_mean", Figure(50.4 * HOUR, 21 * HOUR, 5), "2d2h ± 21h"),
        ("held", Figure(700, 12.0, 5), "70.0 ± 1.2 %"),
        ("stretch", Figure(1070, 110, 5), "1.07 ± 0.11 ×"),
        ("lost", Figure(72_000, 36_000, 5), "20 ± 10 GPU-hours"),
        ("finished", Figure(27, 0.0, 5), "27"),
        ("held", None, ""),
    ],
)
def test_figures(name: str, figure: Figure | None, text: str) -> None:
    assert figure_text(BY_NAME[name], figure) == text


@pytest.mark.parametrize(
    ("name", "difference", "text", "brief"),
    [
        ("wait_mean", Difference(HOUR, None, 0.5, 1), "+50 %", "+50 %"),
        ("wait_mean", Difference(-HOUR, None, -0.05, -1), "−5.0 %", "−5.0 %"),
        ("wait_mean", Difference(HOUR, HOUR / 2, 0.5, 1), "+50 % ± 25", "+50 %"),
        ("wait_mean", Difference(HOUR, 2 * HOUR, 0.5, 0), "+50 % ± 100", "+50 % ?"),
        ("wait_mean", Difference(HOUR, None, 46.0, 1), "× 47", "× 47"),
        ("wait_mean", Difference(HOUR, None, None, 1), "+1h", "+1h"),
        ("wait_mean", Difference(0, None, 0.0, 0), "=", "="),
        ("held", Difference(-41, None, -0.05, -1), "−4.1 pt", "−4.1 pt"),
        ("held", Difference(10, 25, 0.01, 0), "+1.0 pt ± 2.5", "+1.0 pt ?"),
        ("held", Difference(0.2, None, 0.0, 1), "=", "="),
        ("held", None, "", ""),
    ],
)
def test_differences(name: str, difference: Difference | None, text: str, brief: str) -> None:
    assert difference_text(BY_NAME[name], difference) == text
    assert brief_difference(BY_NAME[name], difference) == brief
