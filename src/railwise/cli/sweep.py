"""``railwise sweep``: policies × seeds × parameters, lived through side by side, and what differs for certain."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from railwise.cli.errors import ExitCode, hint_line
from railwise.cli.options import output_option

if TYPE_CHECKING:
    from railwise.cli.sweep_store import Store
    from railwise.cli.sweep_team import Failure, Team
    from railwise.formats.sweep.model import Sweep
    from railwise.twin.sweep import Cell, Numbers, Runner
    from railwise.twin.sweep_scenarios import Read

MOST_FILES = 10_000
"""Files of a data set that are looked at."""


class Done(NamedTuple):
    """What there is after some time: the results of runs by their number, and the runs that were given up."""

    numbers: dict[int, tuple[Cell, Numbers]]
    failures: list[Failure]


@click.command("sweep")
@click.argument("file", metavar="FILE")
@output_option
@click.option("--out", metavar="DIR", help="Keep results here, and go on from them; default: named after FILE.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Runs at a time; default: the number of CPUs.")
@click.option("--ray", metavar="ADDRESS", help="Run on the Ray cluster at this address; `local` starts one here.")
@click.option(
    "--tries", type=click.IntRange(1, 100), default=2, show_default=True, help="How often a run that fails is tried."
)
@click.option("--report", default="", metavar="FILE", help="Write a page for any browser that needs no network.")
@click.option("--dry-run", is_flag=True, help="List the runs and stop.")
def command(
    *,
    file: str,
    form: str,
    out: str | None,
    workers: int | None,
    ray: str | None,
    tries: int,
    report: str,
    dry_run: bool,
) -> int:
    """Live through a scenario under every combination of policies, seeds and parameters.

    FILE is a document of kind Sweep. Each finished run is kept in DIR; a sweep that was stopped goes on from there.
    The same FILE gives the same table, however many workers there are.
    """
    from railwise.cli.sweep_output import print_failures, show, write_page
    from railwise.cli.sweep_store import Store
    from railwise.cli.whole_file import check_writable
    from railwise.report.wording import counted
    from railwise.twin.sweep import Runner, cells_of
    from railwise.twin.sweep_scenarios import collect

    if report:
        check_writable(Path(report), "--report")
    sweep = read_sweep_file(file)
    material = collect(sweep, read_files(Path(file).parent))
    cells = cells_of(sweep, material)
    if dry_run:
        for cell in cells:
            click.echo(cell.name())
        return ExitCode.OK
    store = Store(Path(out) if out else Path(f"{Path(file).stem}-results"))
    done = Done({cell.number: (cell, found) for cell in cells if (found := store.load(cell)) is not None}, [])
    todo = [cell for cell in cells if cell.number not in done.numbers]
    before = f", {len(cells) - len(todo)} done before" if len(todo) < len(cells) else ""
    _say(f"{counted(len(cells), 'run')}{before}; results in {store.folder}")
    interrupted = _work(todo, Runner(sweep, material), store, done, (ray, workers, tries)) if todo else False
    pairs = list(done.numbers.values())
    show(sweep, pairs, done.failures, store, form)
    if report:
        write_page(Path(report), sweep, pairs, done.failures)
        if form in ("table", "wide"):
            click.echo(f"\nThe report is in {report}: open it in any browser.")
    print_failures(done.failures)
    if interrupted:
        hint_line(f"the same command goes on: {len(done.numbers)} of {len(cells)} runs are done")
        return ExitCode.INTERRUPTED
    return ExitCode.FINDING if done.failures else ExitCode.OK


def read_sweep_file(file: str) -> Sweep:
    """Return the sweep in a file. Raises HintedError where it cannot be read, InputError for what stands in it."""
    from railwise.cli.sources import read_sources
    from railwise.formats.sweep.reader import read_sweep

    name, data = read_sources([file])[0]
    return read_sweep(data, name)


def read_files(folder: Path) -> Read:
    """Return the function that finds the files that documents name: beside the scenario that names them."""
    from railwise.cli.sources import read_beside, read_sources

    def read(name: str, beside: tuple[str, ...]) -> tuple[tuple[str, bytes], ...]:
        if beside:
            return tuple(read_beside([(folder / path).parent for path in beside], name))
        path = folder / name
        return _data_files(path) if path.is_dir() else tuple(read_sources([str(path)]))

    return read


def _data_files(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the files in and below a folder that belong to a published data set."""
    from railwise.formats.traces.registry import known_name
    from railwise.formats.traces.streams import LOADERS

    files = [path for path in sorted(folder.rglob("*"))[:MOST_FILES] if path.is_file()]
    known = [path for path in files if known_name(path.name) or any(loader.knows(path.name) for loader in LOADERS)]
    return tuple((str(path), path.read_bytes()) for path in known)


def _team(runner: Runner, ray: str | None, workers: int | None) -> Team:
    if ray is not None:
        from railwise.cli.sweep_ray import RayTeam

        return RayTeam(runner, ray, workers or 0)
    from railwise.cli.sweep_local import Processes

    return Processes(runner, workers or 1)


def _work(todo: list[Cell], runner: Runner, store: Store, done: Done, how: tuple[str | None, int | None, int]) -> bool:
    """Live through what is missing; return whether somebody stopped it. What was finished until then is kept."""
    from railwise.cli.sweep_team import work_off

    ray, workers, tries = how
    total = len(done.numbers) + len(todo)

    def finished(cell: Cell, numbers: Numbers) -> None:
        store.save(cell, numbers)
        done.numbers[cell.number] = (cell, numbers)
        _count(len(done.numbers), total, len(done.failures))

    def failed(failure: Failure) -> None:
        done.failures.append(failure)
        _count(len(done.numbers), total, len(done.failures))

    team: Team | None = None
    try:
        team = _team(runner, ray, min(workers or os.cpu_count() or 1, len(todo)) if ray is None else workers)
        work_off(team, todo, tries, finished, failed)
    except KeyboardInterrupt:
        # It may have come between a result's way to the disk and its being counted.
        saved = ((cell, store.load(cell)) for cell in todo if cell.number not in done.numbers)
        done.numbers.update({cell.number: (cell, found) for cell, found in saved if found is not None})
        return True
    finally:
        if team is not None:
            team.close()
        if sys.stderr.isatty():
            click.echo("\r\033[K", err=True, nl=False)
    return False


def _count(done: int, total: int, failed: int) -> None:
    """Show how far it is where somebody looks."""
    if sys.stderr.isatty():
        click.echo(f"\r{done}/{total} runs" + (f", {failed} failed" if failed else ""), err=True, nl=False)


def _say(line: str) -> None:
    click.echo(line, err=True)
