"""What a virtual server's GPUs say of the domain they belong to: ``nvidia-smi``'s table, and AMD's tree of files.

NVIDIA's cards report the cluster and the clique that their NVLink fabric manager gave them. AMD's driver describes each
card as a folder with its links; cards joined by XGMI share a hive, and a link of type 11 is XGMI, one of type 2 PCIe.
"""

from __future__ import annotations

import csv
import io
from hashlib import blake2s
from typing import Final
from uuid import UUID

from railwise.fabric.elements import Domain, Server

XGMI, PCIE = 11, 2
GPU_MODEL_ID: Final = 29711
AMD_VENDOR: Final = 4098
CPU: Final = {"cpu_cores_count": 64, "simd_count": 0}


def nvidia_smi(server: Server, domains: tuple[Domain, ...]) -> str:
    """Return what a query for index, state, cluster and clique prints as CSV."""
    domain = next((one for one in domains if one.kind == "nvlink" and server.name in one.servers), None)
    table = io.StringIO()
    writer = csv.writer(table, delimiter=",", lineterminator="\n")
    table.write("index, uuid, fabric.state, fabric.status, fabric.cliqueId, fabric.clusterUuid\n")
    for index in range(server.gpus):
        card = f"GPU-{UUID(bytes=blake2s(f'{server.name}/{index}'.encode(), digest_size=16).digest())}"
        state = ("Completed", "Success", str(domain.clique), cluster_uuid(domain)) if domain else ("N/A",) * 4
        writer.writerow([index, *(f" {cell}" for cell in (card, *state))])
    return table.getvalue()


def cluster_uuid(domain: Domain) -> str:
    """Return the identifier by which the cards of a domain know it."""
    return domain.cluster_uuid or str(UUID(bytes=blake2s(domain.name.encode(), digest_size=16).digest()))


def kfd_tree(server: Server, domains: tuple[Domain, ...]) -> dict[str, str]:
    """Return the files below ``/sys/class/kfd/kfd/topology`` by their paths: one CPU node, then the cards."""
    joined = any(one.kind == "xgmi" and server.name in one.servers for one in domains)
    hive = int.from_bytes(blake2s(server.name.encode(), digest_size=8).digest(), "big") if joined else 0
    files = {"nodes/0/properties": _properties({**CPU, "io_links_count": server.gpus})}
    for card in range(1, server.gpus + 1):
        identity = int.from_bytes(blake2s(f"{server.name}/{card}".encode(), digest_size=8).digest(), "big")
        peers = [one for one in range(1, server.gpus + 1) if one != card] if joined else []
        files[f"nodes/{card}/properties"] = _properties(
            {
                "cpu_cores_count": 0,
                "simd_count": 416,
                "io_links_count": 1 + len(peers),
                "vendor_id": AMD_VENDOR,
                "device_id": GPU_MODEL_ID,
                "location_id": 256 * card,
                "hive_id": hive,
                "num_sdma_xgmi_engines": 3 if joined else 0,
                "unique_id": identity,
            }
        )
        for number, (kind, peer) in enumerate([(PCIE, 0), *((XGMI, peer) for peer in peers)]):
            files[f"nodes/{card}/io_links/{number}/properties"] = _properties(
                {"type": kind, "node_from": card, "node_to": peer, "weight": 15 if kind == XGMI else 20}
            )
        files[f"nodes/0/io_links/{card - 1}/properties"] = _properties(
            {"type": PCIE, "node_from": 0, "node_to": card, "weight": 20}
        )
    return files


def _properties(values: dict[str, int]) -> str:
    return "".join(f"{name} {value}\n" for name, value in values.items())
