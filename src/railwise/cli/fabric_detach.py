"""A laboratory in the background: the same command again as a process of its own, which outlives this one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import click

PATIENCE: Final = 120.0
"""Seconds until everything must listen."""

LOOK_EVERY: Final = 0.1
READY: Final = "Ctrl-C ends it."
LOG: Final = "lab.log"


def detach(folder: Path) -> None:
    """Start this command again without ``--detach``, and return when its laboratory listens.

    Raises:
        HintedError: it ended before that, or never came so far; the hint is what it said.
    """
    from railwise.cli.errors import HintedError

    folder.mkdir(parents=True, exist_ok=True)
    arguments = [word for word in sys.argv[1:] if word != "--detach"]
    with (folder / LOG).open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "railwise", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    begin = time.monotonic()
    while READY not in (folder / LOG).read_text(encoding="utf-8"):
        if process.poll() is not None or time.monotonic() - begin > PATIENCE:
            process.terminate()
            said = (folder / LOG).read_text(encoding="utf-8").strip()
            raise HintedError("the laboratory did not start", said.removeprefix("error: ") or f"see {folder / LOG}")
        time.sleep(LOOK_EVERY)
    click.echo((folder / LOG).read_text(encoding="utf-8").replace(READY, "`railwise fabric stop` ends it."), nl=False)
