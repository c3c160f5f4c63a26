"""A whole laboratory in operation: switches, managers, files, control socket, timeline; started and stopped as one.

Where everything listens is written to ``lab.json`` in the laboratory's folder, so that scripts need not guess ports,
and to ``discover.yaml`` what is to be asked there.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from railwise.fabric.elements import Event, Fabric, Port
from railwise.fabric.wires import expanded
from railwise.lab.control import Control
from railwise.lab.discovery_document import discovery_document
from railwise.lab.hosts.folder import HostFolder
from railwise.lab.laboratory import Laboratory
from railwise.lab.rest.endpoints import Endpoints
from railwise.lab.serving import Listening, Switchboard

SOCKET: Final = "control.sock"
DIRECTORY: Final = "lab.json"
DOCUMENT: Final = "discover.yaml"
MICROSECONDS: Final = 1_000_000


class RunningLab:
    """One laboratory with everything it offers, in a folder of its own."""

    def __init__(self, fabric: Fabric, folder: Path, listening: Listening) -> None:
        """Prepare, without opening anything."""
        self.laboratory: Final = Laboratory(fabric)
        self.folder: Final = folder
        self._listening: Final = listening
        self._board: Final = Switchboard(self.laboratory, listening)
        self._endpoints: Final = Endpoints(self.laboratory, listening.access)
        self._hosts: Final = HostFolder(self.laboratory, folder)
        self.ended: Final = asyncio.Event()
        self._control: Final = Control(self, folder / SOCKET)

    def apply(self, event: Event) -> frozenset[Port]:
        """Let an event happen, everywhere."""
        changed = self.laboratory.apply(event)
        self._hosts.write_links(changed)
        return changed

    def end(self) -> None:
        """Ask whoever runs the laboratory to stop it."""
        self.ended.set()

    async def start(self) -> None:
        """Open and write everything. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        await self._control.start()
        await self._board.start()
        await self._endpoints.start(self._listening.host)
        self._hosts.write_all()
        text = json.dumps(self.directory(), indent=2) + "\n"
        (self.folder / DIRECTORY).write_text(text, encoding="utf-8")
        document = discovery_document(
            self.laboratory.fabric, self._board.ports, self._endpoints.port, self._listening, self.folder
        )
        (self.folder / DOCUMENT).write_text(document, encoding="utf-8")

    def directory(self) -> dict[str, Any]:
        """Return where everything is to be found."""
        host = self._listening.host
        dialects = {switch.name: switch.dialect.value for switch in self.laboratory.fabric.switches}
        switches = [
            {"name": name, "address": f"{host}:{port}", "dialect": dialects[name]}
            for name, port in self._board.ports.items()
        ]
        return {
            "fabric": self.laboratory.fabric.name,
            "switches": switches,
            "managers": f"http://{host}:{self._endpoints.port}",
            "files": str(self.folder),
            "control": str(self.folder / SOCKET),
        }

    async def play(self, speed: float = 1.0) -> None:
        """Let the events of the fabric's timeline happen at their times, ``speed`` times as fast as written."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        for event in expanded(self.laboratory.fabric.timeline):
            await asyncio.sleep(max(start + event.at / MICROSECONDS / speed - loop.time(), 0))
            self.apply(event)

    async def stop(self) -> None:
        """Close everything; the files stay."""
        await self._control.stop()
        await self._endpoints.stop()
        await self._board.stop()
        for name in (DIRECTORY, DOCUMENT):
            (self.folder / name).unlink(missing_ok=True)
