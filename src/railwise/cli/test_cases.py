"""``railwise test``: policy tests, one line a case, with what was expected and what was found under each failure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import output_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from railwise.formats.cases.expectation import Verdict
    from railwise.formats.cases.reader import Case
    from railwise.report.table import Cell


@click.command("test")
@click.argument("paths", nargs=-1, required=True, metavar="CASE...")
@click.option(
    "--area", "areas", multiple=True, metavar="AREA", help="Only cases of this area; may be given several times."
)
@output_option
def command(*, paths: tuple[str, ...], areas: tuple[str, ...], form: str) -> int:
    """Run policy tests: what a plan must be on a small cluster.

    CASE is a file of `kind: Case` documents, or a folder with such files. A case that needs what this version cannot do
    yet is named and counts as neither passed nor failed. A case whose workload is refused as Unsupported is named as
    such and fails the run, unless that is what it expects.
    """
    from railwise.cli.output import listing, print_data, print_lines
    from railwise.formats.cases.expectation import Outcome, judge
    from railwise.twin.cases import live_through

    cases = [case for case in _cases(paths) if not areas or case.area in areas]
    if not cases:
        _nothing_to_run(paths, areas)
    verdicts = []
    for case in cases:
        verdict = judge(case, live_through)
        verdicts.append((case, verdict))
        if form not in ("json", "yaml"):
            print_lines(_lines(case, verdict, wide=form == "wide"))
    if form in ("json", "yaml"):
        print_data(listing("CaseResultList", [_item(case, verdict) for case, verdict in verdicts]), form)
    else:
        print_lines([_summary([verdict for _, verdict in verdicts])])
    failed = any(verdict.outcome in {Outcome.FAILED, Outcome.UNSUPPORTED} for _, verdict in verdicts)
    return ExitCode.FINDING if failed else ExitCode.OK


def _cases(paths: Iterable[str]) -> list[Case]:
    """Read all files; what a case or its scenario names as a file is looked up beside it."""
    from dataclasses import replace
    from pathlib import Path

    from railwise.cli.errors import HintedError
    from railwise.cli.sources import STANDARD_INPUT, read_beside, read_sources
    from railwise.formats.cases.reader import read_cases

    names: list[str] = []
    for name in paths:
        folder = Path(name)
        if name != STANDARD_INPUT and folder.is_dir():
            names += sorted(str(path) for pattern in ("*.yaml", "*.yml", "*.json") for path in folder.glob(pattern))
        else:
            names.append(name)
    if not names:
        raise HintedError("no file with cases", "in a folder these are *.yaml, *.yml and *.json")
    cases: list[Case] = []
    for source, data in read_sources(names):
        folder = Path(source).parent
        for case in read_cases(data, source):
            beside = [(folder / case.file).parent if case.file else folder]
            if case.file:
                [(_, document)] = read_sources([str(folder / case.file)])
                case = case.with_document(document)  # noqa: PLW2901 -- the same case, with what it names
            cases.append(replace(case, read_file=partial(read_beside, beside)))
    return cases


def _nothing_to_run(paths: Iterable[str], areas: Iterable[str]) -> None:
    from railwise.cli.errors import HintedError

    known = sorted({case.area for case in _cases(paths) if case.area})
    raise HintedError(f"no case of area {', '.join(areas)}", f"areas of these files: {', '.join(known) or 'none'}")


def _lines(case: Case, verdict: Verdict, *, wide: bool) -> list[Cell | str]:
    from railwise.formats.cases.expectation import Outcome
    from railwise.report.table import Cell

    if verdict.outcome is Outcome.PASSED:
        first = Cell(f"ok    {case.name}", "good")
    elif verdict.outcome is Outcome.FAILED:
        first = Cell(f"FAIL  {case.name}", "bad")
    elif verdict.outcome is Outcome.UNSUPPORTED:
        first = Cell(f"--    {case.name}: Unsupported, {verdict.needs}", "warn")
    else:
        first = Cell(f"--    {case.name}: needs {verdict.needs}", "dim")
    shown = verdict.differences if wide or verdict.outcome is Outcome.FAILED else ()
    details: list[Cell | str] = [f"      {text}" for text in shown]
    if case.notes and (wide or shown):
        details.append(Cell(f"      why: {case.notes}", "dim"))
    return [first, *details]


def _item(case: Case, verdict: Verdict) -> dict[str, object]:
    return {
        "name": case.name,
        "file": case.source,
        "area": case.area,
        "outcome": verdict.outcome.value,
        "differences": list(verdict.differences),
        "needs": verdict.needs,
    }


def _summary(verdicts: list[Verdict]) -> Cell:
    from railwise.formats.cases.expectation import Outcome
    from railwise.report.table import Cell

    counts = {outcome: sum(verdict.outcome is outcome for verdict in verdicts) for outcome in Outcome}
    text = f"{counts[Outcome.PASSED]} passed, {counts[Outcome.FAILED]} failed"
    if counts[Outcome.UNSUPPORTED]:
        text += f", {counts[Outcome.UNSUPPORTED]} unsupported (a rule of theirs is refused)"
    if counts[Outcome.NEEDS]:
        text += f", {counts[Outcome.NEEDS]} not judged (they need more than this version can do)"
    return Cell(text, "bad" if counts[Outcome.FAILED] or counts[Outcome.UNSUPPORTED] else "good")
