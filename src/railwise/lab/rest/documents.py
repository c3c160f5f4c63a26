"""What UFM, NetQ and NMX answer about a laboratory, as plain documents.

UFM lists the ports of an InfiniBand subnet, NetQ the nodes and links of an Ethernet fabric by tier, NMX the compute
trays of NVLink domains. Only links that are up are told.
"""

from __future__ import annotations

from hashlib import blake2s
from typing import Any, Final

from railwise.fabric.addresses import guid_of
from railwise.fabric.elements import COMPUTE_ROLES, Dialect, Port, Role
from railwise.lab.hosts.gpus import cluster_uuid
from railwise.lab.laboratory import Laboratory, chassis_of, mac_of

HOST_TIER: Final = -1
UFM_TIERS: Final = {Role.LEAF: 2, Role.SPINE: 3, Role.SUPER_SPINE: 4, Role.CORE: 4}
NETQ_TIERS: Final = {Role.LEAF: 1, Role.SPINE: 2, Role.SUPER_SPINE: 3, Role.CORE: 4}


def ufm_ports(laboratory: Laboratory) -> list[dict[str, Any]]:
    """Return UFM's list of ports: an entry for each end of each InfiniBand link that is up."""
    fabric = laboratory.fabric
    switches = {one.name: one for one in fabric.switches if one.dialect is Dialect.INFINIBAND}
    others = {one.name for one in fabric.switches} - set(switches)
    adapters = {Port(server.name, nic.name): mac_of(server, nic) for server in fabric.servers for nic in server.nics}
    entries = []
    for link in laboratory.wires.links():
        if not link.up or link.a is None or link.b is None:
            continue
        for near, far in ((link.a, link.b), (link.b, link.a)):
            if not {near.device, far.device} & set(switches) or {near.device, far.device} & others:
                continue
            switch = switches.get(near.device)
            guid = guid_of(chassis_of(switch) if switch is not None else adapters[near])
            peer = switches.get(far.device)
            entries.append(
                {
                    "name": f"{guid}_{near.name if switch is not None else 1}",
                    "description": "Switch IB Port" if switch is not None else "Computer IB Port",
                    "number": int(near.name) if switch is not None and near.name.isdigit() else 1,
                    "physical_state": "Link Up",
                    "logical_state": "Active",
                    "tier": UFM_TIERS.get(switch.role, 2) if switch is not None else 1,
                    "system_name": near.device,
                    "systemID": guid,
                    "guid": guid,
                    "node_description": near.device if switch is not None else f"{near.device} {near.name}",
                    "peer": f"{guid_of(chassis_of(peer) if peer is not None else adapters[far])}_{far.name}",
                    "peer_guid": guid_of(chassis_of(peer) if peer is not None else adapters[far]),
                    "peer_node_name": far.device,
                    "peer_node_description": far.device if peer is not None else f"{far.device} {far.name}",
                    "peer_port_dname": far.name,
                    "dname": near.name,
                }
            )
    return entries


def netq_topology(laboratory: Laboratory) -> list[dict[str, Any]]:
    """Return NetQ's topology graph: nodes by tier (servers: -1), links by pair of devices."""
    fabric = laboratory.fabric
    tiers = {one.name: NETQ_TIERS.get(one.role, 1) for one in fabric.switches if one.role in COMPUTE_ROLES}
    tiers |= {server.name: HOST_TIER for server in fabric.servers}
    identifiers = {name: f"node{number}" for number, name in enumerate(tiers)}
    groups: dict[int, list[dict[str, Any]]] = {}
    for name, tier in tiers.items():
        kind = "discovered_via_lldp" if tier == HOST_TIER else "switch"
        node = {"id": identifiers[name], "name": name, "tier": tier, "device_type": kind, "node_type": "device"}
        groups.setdefault(tier, []).append(node)
    pairs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for link in laboratory.wires.links():
        if link.up and link.a is not None and link.b is not None and {link.a.device, link.b.device} <= set(tiers):
            ends = [{"interface": port.name, "node": identifiers[port.device]} for port in (link.a, link.b)]
            name = "-*-".join(f"{end['node']}:{end['interface']}" for end in ends)
            key = (identifiers[link.a.device], identifiers[link.b.device])
            pairs.setdefault(key, []).append({"id": name, "interfaces": ends})
    return [
        {
            "nodes": [
                {"id": f"tier-{tier}", "name": f"tier-{tier}", "tier": tier, "compounded_nodes": nodes}
                for tier, nodes in sorted(groups.items(), reverse=True)
            ],
            "links": [{"id": f"{a}-*-{b}", "compounded_links": links} for (a, b), links in pairs.items()],
        }
    ]


def nmx_compute_nodes(laboratory: Laboratory) -> list[dict[str, Any]]:
    """Return NMX's compute nodes: the servers of NVLink domains with the chassis and the tray they sit in."""
    servers = {server.name: server for server in laboratory.fabric.servers}
    nodes = []
    for number, domain in enumerate(laboratory.fabric.domains, start=1):
        if domain.kind != "nvlink":
            continue
        for tray, name in enumerate(domain.servers):
            cards = servers[name].gpus if name in servers else 0
            nodes.append(
                {
                    "ID": _identifier(name),
                    "Name": name,
                    "DomainUUID": cluster_uuid(domain),
                    "GpuIDList": [_identifier(f"{name}/{card}") for card in range(cards)],
                    "Health": "HEALTHY" if laboratory.wires.runs(name) else "UNHEALTHY",
                    "LocationInfo": {
                        "ChassisID": number,
                        "ChassisSerialNumber": domain.chassis or _identifier(domain.name),
                        "HostID": 1,
                        "SlotID": tray + 1,
                        "TrayIndex": tray,
                    },
                }
            )
    return nodes


def _identifier(name: str) -> str:
    return blake2s(name.encode(), digest_size=12).hexdigest()
