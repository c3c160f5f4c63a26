"""``railwise replay``: a recorded run of a live scheduler, decided once more without the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("replay")
@click.argument("recording", metavar="RECORDING")
@click.option("--decisions", metavar="FILE", help="Write the log of decisions there instead of to standard output.")
@click.option("--check", metavar="LOG", help="Compare with a log of decisions; exit with 1 where the two differ.")
def command(*, recording: str, decisions: str | None, check: str | None) -> int:
    """Decide again what a live scheduler decided, from what it was told.

    RECORDING is a file that `railwise run scheduler --record FILE` wrote. The log of decisions that comes out is the
    one that the scheduler wrote with --decisions, byte for byte; so a decision can be looked into long afterwards, and
    `railwise diff` says where another version would have decided differently.
    """
    from pathlib import Path

    from railwise.cli.errors import note_line
    from railwise.cli.whole_file import check_writable, write_whole

    if decisions:
        check_writable(Path(decisions), "--decisions")
    lines = list(_decided(recording))
    if decisions:
        write_whole(Path(decisions), "".join(lines).encode())
    elif check is None:
        click.echo("".join(lines), nl=False)
    if check is None:
        return ExitCode.OK
    expected = _read(check).decode(errors="replace").splitlines(keepends=True)
    if expected == lines:
        note_line(f"{check}: the same {len(lines)} decisions")
        return ExitCode.OK
    number = next((n for n, (a, b) in enumerate(zip(expected, lines, strict=False), 1) if a != b), 0)
    number = number or min(len(expected), len(lines)) + 1
    click.echo(f"line {number} of {check} differs:")
    for name, some in (("logged", expected), ("again", lines)):
        click.echo(f"  {name}: {some[number - 1].rstrip() if number <= len(some) else 'nothing'}")
    return ExitCode.FINDING


def _decided(recording: str) -> Iterator[str]:
    """Yield the lines of the log."""
    from railwise.formats.decision_log import log_text
    from railwise.formats.recording import read_recording
    from railwise.twin.replay import replayed

    told = read_recording(_read(recording).splitlines(keepends=True), recording)
    yield from (log_text([one]) for one in replayed(told))


def _read(name: str) -> bytes:
    """Return a file's bytes; logs may be longer than documents.

    Raises:
        HintedError: it cannot be read.
    """
    from pathlib import Path

    from railwise.cli.errors import HintedError

    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise HintedError(f"{name}: {reason}", "`railwise run scheduler --record FILE` writes one") from None
