"""A real lldpd on each end of a cable, in network namespaces of its own: what one hears reaches discovery."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random

import pytest

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Failed, Hearing, Whole
from railwise.discovery.local.lldpd_source import LldpdSource
from railwise.fabric.observations import SERVER
from railwise.formats.discovery.settings import SECOND, Local
from tests.discovery.cables import cable, ip, update

pytestmark = [pytest.mark.slow]

__all__ = ["cable"]


async def test_a_neighbour_comes_goes_and_comes_back(cable: tuple[Path, Path, str]) -> None:
    mine, other, name = cable
    source = LldpdSource(Local("lldpd", "n1", str(mine), every=60 * SECOND), Backoff(Random(0)))
    heard: asyncio.Queue[Hearing] = asyncio.Queue()
    watching = asyncio.create_task(source.watch(heard.put_nowait))

    async def ports(wanted: list[str]) -> Whole:
        async with asyncio.timeout(40):
            while True:
                one = await heard.get()
                if isinstance(one, Whole) and sorted(one.ports) == wanted:
                    return one
                await asyncio.to_thread(update, other)

    try:
        told = await ports(["nic0"])
        (record,) = told.ports["nic0"]
        assert (told.device, told.kind, record.port_description) == ("n1", SERVER, "swp7")
        assert source.known_as is not None
        assert record.chassis_id not in source.known_as.chassis
        ip("-n", f"{name}b", "link", "set", "swp7", "down")
        await ports([])
        ip("-n", f"{name}b", "link", "set", "swp7", "up")
        await asyncio.to_thread(update, other)
        await ports(["nic0"])
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_no_daemon_is_a_failure_with_its_own_words(tmp_path: Path) -> None:
    if shutil.which("lldpcli") is None:
        pytest.skip("lldpcli is not installed")
    heard: list[Hearing] = []
    await LldpdSource(Local("lldpd", "n1", str(tmp_path / "none")), Backoff(Random(0))).once(heard.append)
    (failed,) = heard
    assert isinstance(failed, Failed)
    assert "lldpcli ends with" in failed.reason
