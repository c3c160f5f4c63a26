"""Results of runs on disk, a file each: written whole or not at all, so that a killed sweep finds all it had done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from railwise.cli.errors import HintedError
from railwise.cli.whole_file import write_whole
from railwise.twin.sweep import Cell, Numbers

FOLDER: Final = "cells"


class Store:
    """The folder of a sweep."""

    def __init__(self, folder: Path) -> None:
        """Make the folder where it is missing; HintedError where that cannot be done."""
        self.folder: Final = folder
        try:
            (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise HintedError(f"{folder}: is a file, not a folder", "name another folder with --out") from None

    def load(self, cell: Cell) -> Numbers | None:
        """Return the numbers of a run that was made before, None where there are none that can be read."""
        try:
            document = json.loads(self._path(cell).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(document, dict) or document.get("digest") != cell.digest:
            return None
        numbers = document.get("measures")
        if not isinstance(numbers, dict) or not all(type(value) is int for value in numbers.values()):
            return None
        keys = (text.partition("/") for text in numbers)
        return {(name, part): value for (name, _, part), value in zip(keys, numbers.values(), strict=True)}

    def save(self, cell: Cell, numbers: Numbers) -> None:
        """Keep the numbers of a run, with what it was for people who look into the folder."""
        document = {
            "digest": cell.digest,
            "variant": dict(cell.variant.labels),
            "policy": cell.policy,
            "seed": cell.seed,
            "measures": {f"{name}/{part}" if part else name: value for (name, part), value in numbers.items()},
        }
        write_whole(self._path(cell), (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode())

    def _path(self, cell: Cell) -> Path:
        return self.folder / FOLDER / f"{cell.digest[:32]}.json"
