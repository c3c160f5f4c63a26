"""NICs and cards of a machine, from folders laid out as its kernel does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from railwise.discovery.hearing import Failed, Hearing, Told
from railwise.discovery.local.polled_source import PolledSource
from railwise.discovery.local.sysfs import read_affinity
from railwise.formats.discovery.settings import Local
from railwise.formats.hosts.affinity import PciDevice, nearest
from tests.discovery.machines import interface, link, pci_device, sysfs_with_nics


def test_each_nic_is_nearest_to_the_card_below_its_switch(tmp_path: Path) -> None:
    found = read_affinity(sysfs_with_nics(tmp_path, 8, rdma=True), "n1")
    assert [(port.name, port.gpus, port.aliases, port.mac) for port in found.ports] == [
        (f"eth{index}", (index,), (f"mlx5_{index}",), f"02:00:00:00:00:{index:02x}") for index in range(8)
    ]
    assert {port.speed for port in found.ports} == {400_000}
    assert (found.speaker.name, found.links, found.ports[0].pci) == ("n1", False, "0000:10:00.0")


def test_virtual_functions_and_bridges_are_no_nics(tmp_path: Path) -> None:
    root = sysfs_with_nics(tmp_path, 1)
    virtual = pci_device(root, "devices/pci0000:00/0000:00:00.0/0000:10:00.2", "0x020000", "0x15b3", 0)
    link(virtual / "physfn", root / "bus" / "pci" / "devices" / "0000:10:00.0")
    interface(root, virtual, "eth0v0", "02:00:00:00:01:00")
    (root / "class" / "net" / "docker0").mkdir()
    assert [port.name for port in read_affinity(root, "n1").ports] == ["eth0"]


def test_an_adapter_without_an_interface_is_told_by_its_guid(tmp_path: Path) -> None:
    root = sysfs_with_nics(tmp_path, 2, rdma=True)
    for index, state in enumerate(("4: ACTIVE", "1: DOWN")):
        shutil.rmtree((root / "class" / "net" / f"eth{index}").resolve())
        (root / "class" / "net" / f"eth{index}").unlink()
        device = root / "class" / "infiniband" / f"mlx5_{index}"
        (device / "node_guid").write_text(f"a088:c203:0012:345{index}\n")
        (device / "ports" / "1").mkdir(parents=True)
        (device / "ports" / "1" / "state").write_text(f"{state}\n")
        (device / "ports" / "1" / "rate").write_text("400 Gb/sec (4X NDR)\n")
    found = read_affinity(root, "n1").ports
    assert [(port.name, port.mac, port.up, port.speed, port.gpus) for port in found] == [
        ("mlx5_0", "a088c20300123450", True, 400_000, (0,)),
        ("mlx5_1", "a088c20300123451", False, 400_000, (1,)),
    ]


@pytest.mark.parametrize(
    ("nic", "cards", "wanted"),
    [
        (PciDevice(("pci0", "b", "n")), [PciDevice(("pci0", "b", "g")), PciDevice(("pci0", "c", "g"))], (0,)),
        (PciDevice(("pci0", "n")), [PciDevice(("pci0", "g")), PciDevice(("pci0", "h"))], ()),
        (PciDevice(("pci0", "n")), [PciDevice(("pci0", "g")), PciDevice(("pci1", "h"))], (0,)),
        (PciDevice(("pci0", "n"), 1), [PciDevice(("pci1", "g"), 0), PciDevice(("pci2", "h"), 1)], (1,)),
        (PciDevice(("pci0", "n")), [PciDevice(("pci1", "g")), PciDevice(("pci2", "h"))], ()),
        (PciDevice(("pci0", "n")), [PciDevice(("pci0", "g"))], (0,)),
        (PciDevice(()), [], ()),
    ],
    ids=["switch", "one root for all", "root", "numa", "nothing in common", "the only one", "no cards"],
)
def test_nearest_is_what_shares_most_and_nothing_where_all_share_alike(
    nic: PciDevice, cards: list[PciDevice], wanted: tuple[int, ...]
) -> None:
    assert nearest(nic, cards) == wanted


def test_displays_are_no_cards(tmp_path: Path) -> None:
    root = sysfs_with_nics(tmp_path, 2)
    pci_device(root, "devices/pci0000:00/0000:03:00.0", "0x030000", "0x1a03", 0)
    pci_device(root, "devices/pci0000:00/0000:04:00.0", "0x030000", "0x1002", 0)
    assert [port.gpus for port in read_affinity(root, "n1").ports] == [(0,), (1,)]


@pytest.mark.parametrize("kind", ["affinity", "kfd"])
async def test_a_root_that_is_none_fails_for_this_source_alone(kind: str, tmp_path: Path) -> None:
    heard: list[Hearing] = []
    await PolledSource(Local(kind, "n1", str(tmp_path / "nowhere"))).once(heard.append)
    (failed,) = heard
    assert isinstance(failed, Failed)
    assert "nowhere" in failed.reason or "no nodes" in failed.reason


@pytest.mark.skipif(not Path("/sys/bus/pci/devices").is_dir(), reason="this machine has no PCI bus to look at")
async def test_the_machine_this_runs_on_can_be_read() -> None:
    heard: list[Hearing] = []
    await PolledSource(Local("affinity", "here")).once(heard.append)
    assert isinstance(heard[0], Told)
