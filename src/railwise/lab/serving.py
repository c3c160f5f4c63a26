"""A gNMI server for each switch of a laboratory, on a port of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from grpc import ServerCredentials, ssl_server_credentials
from grpc.aio import Server, server

from railwise.fabric.elements import Dialect
from railwise.gnmi.service import serve
from railwise.lab.dialects.cumulus import Cumulus
from railwise.lab.dialects.dialect import Dialect as Spoken
from railwise.lab.dialects.openconfig import OpenConfig
from railwise.lab.dialects.sonic import SonicDatabase
from railwise.lab.gnmi_switch import ANYBODY, Access, GnmiSwitch
from railwise.lab.laboratory import Laboratory

LOOPBACK = "127.0.0.1"
OPTIONS = (("grpc.so_reuseport", 0), ("grpc.http2.bdp_probe", 0))


class Certificates(NamedTuple):
    """Files in PEM form; with ``clients`` only clients with a certificate of that authority are let in."""

    key: Path
    chain: Path
    clients: Path | None = None

    def credentials(self) -> ServerCredentials:
        """Return what a server needs of them. Raises OSError for a file that cannot be read."""
        authority = self.clients.read_bytes() if self.clients else None
        pair = (self.key.read_bytes(), self.chain.read_bytes())
        return ssl_server_credentials([pair], authority, require_client_auth=authority is not None)


class Listening(NamedTuple):
    """Where and how switches are to be served: ``first_port`` 0 takes any free port for each.

    ``password_file`` is where the password of ``access`` was read, if anywhere.
    """

    host: str = LOOPBACK
    first_port: int = 0
    access: Access = ANYBODY
    certificates: Certificates | None = None
    password_file: Path | None = None


class Switchboard:
    """The servers of all switches of a laboratory; ``ports`` says where each listens."""

    def __init__(self, laboratory: Laboratory, listening: Listening = Listening()) -> None:  # noqa: B008 # frozen
        """Prepare, without opening any port."""
        self._laboratory: Final = laboratory
        self._listening: Final = listening
        self._servers: Final[list[Server]] = []
        self.ports: Final[dict[str, int]] = {}

    async def start(self) -> None:
        """Open every port. Raises OSError where one is taken."""
        at = self._listening
        credentials = at.certificates.credentials() if at.certificates else None
        dialects = {switch.name: switch.dialect for switch in self._laboratory.fabric.switches}
        for number, (name, device) in enumerate(self._laboratory.devices.items()):
            end = server(options=OPTIONS)
            serve(GnmiSwitch(device, spoken(dialects[name]), at.access), end)
            address = f"{at.host}:{at.first_port + number if at.first_port else 0}"
            try:
                port = end.add_secure_port(address, credentials) if credentials else end.add_insecure_port(address)
            except RuntimeError as error:
                raise OSError(f"cannot listen on {address}: {error}") from None
            await end.start()
            self.ports[name] = port
            self._servers.append(end)

    async def stop(self) -> None:
        """Close every port; sessions end."""
        await asyncio.gather(*(end.stop(None) for end in self._servers))
        self._servers.clear()


def spoken(dialect: Dialect) -> Spoken:
    """Return what a switch of that system answers. Raises KeyError for systems without gNMI."""
    made: dict[Dialect, type[SonicDatabase | OpenConfig | Cumulus]] = {
        Dialect.SONIC: SonicDatabase,
        Dialect.OPENCONFIG: OpenConfig,
        Dialect.CUMULUS: Cumulus,
    }
    return made[dialect]()
