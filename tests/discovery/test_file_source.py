"""Files of servers are found by their names, read when they change, and harm only their own server."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from railwise.discovery.file_source import FileSource
from railwise.discovery.hearing import Failed, Hearing, Told, Whole
from railwise.fabric.observations import SERVER
from railwise.formats.discovery.settings import HostFiles
from railwise.lab.hosts.folder import HostFolder
from railwise.lab.laboratory import Laboratory
from tests.lab.test_laboratory import fabric


async def told(source: FileSource) -> list[Hearing]:
    heard: list[Hearing] = []
    await source.once(heard.append)
    return heard


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    HostFolder(Laboratory(fabric()), tmp_path).write_all()
    return tmp_path


async def test_the_servers_name_stands_in_the_path(folder: Path) -> None:
    heard = await told(FileSource(HostFiles("lldpctl", "hosts/*/lldpctl.json"), folder))
    assert [(type(one), one.device) for one in heard] == [(Whole, "gpu-0"), (Whole, "gpu-1")]
    assert isinstance(heard[0], Whole)
    assert {port: records[0].system_name for port, records in heard[0].ports.items()} == {
        "eth0": "leaf-0",
        "eth1": "leaf-1",
    }


async def test_gpu_domains_are_told_too(folder: Path) -> None:
    (smi,) = await told(FileSource(HostFiles("nvidia-smi", "hosts/*/nvidia-smi.csv"), folder))
    (kfd,) = await told(FileSource(HostFiles("kfd", "hosts/gpu-1/kfd", "gpu-1"), folder))
    assert isinstance(smi, Told)
    assert isinstance(kfd, Told)
    assert (smi.device, kfd.device) == ("gpu-0", "gpu-1")
    assert (smi.report.scale_up[0].gpus, kfd.report.scale_up[0].kind) == (8, "xgmi")


async def test_only_what_changed_is_read_again(folder: Path) -> None:
    source = FileSource(HostFiles("lldpctl", "hosts/*/lldpctl.json"), folder)
    assert len(await told(source)) == 2
    path = folder / "hosts" / "gpu-1" / "lldpctl.json"
    path.write_text('{"lldp": [{}]}')
    os.utime(path, ns=(1, 1))
    (again,) = await told(source)
    assert again == Whole("lldpctl", "gpu-1", {}, SERVER)


async def test_a_broken_file_harms_its_server_alone(folder: Path) -> None:
    (folder / "hosts" / "gpu-0" / "lldpctl.json").write_text("{")
    first, second = await told(FileSource(HostFiles("lldpctl", "hosts/*/lldpctl.json"), folder))
    assert isinstance(first, Failed)
    assert "gpu-0/lldpctl.json: no JSON" in first.reason
    assert isinstance(second, Whole)


@pytest.mark.parametrize("path", ["nothing/*/here.json", "nothing.json"])
async def test_no_file_at_all_is_a_failure(tmp_path: Path, path: str) -> None:
    server = "" if "*" in path else "gpu-1"
    (one,) = await told(FileSource(HostFiles("lldpctl", path, server), tmp_path))
    assert isinstance(one, Failed)
    assert one.reason == f"no file {path}"


async def test_a_star_stands_for_one_part_of_a_path(tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "deep/c.json"):
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_text(json.dumps({"lldp": [{}]}))
    heard = await told(FileSource(HostFiles("lldpctl", str(tmp_path / "out" / "*.json")), Path("/elsewhere")))
    assert [one.device for one in heard] == ["a", "b"]
