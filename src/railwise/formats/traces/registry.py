"""Which published maps can be imported, and how their files are recognised.

A data set is known by the names of its files, plain or gzip, because that is all its publishers agree on with us; a
name that fits none is answered with the list of those that would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from railwise.formats.traces.lingjun import read_lingjun
from railwise.formats.traces.zhejianglab import read_zhejianglab
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario


class Importer(NamedTuple):
    """One data set: its name, what it is, the file names it needs, and the reader (files in order, GPUs a node)."""

    kind: str
    title: str
    files: tuple[str, ...]
    read: Callable[[tuple[bytes, ...], int], Scenario]


def _lingjun(files: tuple[bytes, ...], gpus: int) -> Scenario:
    return read_lingjun(files[0], gpus)


def _zhejianglab(files: tuple[bytes, ...], gpus: int) -> Scenario:
    return read_zhejianglab(files[0], files[1], gpus)


IMPORTERS = (
    Importer("alibaba-lingjun-2023", "847 hosts of a three-layer Clos network", ("topo.csv",), _lingjun),
    Importer(
        "zhejianglab-a100-2000",
        "253 servers on 20 leaves in 5 rail groups",
        ("cluster_topology.csv", "gpu_nic_info.csv"),
        _zhejianglab,
    ),
)

DEFAULT_GPUS = 8
"""GPUs of a node in both data sets (published for the second, an assumption for the first)."""


def base_name(path: str) -> str:
    """Return the file's own name without folders and without ``.gz``."""
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")


def known_name(path: str) -> bool:
    """Return whether a file of that name belongs to a data set."""
    return any(base_name(path) in importer.files for importer in IMPORTERS)


def detect(names: list[str]) -> Importer:
    """Return the one importer whose files are all there; InputError, naming what would do, if it is not one."""
    have = {base_name(name) for name in names}
    fitting = [importer for importer in IMPORTERS if have.issuperset(importer.files)]
    if len(fitting) == 1:
        return fitting[0]
    known = "; ".join(f"{importer.kind}: {' and '.join(importer.files)}" for importer in IMPORTERS)
    found = "files of several data sets" if fitting else "no data set that can be imported"
    raise InputError([Fault("", found, f"known files are {known}; or name one with --from")])


def convert(kind: str, files: Mapping[str, bytes], gpus: int = DEFAULT_GPUS) -> Scenario:
    """Return the cluster described by the files (by name); an empty ``kind`` is found from the names.

    ``gpus`` is the number of cards a node. Raises InputError for an unknown kind, a missing file or unreadable tables.
    """
    if kind:
        importer = next((one for one in IMPORTERS if one.kind == kind), None)
        if importer is None:
            known = ", ".join(one.kind for one in IMPORTERS)
            raise InputError([Fault("--from", f"unknown data set '{kind}'", f"one of {known}")])
    else:
        importer = detect(list(files))
    by_name = {base_name(name): data for name, data in files.items()}
    missing = [name for name in importer.files if name not in by_name]
    if missing:
        raise InputError([Fault("", f"{importer.kind} needs the file {name}", "plain or gzip") for name in missing])
    return importer.read(tuple(by_name[name] for name in importer.files), gpus)
