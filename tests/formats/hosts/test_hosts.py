"""What servers and managers say of GPUs and links, from real files where there are any."""

from __future__ import annotations

import json
import tarfile

import pytest

from railwise.fabric.elements import Dialect, Domain, Server
from railwise.fabric.observations import SERVER, SWITCH
from railwise.formats.hosts.kfd import read_kfd
from railwise.formats.hosts.nvidia_smi import read_nvidia_smi
from railwise.formats.managers.ufm import read_ufm_ports
from railwise.lab.hosts.gpus import cluster_uuid, kfd_tree, nvidia_smi
from railwise.lab.laboratory import Laboratory
from railwise.lab.rest.documents import ufm_ports
from railwise.model.errors import InputError
from tests.conftest import SHARED
from tests.lab.test_laboratory import fabric

HIVES = SHARED / "fixtures" / "amd" / "kfd-mi210-xgmi-pcie.tar.gz"
UUID = "3fbfc98b-7f95-4749-ab11-bd351a2aab3e"
HEAD = "index, fabric.state, fabric.cliqueId, fabric.clusterUuid\n"


def smi(*rows: str) -> bytes:
    return (HEAD + "".join(row + "\n" for row in rows)).encode()


def test_cards_of_one_clique_are_one_domain() -> None:
    report = read_nvidia_smi(smi(*(f"{card}, Completed, 2, {UUID}" for card in range(4))), "gpu-1")
    (domain,) = report.scale_up
    assert (domain.domain, domain.gpus, domain.health, report.links) == (f"{UUID}.2", 4, "", False)


def test_cards_that_disagree_are_several_domains_most_cards_first() -> None:
    report = read_nvidia_smi(
        smi(f"0, Completed, 1, {UUID}", f"1, Completed, 2, {UUID}", f"2, Completed, 2, {UUID}"), "g"
    )
    assert [(one.domain[-1], one.gpus) for one in report.scale_up] == [("2", 2), ("1", 1)]


@pytest.mark.parametrize("row", ["0, N/A, N/A, N/A", "0, In Progress, 0, 00000000-0000-0000-0000-000000000000", "0"])
def test_cards_without_a_domain_have_none(row: str) -> None:
    assert read_nvidia_smi(smi(row), "gpu-1").scale_up == ()


def test_a_fabric_that_is_not_up_is_told() -> None:
    report = read_nvidia_smi(smi(f"0, In Progress, 1, {UUID}"), "gpu-1")
    assert report.scale_up[0].health == "fabric In Progress"


@pytest.mark.parametrize("data", [b"", b"index, uuid\n0, x\n", b"\xff\xfe", smi("0, Completed, x, y")])
def test_other_tables_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_nvidia_smi(data, "gpu-1")


def test_the_laboratorys_outputs_are_read_back() -> None:
    server, domain = Server("gpu-1", gpus=8), Domain("rack-1", ("gpu-1",), clique=3)
    (found,) = read_nvidia_smi(nvidia_smi(server, (domain,)).encode(), "gpu-1").scale_up
    assert (found.domain, found.gpus) == (f"{cluster_uuid(domain)}.3", 8)
    tree = kfd_tree(server, (Domain("hive", ("gpu-1",), kind="xgmi"),))
    (hive,) = read_kfd({path: text.encode() for path, text in tree.items()}, "gpu-1").scale_up
    assert (hive.kind, hive.gpus) == ("xgmi", 8)
    alone = kfd_tree(server, ())
    assert read_kfd({path: text.encode() for path, text in alone.items()}, "gpu-1").scale_up == ()


def test_a_recorded_server_has_two_hives_of_four() -> None:
    if not HIVES.exists():
        pytest.skip("no recorded tree beside the checkout")
    with tarfile.open(HIVES) as archive:
        members = [(one.name, archive.extractfile(one)) for one in archive.getmembers() if one.isfile()]
        files = {name: member.read() for name, member in members if member is not None}
    found = read_kfd(files, "mi210").scale_up
    assert [(one.domain, one.gpus) for one in found] == [("aefdf8293fefa6b7", 4), ("fb11632c00f4d272", 4)]


def test_a_hive_without_links_is_not_believed() -> None:
    tree = kfd_tree(Server("g", gpus=2), (Domain("hive", ("g",), kind="xgmi"),))
    without = {path: text for path, text in tree.items() if not path.startswith("nodes/2/io_links")}
    (hive,) = read_kfd({path: text.encode() for path, text in without.items()}, "g").scale_up
    assert hive.gpus == 1


def test_a_folder_without_nodes_is_refused() -> None:
    with pytest.raises(InputError, match="no nodes"):
        read_kfd({"nodes/x": b""}, "gpu-1")


def test_ufm_names_both_ends() -> None:
    document = ufm_ports(Laboratory(fabric(below=Dialect.INFINIBAND)))
    reports = {report.speaker.name: report for report in read_ufm_ports(json.dumps(document).encode())}
    assert {name: report.speaker.kind for name, report in reports.items()} == {
        "gpu-0": SERVER, "gpu-1": SERVER, "leaf-0": SWITCH, "leaf-1": SWITCH,
    }  # fmt: skip
    heard = reports["leaf-0"].observations
    assert [(one.port, one.name, one.description, one.kind) for one in heard] == [
        ("1", "gpu-0", "eth0", SERVER), ("2", "gpu-1", "eth0", SERVER),
    ]  # fmt: skip
    assert [(one.port, one.name, one.remote_port) for one in reports["gpu-0"].observations] == [
        ("eth0", "leaf-0", "1"), ("eth1", "leaf-1", "1"),
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"{}", b"{", b"7", b"\xff"])
def test_other_answers_of_ufm_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_ufm_ports(data)


def test_entries_of_ufm_that_say_nothing_are_left_out() -> None:
    assert read_ufm_ports(b'[1, {}, {"guid": 7}, {"system_name": "a", "guid": "b"}]') == []
