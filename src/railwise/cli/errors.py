"""Errors as lines on standard error: what is wrong, where, and what to do about it."""

from __future__ import annotations

import os
import sys
import traceback
from enum import IntEnum

import click

from railwise.model.errors import InputError

MOST = 25
"""So many faults of one input are printed; the rest is counted."""


class ExitCode(IntEnum):
    """What the process ends with."""

    OK = 0
    FINDING = 1
    BAD_INPUT = 2
    INTERNAL = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class HintedError(click.ClickException):
    """An error of use with a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Keep both lines."""
        super().__init__(message)
        self.hint = hint


def error_line(message: str) -> None:
    """Print ``error: message``; the first word is red where colours are wanted."""
    _labelled("error", "red", message)


def hint_line(message: str) -> None:
    """Print ``hint: message``."""
    _labelled("hint", "cyan", message)


def warning_line(message: str) -> None:
    """Print ``warning: message``."""
    _labelled("warning", "yellow", message)


def note_line(message: str) -> None:
    """Print ``note: message``: something a result rests on, not something that is wrong."""
    _labelled("note", "cyan", message)


def _labelled(label: str, colour: str, message: str) -> None:
    shown = click.style(label, fg=colour, bold=True) if coloured() else label
    click.echo(f"{shown}: {printable(message)}", err=True, color=True)


def coloured() -> bool:
    """Return whether standard error may be coloured."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stderr.isatty()


def printable(text: str) -> str:
    """Return text that cannot steer a terminal: control characters other than line ends as escapes."""
    return "".join(char if char == "\n" or char.isprintable() else ascii(char)[1:-1] for char in text)


def print_error(error: click.ClickException | Exception) -> None:
    """Print an error that a user can mend."""
    if isinstance(error, InputError):
        _print_faults(error)
    elif isinstance(error, click.ClickException):
        error_line(_plain(error.format_message()))
        hint = _hint_of(error)
        if hint:
            hint_line(hint)
    elif isinstance(error, OSError):
        error_line(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    else:
        error_line(str(error))
        hint = getattr(error, "hint", "")
        if hint:
            hint_line(hint)


def _plain(message: str) -> str:
    """Return a message of click in this program's style: no capital, no full stop."""
    first = message[:1].lower() if message[1:2].islower() else message[:1]
    return (first + message[1:]).removesuffix(".")


def _print_faults(error: InputError) -> None:
    where = f"{error.source}: " if error.source and error.source != "-" else ""
    hints: list[str] = []
    for fault in error.faults[:MOST]:
        error_line(where + fault.text())
        if fault.hint and fault.hint not in hints:
            hints.append(fault.hint)
    if len(error.faults) > MOST:
        error_line(f"{where}and {len(error.faults) - MOST} more")
    for hint in hints:
        hint_line(hint)


def _hint_of(error: click.ClickException) -> str:
    if isinstance(error, HintedError):
        return error.hint
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"see `{error.ctx.command_path} --help`"
    return ""


def print_unexpected(error: Exception) -> None:
    """Print an error of the program itself: one line, and the traceback only where it is asked for."""
    if os.environ.get("RAILWISE_TRACEBACK"):
        traceback.print_exception(error)
    error_line(f"unexpected {type(error).__name__}: {error}".rstrip(": "))
    hint_line("this is a fault of railwise itself; RAILWISE_TRACEBACK=1 shows where, please report it with the input")
