"""Switches are read over real gNMI, whichever system they run, and through all that can go wrong."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from socket import socket

import pytest
from grpc.aio import server

from railwise.discovery.backoff import Backoff
from railwise.discovery.gnmi_source import GnmiSource
from railwise.discovery.hearing import Changed, Failed, Hearing, Whole
from railwise.formats.discovery.settings import Login, Target, Trust
from railwise.gnmi.service import serve
from railwise.lab.dialects.cumulus import Cumulus
from railwise.lab.dialects.dialect import Dialect
from railwise.lab.dialects.openconfig import OpenConfig
from railwise.lab.dialects.sonic import SonicDatabase
from railwise.lab.gnmi_switch import ANYBODY, Access, GnmiSwitch
from railwise.lab.neighbour import PortState
from railwise.lab.virtual_switch import VirtualSwitch
from tests.lab.asking import SPINE, leaf

DIALECTS: list[Callable[[], Dialect]] = [SonicDatabase, OpenConfig, Cumulus]


@asynccontextmanager
async def served(
    switch: VirtualSwitch, dialect: Dialect, access: Access = ANYBODY, port: int = 0
) -> AsyncIterator[int]:
    end = server(options=(("grpc.so_reuseport", 0),))
    serve(GnmiSwitch(switch, dialect, access), end)
    at = end.add_insecure_port(f"127.0.0.1:{port}")
    await end.start()
    try:
        yield at
    finally:
        await end.stop(None)


def quiet_port() -> int:
    """Return a free port that the system gives to nobody who asks for any: it can be closed and opened again."""
    for port in Random(os.getpid()).sample(range(20_000, 32_000), 100):
        with socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    pytest.skip("no port below 32000 is free")


class Notes:
    """What a source has told so far, and a way to wait for more."""

    def __init__(self) -> None:
        self.told: list[Hearing] = []
        self._more = asyncio.Event()

    def __call__(self, hearing: Hearing) -> None:
        self.told.append(hearing)
        self._more.set()

    async def until(self, wanted: Callable[[Hearing], bool]) -> Hearing:
        async with asyncio.timeout(20):
            while not any(wanted(one) for one in self.told):
                self._more.clear()
                await self._more.wait()
        return next(one for one in self.told if wanted(one))


@asynccontextmanager
async def watching(source: GnmiSource) -> AsyncIterator[Notes]:
    notes = Notes()
    task = asyncio.create_task(source.watch(notes))
    try:
        yield notes
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def source_of(port: int, login: Login = Login()) -> GnmiSource:  # noqa: B008 # frozen
    return GnmiSource(
        Target("leaf-1", "127.0.0.1", port, trust=Trust(insecure=True), login=login), Backoff(Random(0), 0.05, 0.1)
    )


def heard(hearing: Hearing) -> dict[str, str]:
    assert isinstance(hearing, Whole | Changed), hearing
    return {port: records[0].system_name for port, records in hearing.ports.items() if records}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_every_system_is_recognised_and_tells_the_same(dialect: Callable[[], Dialect]) -> None:
    notes = Notes()
    async with served(leaf(), dialect()) as port:
        await source_of(port).once(notes)
    (told,) = notes.told
    assert isinstance(told, Whole)
    assert heard(told) == {"Ethernet0": "node-1", "Ethernet12": "spine-1"}
    assert {record.port_id for records in told.ports.values() for record in records} == {
        "02:00:00:00:00:11",
        "Ethernet8",
    }


@pytest.mark.parametrize("dialect", [SonicDatabase, Cumulus])
async def test_changes_are_told_as_they_come(dialect: Callable[[], Dialect]) -> None:
    switch = leaf()
    async with served(switch, dialect()) as port, watching(source_of(port)) as notes:
        await notes.until(lambda one: isinstance(one, Whole))
        switch.set_port("Ethernet0", PortState())
        await notes.until(lambda one: isinstance(one, Changed) and one.ports == {"Ethernet0": ()})
        switch.set_port("Ethernet4", PortState(neighbours=(SPINE,)))
        await notes.until(lambda one: isinstance(one, Changed) and heard(one) == {"Ethernet4": "spine-1"})


async def test_a_sampled_system_tells_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("railwise.discovery.gnmi_ways.SAMPLE_EVERY", 1_000_000_000)
    switch = leaf()
    async with served(switch, OpenConfig()) as port, watching(source_of(port)) as notes:
        await notes.until(lambda one: isinstance(one, Whole))
        switch.set_port("Ethernet0", PortState())
        await notes.until(lambda one: isinstance(one, Whole) and heard(one) == {"Ethernet12": "spine-1"})


async def test_a_switch_that_restarts_is_found_again() -> None:
    switch, port = leaf(), quiet_port()
    async with served(switch, SonicDatabase(), port=port):
        source = source_of(port)
        first = Notes()
        await source.once(first)
    async with watching(source) as notes:
        failed = await notes.until(lambda one: isinstance(one, Failed))
        assert isinstance(failed, Failed)
        assert "UNAVAILABLE" in failed.reason
        assert failed.retry > 0
        async with served(switch, SonicDatabase(), port=port):
            await notes.until(lambda one: isinstance(one, Whole))


async def test_passwords_come_from_a_file_and_never_stand_in_a_message(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    async with served(leaf(), SonicDatabase(), Access("admin", "hunter2")) as port:
        right, wrong, none = Notes(), Notes(), Notes()
        await source_of(port, Login("admin", str(secret))).once(right)
        secret.write_text("hunter3\n")
        await source_of(port, Login("admin", str(secret))).once(wrong)
        await source_of(port, Login("admin", str(tmp_path / "no-such-file"))).once(none)
    assert isinstance(right.told[0], Whole)
    assert isinstance(wrong.told[0], Failed)
    assert "UNAUTHENTICATED" in wrong.told[0].reason
    assert isinstance(none.told[0], Failed)
    assert "no-such-file" in none.told[0].reason
    assert "hunter" not in repr((wrong.told, none.told))


async def test_nobody_at_the_usual_ports_is_one_clear_reason() -> None:
    notes = Notes()
    await source_of(0).once(notes)
    (told,) = notes.told
    assert isinstance(told, Failed)
    assert told.reason.startswith("no gNMI at the usual ports: port 9339:")


async def test_plain_text_is_refused_unless_it_is_asked_for() -> None:
    notes = Notes()
    async with served(leaf(), SonicDatabase()) as port:
        await GnmiSource(Target("leaf-1", "127.0.0.1", port), Backoff(Random(0))).once(notes)
    assert isinstance(notes.told[0], Failed)


def test_waits_grow_to_a_limit_and_differ() -> None:
    backoff = Backoff(Random(7), 1.0, 8.0)
    waits = [backoff.wait() for _ in range(6)]
    assert all(limit / 2 <= wait <= limit for wait, limit in zip(waits, [1, 2, 4, 8, 8, 8], strict=True))
    assert len(set(waits)) == len(waits)
    backoff.reset()
    assert backoff.wait() <= 1.0
