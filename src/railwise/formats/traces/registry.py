"""Which published maps can be imported, and how their files are recognised.

A data set is known by the names of its files, plain or gzip, because that is all its publishers agree on with us; a
name that fits none is answered with the list of those that would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from railwise.formats.traces import asi
from railwise.formats.traces.lingjun import read_lingjun
from railwise.formats.traces.loader import base_name
from railwise.formats.traces.machines import MACHINES, read_machines
from railwise.formats.traces.openb import NODE_FILES, read_openb_nodes
from railwise.formats.traces.spot import NODES, read_spot_nodes
from railwise.formats.traces.zhejianglab import read_zhejianglab
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario


class Importer(NamedTuple):
    """One data set: its name, what it is, the files it needs, and the reader (a file of each name, GPUs a node).

    A name with a slash is a pattern for paths; all files that fit it belong together.
    """

    kind: str
    title: str
    files: tuple[str, ...]
    read: Callable[[Mapping[str, bytes], int], Scenario]

    def knows(self, path: str) -> bool:
        """Return whether a file of that name belongs to the data set."""
        return any(_fits(path, name) for name in self.files)


def _fits(path: str, name: str) -> bool:
    return fnmatchcase(path.replace("\\", "/"), name) if "/" in name else base_name(path) == name


def _lingjun(files: Mapping[str, bytes], gpus: int) -> Scenario:
    (topo,) = files.values()
    return read_lingjun(topo, gpus)


def _zhejianglab(files: Mapping[str, bytes], gpus: int) -> Scenario:
    topology, nics = files.values()
    return read_zhejianglab(topology, nics, gpus)


def _spot(files: Mapping[str, bytes], _gpus: int) -> Scenario:
    (nodes,) = files.values()
    return read_spot_nodes(nodes)


def _machines(files: Mapping[str, bytes], _gpus: int) -> Scenario:
    (machines,) = files.values()
    return read_machines(machines)


def _openb(files: Mapping[str, bytes], _gpus: int) -> Scenario:
    (nodes,) = files.values()
    return Scenario(name="openb-gpu-v2023", nodes=read_openb_nodes(nodes))


def _asi(files: Mapping[str, bytes], _gpus: int) -> Scenario:
    return asi.read_asi_servers(files)


IMPORTERS = (
    Importer("alibaba-lingjun-2023", "847 hosts of a three-layer Clos network", ("topo.csv",), _lingjun),
    Importer(
        "zhejianglab-a100-2000",
        "253 servers on 20 leaves in 5 rail groups",
        ("cluster_topology.csv", "gpu_nic_info.csv"),
        _zhejianglab,
    ),
    Importer("openb-gpu-v2023", "1,213 nodes with cards of seven models, without topology", NODE_FILES[:1], _openb),
    Importer("alibaba-gpu-v2020", "1,897 machines of PAI, without topology", (MACHINES,), _machines),
    Importer("alibaba-spot-gpu-v2026", "4,278 nodes of six kinds of cards, without topology", (NODES,), _spot),
    Importer("alibaba-gpu-v2026", "servers of ASI with their access switches", (asi.SERVERS,), _asi),
)

DEFAULT_GPUS = 8
"""GPUs of a node where a map does not say (published for Zhejiang Lab, an assumption for Lingjun)."""


def known_name(path: str) -> bool:
    """Return whether a file of that name belongs to a data set."""
    return any(importer.knows(path) for importer in IMPORTERS)


def detect(names: list[str]) -> Importer:
    """Return the one importer whose files are all there; InputError, naming what would do, if it is not one."""
    fitting = [one for one in IMPORTERS if all(any(_fits(path, name) for path in names) for name in one.files)]
    if len(fitting) == 1:
        return fitting[0]
    known = "; ".join(f"{importer.kind}: {' and '.join(importer.files)}" for importer in IMPORTERS)
    found = "files of several data sets" if fitting else "no data set that can be imported"
    raise InputError([Fault("", found, f"known files are {known}; or name one with --from")])


def convert(kind: str, files: Mapping[str, bytes], gpus: int = DEFAULT_GPUS) -> Scenario:
    """Return the cluster described by the files (by name); an empty ``kind`` is found from the names.

    ``gpus`` is the number of cards of a node where the map does not say. Raises InputError for an unknown kind, a
    missing file or unreadable tables.
    """
    if kind:
        importer = next((one for one in IMPORTERS if one.kind == kind), None)
        if importer is None:
            known = ", ".join(one.kind for one in IMPORTERS)
            raise InputError([Fault("--from", f"unknown data set '{kind}'", f"one of {known}")])
    else:
        importer = detect(list(files))
    found = {name: [path for path in files if _fits(path, name)] for name in importer.files}
    missing = [name for name, paths in found.items() if not paths]
    if missing:
        raise InputError([Fault("", f"{importer.kind} needs the file {name}", "plain or gzip") for name in missing])
    chosen = [path for name, paths in found.items() for path in (paths if "/" in name else paths[-1:])]
    return importer.read({path: files[path] for path in chosen}, gpus)
