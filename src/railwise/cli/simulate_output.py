"""What a simulation shows and writes: a table of the policies, a report, tables for notebooks, the log of decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from railwise.cli.errors import ExitCode, warning_line
from railwise.cli.export import check_folder, write_tables
from railwise.cli.output import listing, print_data, print_lines, print_table, write_file
from railwise.cli.report_file import report_text, write_report
from railwise.cli.simulate_options import STDOUT, Outputs
from railwise.cli.whole_file import check_writable
from railwise.formats.decision_log import log_text
from railwise.report.exports import Value
from railwise.report.run_data import Comparison
from railwise.report.runs import runs_document, runs_table
from railwise.report.summary import Summary
from railwise.report.wording import SECOND, joined, span
from railwise.twin.comparison import Run
from railwise.twin.summary import summarise


def check(outputs: Outputs) -> None:
    """Complain now about what could not be written after the run."""
    if outputs.report and outputs.report != STDOUT:
        check_writable(Path(outputs.report), "--report")
    if outputs.folder:
        check_folder(Path(outputs.folder), outputs.table_format)


def show(comparison: Comparison, runs: Sequence[Run], policies: Sequence[str], outputs: Outputs) -> int:
    """Print and write what the runs come to, and return the exit code.

    Args:
        comparison: the scenario with the data of the runs, and notes.
        runs: the same runs with their decisions.
        policies: all that were asked for, so that those that did not run can be named.
        outputs: where things go.
    """
    summary = summarise(comparison.runs)
    if outputs.decisions:
        write_file(outputs.decisions, log_text(runs[0].decisions))
    if outputs.prints():
        _print(summary, outputs.form)
    written = _written(comparison, summary, runs, outputs)
    if written and outputs.prints() and outputs.form in ("table", "wide"):
        print_lines(["", *written])
    stopped = next((run for run in comparison.runs if run.stopped), None)
    if stopped is None:
        return ExitCode.OK
    left = [policy for policy in dict.fromkeys(policies) if policy not in comparison.policies()]
    more = f"; {joined(left)} did not run" if left else ""
    warning_line(f"stopped at {span(stopped.end)} of virtual time under {stopped.policy}: a partial result{more}")
    return ExitCode.INTERRUPTED


def _print(summary: Summary, form: str) -> None:
    if form in ("json", "yaml"):
        print_data(listing("RunList", runs_document(summary)), form)
    else:
        print_table(runs_table(summary, wide=form == "wide"), wide=True)


def _written(comparison: Comparison, summary: Summary, runs: Sequence[Run], outputs: Outputs) -> list[str]:
    """Write the files that were asked for, and return a line about each."""
    found: list[str] = []
    if outputs.report == STDOUT:
        click.echo(report_text(comparison, summary), nl=False)
    elif outputs.report:
        size = write_report(Path(outputs.report), comparison, summary)
        found.append(f"The report is in {outputs.report} ({-(-size // 1000)} kB): open it in any browser.")
    if outputs.folder:
        rows = (row for run in runs for row in _decision_rows(run))
        names = write_tables(Path(outputs.folder), outputs.table_format, comparison, summary, rows)
        found.append(f"The data are in {outputs.folder}: {joined(names)}.")
    return found


def _decision_rows(run: Run) -> Iterator[tuple[Value, ...]]:
    for one in run.decisions:
        words = (" ".join(one.nodes), " ".join(one.pods), one.beneficiary)
        facts = json.dumps(one.facts, sort_keys=True) if one.facts else ""
        yield run.data.policy, run.data.seed, one.at / SECOND, one.workload, one.event, *words, facts
