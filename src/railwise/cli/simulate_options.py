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
