"""A laboratory in operation: orders from another process, a timeline, files and managers that follow the wiring."""

from __future__ import annotations

import asyncio
import base64
import csv
import json
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession

from railwise.fabric.elements import Action, Dialect, Event, Fabric
from railwise.formats.lldp.lldpctl import read_lldpctl
from railwise.lab.control import send
from railwise.lab.gnmi_switch import Access
from railwise.lab.orders import OrderError
from railwise.lab.running import RunningLab
from railwise.lab.serving import Listening
from tests.conftest import SHARED
from tests.lab.test_laboratory import fabric, names


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def left(folder: Path) -> list[Path]:
    return list(folder.iterdir())


BASIC = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}
CABLE = {"do": "cable", "ends": ["gpu-0/eth0", "leaf-0"]}
RECORDED = SHARED / "fixtures" / "topograph" / "ibnetdiscover-122-hosts.txt"


@asynccontextmanager
async def running(of: Fabric, folder: Path, listening: Listening = Listening()) -> AsyncIterator[RunningLab]:  # noqa: B008
    lab = RunningLab(of, folder, listening)
    await lab.start()
    try:
        yield lab
    finally:
        await lab.stop()


async def test_another_process_acts_through_a_socket_of_its_own(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path) as lab:
        socket = Path(lab.directory()["control"])
        assert mode(socket) == 0o600
        assert await asyncio.to_thread(send, socket, CABLE) == ["gpu-0/eth0", "leaf-0/Ethernet0"]
        assert "Ethernet0" not in names(lab.laboratory, "leaf-0")
        with pytest.raises(OrderError, match="no switch leaf-9"):
            await asyncio.to_thread(send, socket, {"do": "switch", "name": "leaf-9"})
        with pytest.raises(OSError, match="another laboratory"):
            await RunningLab(fabric(), tmp_path, Listening()).start()
    assert {path.name for path in left(tmp_path)} == {"hosts"}


async def test_a_socket_that_nobody_listens_on_is_replaced(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path):
        (tmp_path / "control.sock").rename(tmp_path / "left")
    (tmp_path / "left").rename(tmp_path / "control.sock")
    async with running(fabric(), tmp_path) as lab:
        assert await asyncio.to_thread(send, Path(lab.directory()["control"]), CABLE)


async def test_a_flap_goes_off_and_on_again(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path) as lab:
        reader = lab.laboratory.devices["leaf-0"].follow()
        await asyncio.to_thread(send, tmp_path / "control.sock", CABLE | {"times": 2, "every": 0.05})
        assert await reader.next(5) == ["Ethernet0"]
        await asyncio.sleep(0.3)
        assert "Ethernet0" in names(lab.laboratory, "leaf-0")


@pytest.mark.parametrize("line", [b"", b"\n", b"[1]\n", b"{\n", b"\xff\xfe\n", b"x" * 100_000 + b"\n"])
async def test_garbage_on_the_socket_harms_nobody(tmp_path: Path, line: bytes) -> None:
    async with running(fabric(), tmp_path):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "control.sock")
        writer.write(line)
        writer.write_eof()
        answer = await reader.read()
        assert not answer or b"error" in answer
        writer.close()
        assert await asyncio.to_thread(send, tmp_path / "control.sock", {"do": "switch", "name": "leaf-0"})


async def test_the_timeline_plays_by_itself_as_fast_as_asked(tmp_path: Path) -> None:
    timeline = (Event(60_000_000, Action.CABLE, on=False, cable=0),)
    async with running(fabric(timeline), tmp_path) as lab:
        await lab.play(speed=10_000)
        assert "Ethernet0" not in names(lab.laboratory, "leaf-0")


async def test_files_of_servers_follow_the_wiring(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path):
        path = tmp_path / "hosts" / "gpu-0" / "lldpctl.json"
        before = {record.port: record.system_name for record in read_lldpctl(path.read_bytes())}
        await asyncio.to_thread(send, tmp_path / "control.sock", CABLE)
        after = {record.port: record.system_name for record in read_lldpctl(path.read_bytes())}
    assert (before, after) == ({"eth0": "leaf-0", "eth1": "leaf-1"}, {"eth1": "leaf-1"})


