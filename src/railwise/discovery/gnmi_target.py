"""How to reach one switch: address, certificates, user; and a channel made of it.

A connection is encrypted and the switch's certificate verified unless the target says ``insecure``; credentials are
read from files or the environment when they are used, and never appear in a message.
"""

from __future__ import annotations

import os
from pathlib import Path

from grpc import ssl_channel_credentials
from grpc.aio import Channel, insecure_channel, secure_channel

from railwise.formats.discovery.settings import Login, Target

PORTS = (9339, 8080, 50051, 50052, 6030, 57400)
"""Where switches serve gNMI, in the order in which they are tried when a target names no port."""

LARGEST_MESSAGE = 16 * 1024 * 1024

OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    ("grpc.http2.bdp_probe", 0),  # tables are small: a window that grows is memory times a thousand switches
    ("grpc.http2.lookahead_bytes", 16 * 1024),
    ("grpc.experimental.tcp_max_read_chunk_size", 16 * 1024),
    ("grpc.use_local_subchannel_pool", 1),  # one subscription a connection is all that some switches allow
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.enable_retries", 0),  # waiting and trying again is done here, where it is seen
)


class CredentialsError(Exception):
    """A certificate or password cannot be read; the message names the file or variable, never its content."""


def channel(target: Target, port: int) -> Channel:
    """Return a channel to a switch that connects when it is first used. Raises CredentialsError."""
    address = f"[{target.host}]:{port}" if ":" in target.host else f"{target.host}:{port}"
    trust = target.trust
    if trust.insecure:
        return insecure_channel(address, options=OPTIONS)
    authority = secret_file(trust.authority) if trust.authority else None
    pair = (secret_file(trust.key), secret_file(trust.certificate)) if trust.certificate else (None, None)
    name = (("grpc.ssl_target_name_override", trust.server_name),) if trust.server_name else ()
    return secure_channel(address, ssl_channel_credentials(authority, *pair), options=(*OPTIONS, *name))


def metadata(login: Login) -> tuple[tuple[str, str], ...]:
    """Return what goes with every call. Raises CredentialsError."""
    return (("username", login.user), ("password", password(login))) if login.user else ()


def password(login: Login) -> str:
    """Return the password of a login, read anew each time, so that a changed one counts. Raises CredentialsError."""
    if login.password_file:
        return secret_file(login.password_file).decode("utf-8", "replace").rstrip("\r\n")
    value = os.environ.get(login.password_variable, "") if login.password_variable else ""
    if login.password_variable and not value:
        raise CredentialsError(f"the environment variable {login.password_variable} is empty")
    return value


def secret_file(name: str) -> bytes:
    """Return the content of a file. Raises CredentialsError, which names it."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CredentialsError(f"{name}: {error.strerror}") from None
