"""NICs and cards of this machine from sysfs: ``class/net``, ``class/infiniband`` and ``bus/pci`` below a root.

The root is an argument: ``/sys``, or where a container sees that of its host. Virtual interfaces (functions,
representors, bridges) are no NICs: they hang on no PCI device, or are a virtual function of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from railwise.fabric.observations import Report
from railwise.formats.hosts.affinity import UNKNOWN_NUMA, Adapter, PciDevice, affinity_report

MOST_DEVICES: Final = 4096
LONGEST: Final = 256
_CARD_CLASSES: Final = ("0x0302", "0x0300", "0x1200")
"""PCI classes of 3D controllers, displays and processing accelerators."""

_CARD_VENDORS: Final = ("0x10de", "0x1002", "0x19e5", "0x1da3", "0x8086")
"""NVIDIA, AMD, Huawei, Habana and Intel; a display of anybody else shows a console."""

_NVIDIA: Final = "0x10de"
_DISPLAY: Final = "0x0300"


def read_affinity(root: Path, server: str) -> Report:
    """Return the report of this machine. Raises OSError where there is no ``bus/pci`` below the root."""
    devices = root / "bus" / "pci" / "devices"
    folders = sorted(itertools.islice(devices.iterdir(), MOST_DEVICES))
    cards = [_place(root, folder) for folder in folders if _is_card(folder)]
    return affinity_report(list(_adapters(root)), cards, server)


def _is_card(folder: Path) -> bool:
    kind, vendor = _text(folder / "class")[:6], _text(folder / "vendor")
    if kind not in _CARD_CLASSES or vendor not in _CARD_VENDORS or (folder / "physfn").exists():
        return False
    return kind != _DISPLAY or vendor == _NVIDIA  # boards have displays of AMD's and Intel's that compute nothing


def _adapters(root: Path) -> Iterator[Adapter]:
    rdma = {interface: name for name, interface in _rdma(root)}
    taken = set()
    for folder in _folders(root / "class" / "net"):
        device = folder / "device"
        if not device.exists() or (device / "physfn").exists():
            continue
        taken.add(rdma.get(folder.name, ""))
        yield Adapter(
            folder.name,
            _place(root, device),
            _text(folder / "address"),
            up=_text(folder / "operstate") in ("up", "unknown", ""),
            speed=max(_number(_text(folder / "speed"), 0), 0),
            rdma=rdma.get(folder.name, ""),
        )
    for folder in _folders(root / "class" / "infiniband"):
        if folder.name in taken or not (folder / "device").exists() or (folder / "device" / "physfn").exists():
            continue
        port = folder / "ports" / "1"
        guid = _text(folder / "node_guid").replace(":", "")
        up = _text(port / "state").startswith("4")  # "4: ACTIVE"
        rate = _text(port / "rate").partition(" ")[0]  # "400 Gb/sec (4X NDR)"
        yield Adapter(folder.name, _place(root, folder / "device"), guid, up, _number(rate, 0) * 1000)


def _rdma(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (RDMA device, its network interface) where there is one."""
    for folder in _folders(root / "class" / "infiniband"):
        for interface in _folders(folder / "device" / "net"):
            yield folder.name, interface.name


def _place(root: Path, device: Path) -> PciDevice:
    """Return where a device hangs, by the folders that the kernel keeps it in."""
    real = device.resolve()
    parts = real.relative_to(root.resolve()).parts if real.is_relative_to(root.resolve()) else ()
    steps = tuple(part for part in parts if part.startswith("pci") or part.count(":") == 2)  # noqa: PLR2004 # dddd:bb:dd.f
    return PciDevice(steps, _number(_text(device / "numa_node"), UNKNOWN_NUMA))


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(itertools.islice(folder.iterdir(), MOST_DEVICES))
    except OSError:
        return []


def _text(path: Path) -> str:
    """Return the first line of a small file; nothing where it cannot be read (as the speed of a port that is down)."""
    try:
        with path.open("rb") as content:
            return content.readline(LONGEST).decode("ascii", "replace").strip()
    except OSError:
        return ""


def _number(text: str, otherwise: int) -> int:
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) < 12 else otherwise  # noqa: PLR2004 # no kernel says more
