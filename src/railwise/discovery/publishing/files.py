"""The map as files of schedulers that read files: Slurm's topology.yaml or .conf, Topograph's model.

A file is replaced whole and only when it would say something else, so that a daemon that watches it is not woken for
nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from railwise.discovery.publishing.publisher import Published, published_tree
from railwise.fabric.fabric_map import Map
from railwise.formats.fabric.slurm import slurm_tree_text
from railwise.formats.fabric.slurm_yaml import slurm_yaml_text
from railwise.formats.fabric.topograph import topograph_text
from railwise.formats.fabric.tree import Tree
from railwise.model.errors import InputError


class FileWriter:
    """The driver of one file."""

    def __init__(self, name: str, path: Path, text: Callable[[Tree], str]) -> None:
        """Keep what goes where."""
        self._name: Final = name
        self._path: Final = path
        self._text: Final = text

    @property
    def name(self) -> str:
        """How the driver is called."""
        return self._name

    async def publish(self, drawn: Map, *, dry_run: bool = False) -> Published:
        """Write the file if it would say something else."""
        result = Published()
        try:
            text = self._text(published_tree(drawn))
            if await asyncio.to_thread(self._write, text, dry_run=dry_run):
                result.changed.append(f"file {self._path}")
        except (OSError, InputError) as error:
            result.failed.append(f"file {self._path}: {error}")
        return result

    def _write(self, text: str, *, dry_run: bool) -> bool:
        """Return whether the file says, or would say, something else than before."""
        if self._path.exists() and self._path.read_text(encoding="utf-8", errors="replace") == text:
            return False
        if not dry_run:
            beside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            try:
                beside.write_text(text, encoding="utf-8")
                beside.replace(self._path)
            finally:
                beside.unlink(missing_ok=True)
        return True


def file_writer(name: str, path: Path) -> FileWriter:
    """Return the driver ``slurm`` (YAML, or the old form for ``.conf``) or ``topograph``. Raises KeyError."""
    slurm = slurm_tree_text if path.suffix == ".conf" else slurm_yaml_text
    texts: dict[str, Callable[[Tree], str]] = {"slurm": slurm, "topograph": topograph_text}
    return FileWriter(name, path, texts[name])
