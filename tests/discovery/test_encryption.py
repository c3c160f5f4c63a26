"""Connections to switches are encrypted and both ends verified, or there is no connection."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from railwise.discovery.backoff import Backoff
from railwise.discovery.gnmi_source import GnmiSource
from railwise.discovery.hearing import Failed, Hearing, Whole
from railwise.formats.discovery.settings import Target, Trust
from railwise.lab.laboratory import Laboratory
from railwise.lab.serving import Certificates, Listening, Switchboard
from tests.discovery.certificates import Authority
from tests.lab.test_laboratory import fabric


async def told(port: int, trust: Trust) -> Hearing:
    heard: list[Hearing] = []
    await GnmiSource(Target("leaf-0", "127.0.0.1", port, trust=trust), Backoff(Random(0))).once(heard.append)
    (one,) = heard
    return one


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def test_a_switch_with_the_right_certificate_is_read(authority: Authority) -> None:
    pair = authority.pair("leaf-0.example")
    board = Switchboard(Laboratory(fabric()), Listening(certificates=Certificates(pair.key, pair.certificate)))
    await board.start()
    try:
        port = board.ports["leaf-0"]
        assert isinstance(await told(port, Trust(authority=str(authority.file))), Whole)
        named = Trust(authority=str(authority.file), server_name="leaf-0.example")
        assert isinstance(await told(port, named), Whole)
        for refused in (
            Trust(),
            Trust(insecure=True),
            Trust(authority=str(authority.file), server_name="leaf-9.example"),
        ):
            assert isinstance(await told(port, refused), Failed)
    finally:
        await board.stop()


async def test_another_authority_is_not_believed(authority: Authority, tmp_path: Path) -> None:
    pair = Authority(tmp_path, "impostor").pair("leaf-0.example")
    board = Switchboard(Laboratory(fabric()), Listening(certificates=Certificates(pair.key, pair.certificate)))
    await board.start()
    try:
        assert isinstance(await told(board.ports["leaf-0"], Trust(authority=str(authority.file))), Failed)
    finally:
        await board.stop()


async def test_a_switch_may_ask_for_our_certificate(authority: Authority) -> None:
    server, client = authority.pair("leaf-0.example"), authority.pair("reader.example")
    certificates = Certificates(server.key, server.certificate, authority.file)
    board = Switchboard(Laboratory(fabric()), Listening(certificates=certificates))
    await board.start()
    try:
        port = board.ports["leaf-0"]
        with_ours = Trust(authority=str(authority.file), certificate=str(client.certificate), key=str(client.key))
        assert isinstance(await told(port, with_ours), Whole)
        assert isinstance(await told(port, Trust(authority=str(authority.file))), Failed)
    finally:
        await board.stop()


async def test_a_certificate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    answer = await told(1, Trust(authority=str(tmp_path / "none.pem")))
    assert isinstance(answer, Failed)
    assert answer.reason == f"{tmp_path / 'none.pem'}: No such file or directory"
