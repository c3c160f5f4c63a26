"""The files of all virtual servers in one folder, kept as the fabric is now.

``hosts/NAME/lldpctl.json``, ``nvidia-smi.csv`` and ``kfd/…`` for each server, ``ibnetdiscover.txt`` for the InfiniBand
part. A file is written beside its place and moved there, so that a reader never sees half of one. What an earlier
laboratory left in the folder goes first: its servers would be taken for some of this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

from railwise.fabric.elements import Dialect, Port
from railwise.lab.hosts.gpus import kfd_tree, nvidia_smi
from railwise.lab.hosts.lldpd import lldpctl
from railwise.lab.infiniband import InfinibandView
from railwise.lab.laboratory import Laboratory


class HostFolder:
    """Writes what the servers of a laboratory show."""

    def __init__(self, laboratory: Laboratory, folder: Path) -> None:
        """Prepare, without writing."""
        self._laboratory: Final = laboratory
        self._folder: Final = folder
        self._servers: Final = {server.name: server for server in laboratory.fabric.servers}
        kinds = {switch.dialect for switch in laboratory.fabric.switches}
        self._infiniband: Final = InfinibandView(laboratory) if Dialect.INFINIBAND in kinds else None

    def write_all(self) -> None:
        """Write everything. Raises OSError."""
        self._clear()
        domains = self._laboratory.fabric.domains
        amd = {name for domain in domains if domain.kind == "xgmi" for name in domain.servers}
        for name, server in self._servers.items():
            if name in amd:
                for path, text in kfd_tree(server, domains).items():
                    self._write(f"hosts/{name}/kfd/{path}", text)
            elif server.gpus:
                self._write(f"hosts/{name}/nvidia-smi.csv", nvidia_smi(server, domains))
        self.write_links(Port(name, "") for name in self._servers)

    def _clear(self) -> None:
        """Remove what an earlier laboratory wrote, and nothing else. Raises OSError."""
        (self._folder / "ibnetdiscover.txt").unlink(missing_ok=True)
        for server in self._folder.glob("hosts/*/"):
            for name in ("lldpctl.json", "nvidia-smi.csv"):
                (server / name).unlink(missing_ok=True)
            rmtree(server / "kfd", ignore_errors=True)
            with suppress(OSError):  # somebody put more there
                server.rmdir()

    def write_links(self, changed: Iterable[Port]) -> None:
        """Write what the servers among the changed ports hear now, and the InfiniBand part. Raises OSError."""
        for name in sorted({port.device for port in changed} & set(self._servers)):
            if self._laboratory.wires.runs(name):
                self._write(f"hosts/{name}/lldpctl.json", lldpctl(self._laboratory, self._servers[name]))
        if self._infiniband is not None:
            self._write("ibnetdiscover.txt", self._infiniband.text())

    def _write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
