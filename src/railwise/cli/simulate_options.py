"""Where the results of a simulation go: the options, and their values as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from railwise.cli.options import output_option

STDOUT = "-"
FORMATS = ("csv", "parquet")


@dataclass(frozen=True)
class Outputs:
    """The form of what is printed, a report, a folder of tables in a format, a log of decisions; empty: not wanted."""

    form: str = "table"
    report: str = ""
    folder: str = ""
    table_format: str = "csv"
    decisions: str = ""

    def prints(self) -> bool:
        """Return whether standard output is free for a table or a document."""
        return STDOUT not in (self.report, self.decisions)


@dataclass(frozen=True)
class Draws:
    """How many seeds each policy runs with, and how a seed draws the arrivals (empty: as they stand).

    ``mtbf`` and ``repair`` are mean times of every node as text (empty: nodes fail only as the document says).
    """

    seeds: int = 1
    resample: str = ""
    mtbf: str = ""
    repair: str = ""


def draws_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--seeds``, ``--resample``, ``--mtbf`` and ``--repair``, which come together as ``draws``."""

    @wraps(command)
    def known(*, seeds: int, resample: str, mtbf: str, repair: str, **rest: Any) -> Any:  # noqa: ANN401 -- click's own
        return command(draws=Draws(seeds, resample, mtbf, repair), **rest)

    known = click.option(
        "--repair", default="1h", show_default=True, metavar="DURATION", help="With --mtbf: mean time until repaired."
    )(known)
    known = click.option(
        "--mtbf", default="", metavar="DURATION", help="Let each node fail by chance, so often in the mean (as in 30d)."
    )(known)
    known = click.option(
        "--resample",
        default="",
        metavar="WAY",
        help="How each seed draws arrivals: shuffle, jobs, blocks or blocks:6h; default: as they stand.",
    )(known)
    return click.option(
        "--seeds",
        type=click.IntRange(1, 1000),
        default=1,
        metavar="N",
        help="Runs of each policy, with seeds from the document's own on; several give confidence intervals.",
    )(known)


def outputs_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``-o``, ``--report``, ``--out``, ``--format`` and ``--decisions``, which come together as ``outputs``."""

    @wraps(command)
    def known(
        *,
        form: str,
        report: str,
        folder: str,
        table_format: str,
        decisions: str,
        **rest: Any,  # noqa: ANN401 -- click's own
    ) -> Any:  # noqa: ANN401
        return command(outputs=Outputs(form, report, folder, table_format, decisions), **rest)

    for option in reversed(_OPTIONS):
        known = option(known)
    return known


_OPTIONS: tuple[Callable[..., Any], ...] = (
    output_option,
    click.option(
        "--report", default="", metavar="FILE", help="Write a page for any browser that needs no network; - is stdout."
    ),
    click.option("--out", "folder", default="", metavar="DIR", help="Write the data as tables for notebooks."),
    click.option(
        "--format",
        "table_format",
        type=click.Choice(FORMATS),
        default="csv",
        show_default=True,
        help="The format of those tables; parquet needs railwise[parquet].",
    ),
    click.option(
        "--decisions",
        default="",
        metavar="FILE",
        help="Write the decisions of the first policy, a JSON line each; - is stdout.",
    ),
)
