"""A cluster on this machine from start to end: up, status, down; everything about it lies in one folder.

``up`` either ends with a cluster that answers, or leaves nothing behind but the logs. ``down`` ends every process that
``up`` started, also after a crash half-way, and throws the data away. Who calls ``up`` twice is told that it is up.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from railwise.devcluster.commands import ARGUMENTS, OURS, PARTS, Layout
from railwise.devcluster.errors import ControlPlaneError
from railwise.devcluster.kubeconfigs import write_identities
from railwise.devcluster.processes import Daemon
from railwise.devcluster.programs import NEEDED, Programs
from railwise.devcluster.readiness import wait_until_ready

STATE_VARIABLE = "RAILWISE_STATE"
FILE = "cluster.json"

Tell = Callable[[str], None]


class Wish(NamedTuple):
    """What a cluster is to have: parts by name, and values for ``--feature-gates`` and ``--runtime-config``."""

    parts: tuple[str, ...] = ()
    gates: str = ""
    apis: str = ""


class Row(NamedTuple):
    """One program of a cluster and how it is."""

    program: str
    alive: bool
    pid: int
    port: int
    log: Path


def state_root(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder in which clusters keep their folders."""
    named = environment.get(STATE_VARIABLE)
    if named:
        return Path(named) / "clusters"
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "railwise" / "clusters"


class Cluster:
    """The cluster that lives in a folder, whether it runs or not."""

    def __init__(self, folder: Path) -> None:
        """Look at a folder; its name is the cluster's."""
        self.folder = folder.absolute()
        self.name = folder.name

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.folder / "kubeconfig"

    def layout(self) -> Layout | None:
        """Return how the cluster was started, None if it was not."""
        try:
            found = json.loads((self.folder / FILE).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return Layout(self.folder, found["ports"], tuple(found["parts"]), found["gates"], found["apis"])

    def rows(self) -> list[Row]:
        """Return the programs that were started and how they are; none: the cluster is down."""
        layout = self.layout()
        if layout is None:
            return []
        rows = []
        for name in programs_of(layout.parts):
            daemon = self.daemon(name)
            process = daemon.process()
            rows.append(Row(name, daemon.alive(), process.pid if process else 0, layout.ports[name], daemon.log))
        return rows

    def running(self) -> bool:
        """Return whether every program of the cluster runs."""
        rows = self.rows()
        return bool(rows) and all(row.alive for row in rows)

    def daemon(self, name: str) -> Daemon:
        """Return one of its programs."""
        return Daemon(name, self.folder / "run" / f"{name}.pid", self.folder / "logs" / f"{name}.log")

    def up(self, programs: Programs, wish: Wish, tell: Tell, patience: float = 60.0) -> Layout:
        """Start the cluster and wait until it answers, for ``patience`` seconds at most.

        Raises:
            ControlPlaneError: it runs already, or a program does not start; then the others are stopped again.
            MissingExtraError: the package cryptography is not installed.
        """
        rows = self.rows()
        if any(row.alive for row in rows):
            ended = ", ".join(row.program for row in rows if not row.alive)
            state = f"is up in part, {ended} ended" if ended else "is up already"
            hint = f"railwise dev cluster down --name {self.name} ends the rest, then start it again"
            raise ControlPlaneError(f"cluster {self.name}", state, hint)
        self._clear()
        layout = Layout(self.folder, free_ports([*ARGUMENTS, "etcd-peer"]), wish.parts, wish.gates, wish.apis)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_identities(layout, self.name)
        document = {"ports": layout.ports, "parts": list(wish.parts), "gates": wish.gates, "apis": wish.apis}
        (self.folder / FILE).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        end = time.monotonic() + patience
        try:
            for name in programs_of(wish.parts):
                tell(f"starting {name}")
                self.start(name, programs, layout, end - time.monotonic())
        except BaseException:
            self.stop()
            (self.folder / FILE).unlink(missing_ok=True)
            raise
        return layout

    def start(self, name: str, programs: Programs, layout: Layout, patience: float = 60.0) -> None:
        """Start one program and wait until it is ready.

        Raises:
            ControlPlaneError: it ends or does not become ready.
        """
        daemon = self.daemon(name)
        program = OURS.get(name) or (str(programs.path(name)),)
        daemon.start([*program, *ARGUMENTS[name](layout)])
        if name != "etcd":  # the API server tries until etcd is there, so their starts overlap
            wait_until_ready(name, [self.daemon("etcd"), daemon], layout, patience)

    def stop(self) -> list[str]:
        """Stop every program, those that depend on others first; return the names of those that ran."""
        stopped = [name for name in reversed(list(ARGUMENTS)) if self.daemon(name).stop()]
        stopped.reverse()
        return stopped

    def down(self) -> list[str]:
        """Stop every program and remove the folder; return the names of those that ran."""
        stopped = self.stop()
        if self.layout() is not None or (self.folder / "run").is_dir():
            shutil.rmtree(self.folder)
        return stopped

    def _clear(self) -> None:
        """Remove what is left of an earlier cluster in this folder, but nothing that is not ours."""
        for name in ("etcd", "pki", "run", "logs"):
            shutil.rmtree(self.folder / name, ignore_errors=True)


def programs_of(parts: Sequence[str]) -> list[str]:
    """Return the programs of a cluster with these parts, in the order in which they are started."""
    return [name for name in ARGUMENTS if name in NEEDED or name in [PARTS[part] for part in parts]]


def binaries_of(parts: Sequence[str]) -> list[str]:
    """Return those of the programs that have to be found or built."""
    return [name for name in programs_of(parts) if name not in OURS]


def free_ports(names: Sequence[str]) -> dict[str, int]:
    """Return a port of loopback for each name that nobody uses now; all are held until all are found."""
    held = []
    try:
        for _ in names:
            one = socket.socket()
            held.append(one)
            one.bind(("127.0.0.1", 0))
        return {name: one.getsockname()[1] for name, one in zip(names, held, strict=True)}
    finally:
        for one in held:
            one.close()
