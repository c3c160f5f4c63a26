"""Files that servers or subnet managers leave somewhere: read, and read again when they change.

A path with a ``*`` stands for one file (or folder) a server, with the server's name in its place. A file that cannot be
read fails for its server alone; one that is gone tells nothing, which is not the same as telling that there is nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from railwise.discovery.hearing import Failed, Hearing, Sink, Told, Whole
from railwise.fabric.observations import SERVER
from railwise.formats.discovery.settings import HostFiles
from railwise.formats.hosts.kfd import read_kfd
from railwise.formats.hosts.nvidia_smi import read_nvidia_smi
from railwise.formats.lldp.lldpctl import read_lldpctl
from railwise.formats.lldp.record import LldpRecord
from railwise.formats.managers.ibnetdiscover import read_ibnetdiscover
from railwise.model.errors import InputError

LOOK_EVERY: Final = 1.0
"""Seconds from one look at the files to the next."""

LARGEST_FILE: Final = 64 * 1024 * 1024
MOST_FILES: Final = 1_000_000
KFD_FILE: Final = 64 * 1024

Stamp = tuple[int, int]
"""Size and time of the last change of a file; for a folder, of all files in it."""


class FileSource:
    """All files of one kind. ``base`` is the folder that relative paths start from."""

    def __init__(self, files: HostFiles, base: Path) -> None:
        """Prepare, without looking."""
        self.name: Final = files.kind
        self._files: Final = files
        self._base: Final = base
        self._seen: dict[Path, Stamp] = {}

    async def once(self, sink: Sink) -> None:
        """Read every file there is."""
        found = await asyncio.to_thread(self._look)
        if not found:
            sink(Failed(self.name, self._files.server or self._files.path, f"no file {self._files.path}"))
        for hearing in found:
            sink(hearing)

    async def watch(self, sink: Sink) -> None:
        """Read every file, and again whenever one has changed."""
        await self.once(sink)
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for hearing in await asyncio.to_thread(self._look):
                sink(hearing)

    def _look(self) -> list[Hearing]:
        """Return what the files say that are new or changed since the last look."""
        hearings: list[Hearing] = []
        now: dict[Path, Stamp] = {}
        for path, server in self._paths():
            try:
                now[path] = _stamp(path)
                if now[path] != self._seen.get(path):
                    hearings += self._read(path, server)
            except OSError as error:
                hearings.append(Failed(self.name, server, f"{path}: {error.strerror}"))
            except InputError as error:
                hearings.append(Failed(self.name, server, f"{path}: {error.faults[0].text()[:200]}"))
        self._seen = now
        return hearings

    def _paths(self) -> Iterator[tuple[Path, str]]:
        """Yield (path, server) of the files there are, in order of their names."""
        pattern = self._files.path
        if "*" not in pattern:
            path = self._base / pattern
            if path.exists():
                yield path, self._files.server
            return
        before, _, after = str(self._base / pattern).partition("*")
        form = re.compile(re.escape(before) + r"([^/]+?)" + re.escape(after))
        root = Path(before).parent if not before.endswith("/") else Path(before)
        relative = str(self._base / pattern)[len(str(root)) :].lstrip("/")
        for path in sorted(root.glob(relative))[:MOST_FILES]:
            if match := form.fullmatch(str(path)):
                yield path, match[1]

    def _read(self, path: Path, server: str) -> list[Hearing]:
        if self.name == "kfd":
            return [Told(self.name, server, read_kfd(kfd_files(path), server))]
        if path.stat().st_size > LARGEST_FILE:
            raise OSError(0, f"more than {LARGEST_FILE} bytes")
        data = path.read_bytes()
        if self.name == "lldpctl":
            ports: dict[str, tuple[LldpRecord, ...]] = {}
            for record in read_lldpctl(data):
                ports[record.port] = (*ports.get(record.port, ()), record)
            return [Whole(self.name, server, ports, SERVER)]
        return READERS[self.name](data, server)


def _nvidia_smi(data: bytes, server: str) -> list[Hearing]:
    return [Told("nvidia-smi", server, read_nvidia_smi(data, server))]


def _ibnetdiscover(data: bytes, _server: str) -> list[Hearing]:
    return [Told(report.source, report.speaker.name, report) for report in read_ibnetdiscover(data)]


READERS: Final[dict[str, Callable[[bytes, str], list[Hearing]]]] = {
    "nvidia-smi": _nvidia_smi,
    "ibnetdiscover": _ibnetdiscover,
}


def _stamp(path: Path) -> Stamp:
    if not path.is_dir():
        state = path.stat()
        return state.st_size, state.st_mtime_ns
    states = [file.stat() for file in path.rglob("properties")]
    return sum(state.st_size for state in states), max((state.st_mtime_ns for state in states), default=0)


def kfd_files(path: Path) -> dict[str, bytes]:
    """Return the small files of a KFD tree by their paths in it. Raises OSError where one cannot be read."""
    found = {}
    for file in path.rglob("properties"):
        with file.open("rb") as content:
            found[str(file.relative_to(path))] = content.read(KFD_FILE)
    return found
