"""What a sweep shows and writes: tables, plain data, a page, and the runs that failed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from railwise.cli.errors import error_line
from railwise.cli.output import print_data, print_lines, print_table
from railwise.cli.sweep_store import Store
from railwise.cli.sweep_team import Failure
from railwise.cli.whole_file import write_whole
from railwise.formats.document_writer import document_text
from railwise.formats.sweep.model import Sweep
from railwise.report.html.page import STYLE_FILES
from railwise.report.html.sweep_page import SweepReport, sweep_page
from railwise.report.sweep_tables import gaps_table, means_table
from railwise.report.wording import counted
from railwise.twin.sweep import Cell, Numbers
from railwise.twin.sweep_results import document, gap_rows, mean_rows, results_of

MOST_FAILURES = 25
"""So many failed runs are printed; the rest is counted."""

Pairs = Sequence[tuple[Cell, Numbers]]


def show(sweep: Sweep, pairs: Pairs, failures: Sequence[Failure], store: Store, form: str) -> None:
    """Print the tables, and leave everything beside the runs as one document."""
    results = results_of(sweep, pairs)
    told = document(sweep, results, pairs)
    told["failed"] = [{"run": one.cell.name(), "error": one.error, "tries": one.tries} for one in failures]
    write_whole(store.folder / "results.json", document_text(told, "json").encode())
    if form in ("json", "yaml"):
        print_data(told, form)
    elif pairs:
        wide = form == "wide"
        print_table(means_table(_axes(sweep), mean_rows(results), wide=wide))
        if results.comparisons:
            print_lines(["", f"Compared with {sweep.against}, seed by seed (95 % intervals):", ""])
            print_table(gaps_table(_axes(sweep), gap_rows(results)))


def write_page(path: Path, sweep: Sweep, pairs: Pairs, failures: Sequence[Failure]) -> None:
    """Write the results as a page."""
    results = results_of(sweep, pairs)
    report = SweepReport(
        name=sweep.name,
        against=sweep.against,
        told=_told(sweep, len(pairs)),
        axes=_axes(sweep),
        means=mean_rows(results),
        gaps=gap_rows(results),
        failed=[f"{one.cell.name()}: {one.error}" for one in failures],
    )
    folder = files("railwise.report.html")
    style = "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in STYLE_FILES)
    write_whole(path, sweep_page(report, style).encode())


def print_failures(failures: Sequence[Failure]) -> None:
    """Print the runs that were given up, each with its error."""
    for failure in failures[:MOST_FAILURES]:
        tried = f" (tried {failure.tries} times)" if failure.tries > 1 else ""
        error_line(f"{failure.cell.name()}: {failure.error}{tried}")
    if len(failures) > MOST_FAILURES:
        error_line(f"and {len(failures) - MOST_FAILURES} more runs failed")


def _axes(sweep: Sweep) -> list[str]:
    return [axis.name for axis in sweep.axes if len(axis.choices) > 1]


def _told(sweep: Sweep, runs: int) -> list[str]:
    """Return in sentences what was run."""
    who = f"{', '.join(sweep.policies)} with {counted(len(sweep.seeds), 'seed')}"
    lines = [f"{runs} of {counted(sweep.size(), 'run')}: {who}"]
    if sweep.resample:
        lines[0] += f", each with other arrivals ({sweep.resample[0]})"
    fixed: list[str] = []
    varied: list[str] = []
    for axis in sweep.axes:
        labels = [one.label for one in axis.choices]
        if len(labels) > 1:
            varied.append(f"{axis.name} ({', '.join(labels)})")
        else:
            fixed.append(f"{axis.name} {labels[0]}")
    lines[0] += "."
    if varied:
        lines.append(f"Varied: {'; '.join(varied)}.")
    if fixed:
        lines.append(f"Set: {'; '.join(fixed)}.")
    return lines
