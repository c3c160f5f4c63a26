"""How to reach one switch: address, certificates, user; and a channel made of it.

A connection is encrypted and the switch's certificate verified unless the target says ``insecure``; credentials are
read from files or the environment when they are used, and never appear in a message.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from grpc import ssl_channel_credentials
from grpc.aio import Channel, insecure_channel, secure_channel

PORTS = (9339, 8080, 50051, 50052, 6030, 57400)
"""Where switches serve gNMI, in the order in which they are tried when a target names no port."""

LARGEST_MESSAGE = 16 * 1024 * 1024

OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    ("grpc.use_local_subchannel_pool", 1),  # one subscription a connection is all that some switches allow
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.enable_retries", 0),  # waiting and trying again is done here, where it is seen
)


class CredentialsError(Exception):
    """A certificate or password cannot be read; the message names the file or variable, never its content."""


@dataclass(frozen=True, slots=True)
class Target:
    """One switch.

    ``port`` 0 tries the usual ones. ``authority`` is the file of the certificate authority (empty: those of the
    system), ``certificate`` and ``key`` those of the client; ``server_name`` is what the switch's certificate is made
    out to, where it is not ``host``. The password stands in a file or in an environment variable.
    """

    name: str
    host: str
    port: int = 0
    dialect: str = "auto"
    insecure: bool = False
    authority: str = ""
    certificate: str = ""
    key: str = ""
    server_name: str = ""
    user: str = ""
    password_file: str = ""
    password_variable: str = ""

    def channel(self, port: int) -> Channel:
        """Return a channel that connects when it is first used. Raises CredentialsError."""
        address = f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"
        if self.insecure:
            return insecure_channel(address, options=OPTIONS)
        authority = _file(self.authority) if self.authority else None
        pair = (_file(self.key), _file(self.certificate)) if self.certificate else (None, None)
        name = (("grpc.ssl_target_name_override", self.server_name),) if self.server_name else ()
        return secure_channel(address, ssl_channel_credentials(authority, *pair), options=(*OPTIONS, *name))

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Return what goes with every call. Raises CredentialsError."""
        if not self.user:
            return ()
        if self.password_file:
            password = _file(self.password_file).decode("utf-8", "replace").rstrip("\r\n")
        elif self.password_variable:
            password = os.environ.get(self.password_variable, "")
            if not password:
                raise CredentialsError(f"the environment variable {self.password_variable} is empty")
        else:
            password = ""
        return (("username", self.user), ("password", password))


def _file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CredentialsError(f"{name}: {error.strerror}") from None
