"""A real lldpd on each end of a cable, in network namespaces of its own: what one hears reaches discovery."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Failed, Hearing, Whole
from railwise.discovery.local.lldpd_source import LldpdSource
from railwise.fabric.observations import SERVER
from railwise.formats.discovery.settings import SECOND, Local

pytestmark = [pytest.mark.slow]


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def cable() -> Iterator[tuple[Path, Path, str]]:
    """Yield the sockets of the lldpd at both ends, and what the namespaces' names begin with."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "lldpd", "lldpcli"))):
        pytest.skip("needs root, iproute2 and lldpd: a cable between two network namespaces")
    name = f"rw{os.getpid()}"
    try:
        for side in "ab":
            ip("netns", "add", f"{name}{side}")
    except subprocess.CalledProcessError:
        pytest.skip("network namespaces are not allowed here")
    daemons = []
    folder = Path(tempfile.mkdtemp(prefix=name))
    folder.chmod(0o755)  # lldpcli gives up being root before it opens the socket
    sockets = [folder / f"{side}.socket" for side in "ab"]
    try:
        ip("link", "add", "nic0", "netns", f"{name}a", "type", "veth", "peer", "name", "swp7", "netns", f"{name}b")
        for side, port, socket in (("a", "nic0", sockets[0]), ("b", "swp7", sockets[1])):
            ip("-n", f"{name}{side}", "link", "set", port, "up")
            command = ["ip", "netns", "exec", f"{name}{side}", "lldpd", "-d", "-u", str(socket), "-I", port]
            daemons.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        deadline = time.monotonic() + 20
        while not all(socket.exists() for socket in sockets):
            assert time.monotonic() < deadline, "lldpd does not start"
            time.sleep(0.1)
        yield sockets[0], sockets[1], name
    finally:
        for daemon in daemons:
            daemon.terminate()
            daemon.wait(10)
        for side in "ab":
            subprocess.run(["ip", "netns", "del", f"{name}{side}"], check=False, capture_output=True)
        shutil.rmtree(folder)


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
                await asyncio.to_thread(subprocess.run, ["lldpcli", "-u", str(other), "update"], check=False)

    try:
        told = await ports(["nic0"])
        (record,) = told.ports["nic0"]
        assert (told.device, told.kind, record.port_description) == ("n1", SERVER, "swp7")
        assert source.known_as is not None
        assert record.chassis_id not in source.known_as.chassis
        ip("-n", f"{name}b", "link", "set", "swp7", "down")
        await ports([])
        ip("-n", f"{name}b", "link", "set", "swp7", "up")
        await asyncio.to_thread(subprocess.run, ["lldpcli", "-u", str(other), "update"], check=False)
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
