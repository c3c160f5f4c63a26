"""Credentials that change while a connection lives: token files, plugins, certificates; and TLS that is not fooled."""

from __future__ import annotations

import asyncio
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from railwise.devcluster.certificates import Authority, KeyPair
from railwise.kubeapi import exec_plugin
from railwise.kubeapi.access import Access, ClientCertificate
from railwise.kubeapi.client import connect
from railwise.kubeapi.credentials import REREAD, FixedCredentials, TokenFile
from railwise.kubeapi.errors import KubeconfigError, UnauthorizedError, UnreachableError
from railwise.kubeapi.exec_plugin import ExecPlugin
from railwise.kubeapi.kubeconfig_schema import Exec, Variable
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import NODES
from tests.kubeapi.misbehaving import QUICK, Conversation, answers, server, status, thing

V1 = "client.authentication.k8s.io/v1"
GOOD = {"token": "t"}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.now


async def test_a_token_file_is_read_again_after_a_minute(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "token"
    credentials = TokenFile(path, clock=clock)
    with pytest.raises(KubeconfigError, match="cannot be read"):
        await credentials.headers()
    path.write_text(" \n")
    with pytest.raises(KubeconfigError, match="is empty"):
        await credentials.headers()
    seen = []
    for token, seconds in (("one\n", 0.0), ("two", REREAD / 2), ("two", REREAD), ("", REREAD), ("three", 1.0)):
        path.write_text(token)
        clock.now += seconds
        seen.append((await credentials.headers())["Authorization"])
    path.unlink()
    clock.now += 2 * REREAD
    seen.append((await credentials.headers())["Authorization"])
    assert seen == [f"Bearer {token}" for token in ("one", "one", "two", "two", "three", "three")]


async def test_a_token_that_is_refused_is_read_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("old")

    async def only_new(talk: Conversation) -> None:
        if talk.asked.headers["authorization"] == "Bearer new":
            await talk.reply(200, thing("n", 1))
        else:
            path.write_text("new")
            await talk.reply(401, status(401, "Unauthorized"))

    async with server(only_new) as one:
        access = Access(f"http://127.0.0.1:{one.port}", TokenFile(path))
        async with connect(access, QUICK) as client:
            assert (await client.get(NODES, PartialObject, "", "n")).metadata.name == "n"
    assert len(one.asked) == 2


async def test_a_token_that_stays_refused_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("old")
    async with server(answers(401, status(401, "Unauthorized"))) as one:
        for credentials, requests in ((TokenFile(path), 2), (FixedCredentials({"Authorization": "Bearer x"}), 3)):
            async with connect(Access(f"http://127.0.0.1:{one.port}", credentials), QUICK) as client:
                with pytest.raises(UnauthorizedError) as error:
                    await client.get(NODES, PartialObject, "", "n")
            assert len(one.asked) == requests
    assert "kubectl auth whoami" in error.value.hint


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def credential(version: str = V1, **found: object) -> str:
    return msgspec.json.encode({"apiVersion": version, "kind": "ExecCredential", "status": found}).decode()


def plugin(command: str, clock: Clock | None = None, **more: Any) -> ExecPlugin:
    spec = Exec(command=command, api_version=more.pop("version", V1), **more)
    return ExecPlugin("/etc/kubeconfig", spec, {"server": "https://a"}, None, clock or Clock())


async def test_a_plugin_runs_once_until_its_token_expires(tmp_path: Path) -> None:
    clock = Clock()
    count = tmp_path / "count"
    until = credential(**GOOD, expirationTimestamp="2030-01-01T01:00:00Z")
    one = plugin(script(tmp_path / "plugin", f"echo x >> {count}; echo '{until}'"), clock)
    answers = await asyncio.gather(*(one.headers() for _ in range(5)))
    assert answers == [{"Authorization": "Bearer t"}] * 5
    clock.now += 3580
    await one.headers()
    assert count.read_text() == "x\n"
    clock.now += 15
    await one.headers()
    assert count.read_text() == "x\nx\n"
    assert one.refused()
    await one.headers()
    assert count.read_text() == "x\nx\nx\n"


async def test_a_plugin_is_told_what_it_needs_and_may_hand_out_a_certificate(tmp_path: Path) -> None:
    told = tmp_path / "told"
    found = credential(clientCertificateData="CERT", clientKeyData="KEY")
    command = script(tmp_path / "plugin", f"""echo "$KUBERNETES_EXEC_INFO|$MINE|$1" > {told}; echo '{found}'""")
    one = plugin(command, args=["first"], env=[Variable(name="MINE", value="v")], provide_cluster_info=True)
    assert one.certificate() is None
    assert await one.headers() == {}
    assert one.certificate() == ("CERT", "KEY")
    info, mine, argument = told.read_text().strip().split("|")
    assert (mine, argument) == ("v", "first")
    assert msgspec.json.decode(info) == {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "spec": {"interactive": False, "cluster": {"server": "https://a"}},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo 'log in first' >&2; exit 3", "ended with 3: log in first"),
        ("echo hello", "did not print an ExecCredential"),
        (f"echo '{credential('client.authentication.k8s.io/v1beta1', **GOOD)}'", "answered in version"),
        (f"echo '{credential()}'", "printed neither a token nor a certificate"),
        (f"echo '{credential(**GOOD, expirationTimestamp='soon')}'", "expirationTimestamp 'soon' is no time"),
    ],
)
async def test_a_plugin_that_fails_is_named_with_what_it_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(KubeconfigError, match=r"^/etc/kubeconfig: exec: ") as error:
        await plugin(script(tmp_path / "plugin", text)).headers()
    assert message in str(error.value)
    assert "Bearer" not in str(error.value)