async def test_gpus_tell_their_domain(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path):
        table = (tmp_path / "hosts/gpu-0/nvidia-smi.csv").read_text()
        rows = list(csv.DictReader(table.splitlines(), skipinitialspace=True))
        tree = tmp_path / "hosts" / "gpu-1" / "kfd" / "nodes"
        cards = [dict(line.split() for line in (tree / f"{n}/properties").read_text().splitlines()) for n in range(9)]
        links = [path.read_text() for path in (tree / "1").glob("io_links/*/properties")]
    assert len(rows) == 8
    assert len({row["fabric.clusterUuid"] for row in rows}) == 1
    assert {row["fabric.state"] for row in rows} == {"Completed"}
    assert [card["simd_count"] == "0" for card in cards] == [True, *[False] * 8]
    assert len({card["hive_id"] for card in cards[1:]}) == 1
    assert len({card["unique_id"] for card in cards[1:]}) == 8
    assert sum("type 11\n" in link for link in links) == 7


async def test_infiniband_is_printed_in_the_form_of_a_recorded_output(tmp_path: Path) -> None:
    async with running(fabric(below=Dialect.INFINIBAND), tmp_path) as lab:
        text = (tmp_path / "ibnetdiscover.txt").read_text()
        assert list(lab.laboratory.devices) == ["spine-0"]
    forms = [_form(line) for line in text.splitlines()]
    assert forms.count('Switch# "S-G"# "T" enhanced port # lid # lmc #') == 2
    assert forms.count('Ca# "H-G"# "T"') == 4
    if not RECORDED.exists():
        pytest.skip("no recorded output beside the checkout")
    assert set(forms) <= {_form(line) for line in RECORDED.read_text().splitlines()}


def _form(line: str) -> str:
    """Return a line with identifiers, names and numbers as placeholders and blanks as one."""
    line = re.sub(r'# ".*?"', '# "T"', re.sub(r'lmc \d+ ".*?"', 'lmc # "T"', line))
    line = re.sub(r"[0-9a-f]{16}", "G", line) if not line.startswith("# ") else "# comment"
    return (
        re.sub(r"\s+", " ", re.sub(r"\b\d+\b(?!x)", "#", re.sub(r"4x[A-Z]DR", "W", line)))
        .replace(' # "', '# "')
        .strip()
    )


async def test_managers_answer_who_is_known_to_them(tmp_path: Path) -> None:
    listening = Listening(access=Access("admin", "secret"))
    async with running(fabric(below=Dialect.INFINIBAND), tmp_path, listening) as lab, ClientSession() as session:
        base = lab.directory()["managers"]
        for path in ("/ufmRest/resources/ports", "/nmx/v1/compute-nodes"):
            async with session.get(base + path) as refused:
                assert refused.status == 401
            async with session.get(base + path, headers=BASIC) as answer:
                assert answer.status == 200
                assert await answer.json()
        body = {"username": "admin", "password": "secret"}
        async with session.post(base + "/api/netq/auth/v1/login", json=body) as answer:
            token = (await answer.json())["access_token"]
        fetch = base + "/api/netq/telemetry/v1/object/topologygraph/fetch-topology?timestamp=0"
        async with session.post(fetch, json={}, headers={"Authorization": f"Bearer {token}"}) as answer:
            (graph,) = await answer.json()
        async with session.post(fetch, json={}) as refused:
            assert refused.status == 401
    tiers = {node["name"]: node["tier"] for group in graph["nodes"] for node in group["compounded_nodes"]}
    assert tiers == {"leaf-0": 1, "leaf-1": 1, "spine-0": 2, "gpu-0": -1, "gpu-1": -1}
    assert sum(len(link["compounded_links"]) for link in graph["links"]) == 6


async def test_the_directory_says_where_everything_is(tmp_path: Path) -> None:
    async with running(fabric(), tmp_path):
        directory = json.loads((tmp_path / "lab.json").read_text())
    assert [switch["dialect"] for switch in directory["switches"]] == ["sonic", "sonic", "cumulus"]
    assert len({switch["address"] for switch in directory["switches"]}) == 3
