"""Machines as their kernels show them, in folders: NICs and cards on a PCI tree."""

from __future__ import annotations

import os
from pathlib import Path


def sysfs_with_nics(root: Path, pairs: int, *, rdma: bool = False) -> Path:
    """Make a sysfs with pairs of a NIC and a card, each pair below a PCI switch of its own, and return its root."""
    for index in range(pairs):
        bridge = f"devices/pci0000:{index // 4:02x}/0000:{index // 4:02x}:{index:02x}.0"
        nic = pci_device(root, f"{bridge}/0000:{16 + index:02x}:00.0", "0x020000", "0x15b3", index // 4)
        pci_device(root, f"{bridge}/0000:{64 + index:02x}:00.0", "0x030200", "0x10de", index // 4)
        interface(root, nic, f"eth{index}", f"02:00:00:00:00:{index:02x}")
        if rdma:
            device = nic / "infiniband" / f"mlx5_{index}"
            device.mkdir(parents=True)
            link(root / "class" / "infiniband" / device.name, device)
            link(device / "device", nic)
    return root


def pci_device(root: Path, path: str, kind: str, vendor: str, numa: int) -> Path:
    """Make a PCI device, and return its folder."""
    folder = root / path
    folder.mkdir(parents=True)
    for name, text in (("class", kind), ("vendor", vendor), ("numa_node", str(numa))):
        (folder / name).write_text(f"{text}\n")
    link(root / "bus" / "pci" / "devices" / folder.name, folder)
    return folder


def interface(root: Path, device: Path, name: str, mac: str) -> Path:
    """Make a network interface of a device, and return its folder."""
    folder = device / "net" / name
    folder.mkdir(parents=True)
    for file, text in (("address", mac), ("operstate", "up"), ("speed", "400000")):
        (folder / file).write_text(f"{text}\n")
    link(folder / "device", device)
    link(root / "class" / "net" / name, folder)
    return folder


def link(at: Path, to: Path) -> None:
    """Make a relative link, as the kernel does."""
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(os.path.relpath(to, at.parent))