async def test_a_plugin_that_is_missing_says_how_to_install_it() -> None:
    with pytest.raises(KubeconfigError, match="cannot run 'no-such-plugin': No such file") as error:
        await plugin("no-such-plugin", install_hint="pip install no-such-plugin").headers()
    assert error.value.hint == "pip install no-such-plugin"


async def test_a_plugin_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "TIMEOUT", 0.2)
    with pytest.raises(KubeconfigError, match="did not answer"):
        await plugin(script(tmp_path / "plugin", "exec sleep 60")).headers()


@asynccontextmanager
async def tls_server(authority: Authority, pair: KeyPair, folder: Path) -> AsyncIterator[tuple[str, list[str]]]:
    """Yield the address of a server that asks for client certificates, and the names of those who came."""
    files = {"crt": pair.certificate, "key": pair.key, "ca": authority.pem()}
    for name, text in files.items():
        (folder / name).write_text(text)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "ca"))
    context.load_cert_chain(folder / "crt", folder / "key")
    context.verify_mode = ssl.CERT_OPTIONAL
    names: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        shown = writer.get_extra_info("peercert") or {}
        names.append(next((part[0][1] for part in shown.get("subject", ()) if part[0][0] == "commonName"), ""))
        await reader.readuntil(b"\r\n\r\n")
        body = msgspec.json.encode(thing("n", 1))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.transport.abort()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}", names
    finally:
        listening.close()
        await asyncio.sleep(0)


async def ask(access: Access) -> None:
    async with connect(access, QUICK) as client:
        await client.get(NODES, PartialObject, "", "n")


async def test_only_a_server_of_the_right_authority_is_talked_to(tmp_path: Path) -> None:
    ours, other = Authority("ours"), Authority("other")
    async with tls_server(ours, ours.issue("server", server=True), tmp_path) as (address, _):
        await ask(Access(address, FixedCredentials(), authority=ours.pem()))
        await ask(Access(address, FixedCredentials(), insecure=True))
        await ask(Access(address, FixedCredentials(), authority=ours.pem(), server_name="kubernetes"))
        for wrong in (
            Access(address, FixedCredentials(), authority=other.pem()),
            Access(address, FixedCredentials()),
            Access(address, FixedCredentials(), authority=ours.pem(), server_name="example.com"),
        ):
            with pytest.raises(UnreachableError, match="is not trusted") as error:
                await ask(wrong)
            assert "certificate-authority" in error.value.hint


class Changing:
    """Credentials whose certificate changes with each request."""

    def __init__(self, pairs: list[KeyPair]) -> None:
        self.pairs = pairs

    async def headers(self) -> dict[str, str]:
        return {}

    def certificate(self) -> ClientCertificate | None:
        return ClientCertificate(*self.pairs[0])

    def refused(self) -> bool:
        return False


async def test_a_new_client_certificate_is_shown_from_the_next_request_on(tmp_path: Path) -> None:
    authority = Authority("ours")
    credentials = Changing([authority.issue("jane", "dev"), authority.issue("joe")])
    async with (
        tls_server(authority, authority.issue("server", server=True), tmp_path) as (address, names),
        connect(Access(address, credentials, authority=authority.pem()), QUICK) as client,
    ):
        await client.get(NODES, PartialObject, "", "n")
        credentials.pairs.pop(0)
        await client.get(NODES, PartialObject, "", "n")
    assert names == ["jane", "joe"]


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (Access("https://a", FixedCredentials(), authority="junk"), "certificate-authority: no PEM certificate"),
        (
            Access("https://a", FixedCredentials(certificate=ClientCertificate("junk", "junk"))),
            "client-certificate: certificate and key do not fit together or are no PEM",
        ),
    ],
)
async def test_certificates_that_are_none_are_named(access: Access, message: str) -> None:
    with pytest.raises(KubeconfigError, match=message):
        await ask(access)
