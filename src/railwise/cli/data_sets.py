"""Files of a published data set as bytes: named one by one, or found in folders and what lies below them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from railwise.cli.errors import HintedError
from railwise.cli.sources import STANDARD_INPUT

LARGEST_FILE = 2 * 1024 * 1024 * 1024
"""Bytes of one file as it lies there; what is unpacked from it is bounded by its reader."""

LARGEST_SUM = 4 * 1024 * 1024 * 1024
"""Bytes of all files together."""

MOST_FILES = 100_000
"""Files of a folder that are looked at."""


def read_data_set(paths: Sequence[str], knows: Callable[[str], bool]) -> dict[str, bytes]:
    """Return the bytes of the named files (``-``: standard input), and of those in folders that ``knows`` approves of.

    Raises:
        HintedError: a path does not exist, or there are more bytes than can be read at once.
        OSError: a file cannot be read.
    """
    found: dict[str, bytes] = {}
    total = 0
    for file in _files(paths, knows):
        data = _read(file)
        total += len(data)
        if len(data) > LARGEST_FILE or total > LARGEST_SUM:
            most = LARGEST_FILE if len(data) > LARGEST_FILE else LARGEST_SUM
            raise HintedError(f"{file}: more than {most} bytes to read", "name fewer or smaller files of the data set")
        found["<stdin>" if file == STANDARD_INPUT else file] = data
    return found


def _files(paths: Sequence[str], knows: Callable[[str], bool]) -> Iterator[str]:
    for name in paths:
        path = Path(name)
        if name != STANDARD_INPUT and not path.exists():
            raise HintedError(f"{name}: no such file or folder", "name the file, or the folder of a data set")
        if name == STANDARD_INPUT or not path.is_dir():
            yield name
            continue
        inside = sorted(path.rglob("*"))
        if len(inside) > MOST_FILES:
            raise HintedError(f"{name}: more than {MOST_FILES} files in it", "name the folder of the data set")
        yield from (str(file) for file in inside if knows(str(file)) and file.is_file())


def _read(name: str) -> bytes:
    """Return no more than a file may have, and one byte by which the caller sees that there was more."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read(LARGEST_FILE + 1)
    with Path(name).open("rb") as file:
        return file.read(LARGEST_FILE + 1)
