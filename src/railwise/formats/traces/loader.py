"""What a reader of a job stream says of itself: its name, its files, and how the tables become jobs.

The same facts serve the command line (which files to pick from a folder), the errors (what was expected) and the
reference page (which columns are read, what is assumed), so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from railwise.formats.traces.intake import Intake


class Loader(NamedTuple):
    """One data set or log format.

    ``kind`` is the name for ``--trace``, ``folder`` the name under which its files are usually kept. ``files`` are the
    patterns of file names that hold jobs, ``beside`` of further files that help. ``columns`` are what is read of a row,
    as ``column: meaning``; ``silent`` is what the trace does not say, told with every run. ``one`` says that its files
    are other forms or other samples of the same thing, of which one is replayed: that of the first pattern.
    """

    kind: str
    folder: str
    title: str
    files: tuple[str, ...]
    read: Callable[[Mapping[str, bytes], Intake], None]
    columns: tuple[str, ...]
    silent: tuple[str, ...]
    beside: tuple[str, ...] = ()
    one: bool = False

    def rank(self, path: str) -> int:
        """Return the place of the first pattern for jobs that a file's name fits; past the last if it fits none."""
        fits = (place for place, pattern in enumerate(self.files) if _fits(path, pattern))
        return next(fits, len(self.files))

    def knows(self, path: str) -> bool:
        """Return whether a file of that name belongs to the data set."""
        return any(_fits(path, pattern) for pattern in self.files + self.beside)


def _fits(path: str, pattern: str) -> bool:
    """Return whether a file fits a pattern, which is one for the whole path if it has a slash."""
    return fnmatchcase(path.replace("\\", "/") if "/" in pattern else base_name(path), pattern)


def base_name(path: str) -> str:
    """Return the file's own name without folders and without ``.gz``."""
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")


def folder_of(path: str) -> str:
    """Return the name of the folder that a file lies in; empty: none is named."""
    return path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]


def stem(path: str) -> str:
    """Return the file's own name without folders and without its ending."""
    name = base_name(path)
    return name.rpartition(".")[0] or name
