"""Printing: tables and lines for people, JSON and YAML for machines.

A terminal gets colours and its own width. A pipe gets plain text in full length, so that ``grep`` finds whole names;
``COLUMNS`` sets a width for both. ``NO_COLOR`` turns colours off, and nothing is ever said by colour alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from railwise.cli.errors import printable
from railwise.report.table import Cell, Table

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"good": "green", "warn": "yellow", "bad": "red", "dim": "bright_black", "strong": "bold"}
_ENDLESS = 100_000


def is_terminal() -> bool:
    """Return whether standard output is a terminal that understands colours."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _console() -> Console:
    from rich.console import Console

    terminal = is_terminal()
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else None if terminal else _ENDLESS
    return Console(
        width=width,
        force_terminal=terminal,
        no_color=bool(os.environ.get("NO_COLOR")) or not terminal,
        highlight=False,
        emoji=False,
        markup=False,
        soft_wrap=False,
    )


def print_table(table: Table, *, wide: bool = False) -> None:
    """Print a table: no frame, two blanks between columns, long cells folded to the width, never cut."""
    from rich.table import Table as RichTable
    from rich.text import Text

    view = table.view(wide=wide)
    drawn = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in view.columns:
        drawn.add_column(column.name, justify="right" if column.right else "left", overflow="fold")
    for cells in view.rows:
        drawn.add_row(*(Text(printable(cell.text), style=_STYLES.get(cell.tone, "")) for cell in cells))
    console = _console()
    with console.capture() as captured:
        console.print(drawn)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()), color=True)


def print_lines(lines: Iterable[Cell | str], *, widest: int = 0) -> None:
    """Print lines of text, folded to the width between words, continued at the same indent.

    Args:
        lines: without line ends.
        widest: fold prose at this width even where there is more room (0: no).
    """
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    width = min(console.width, widest or console.width)
    with console.capture() as captured:
        for line in lines:
            cell = line if isinstance(line, Cell) else Cell(line)
            body = cell.text.lstrip(" ")
            indent = len(cell.text) - len(body) + (2 if body.startswith("- ") else 0)
            text = Text(printable(body), style=_STYLES.get(cell.tone, ""))
            for number, part in enumerate(text.wrap(console, max(width - indent, 20))):
                lead = indent if number or not body.startswith("- ") else indent - 2
                console.print(Padding(part, (0, 0, 0, lead), expand=False) if body else "")
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()), color=True)


def print_data(data: object, form: str) -> None:
    """Print plain data as ``json`` or ``yaml``."""
    from railwise.formats.document_writer import document_text

    click.echo(document_text(data, form), nl=False)


def listing(kind: str, items: list[dict[str, object]]) -> dict[str, object]:
    """Return a list document of the given kind."""
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": kind, "items": items}


def write_file(name: str, text: str) -> None:
    """Write a text file, or to standard output for ``-``."""
    if name == "-":
        click.echo(text, nl=False)
    else:
        Path(name).write_text(text, encoding="utf-8")
