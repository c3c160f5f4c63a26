"""Switch or server, leaf or spine: told from what a format of others says, from names, or from the cables themselves.

Most formats list devices and links and leave open what a device is. What is written down counts first (a role, an
image, a kind), then the words people use in names, then the names of the ports; a switch whose role nobody tells gets
it from where it stands: over servers a leaf, over leaves a spine,
beside the network that carries most a storage switch.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from railwise.fabric.addresses import derived_mac
from railwise.fabric.elements import NO_RAIL, Cable, Dialect, Nic, Role, Server, Switch
from railwise.fabric.tiers import Hints, find_tiers
from railwise.model.natural import natural_key

_SWITCH_PORT: Final = re.compile(r"(swp|ethernet|fortygige|hundredgige|et-|xe-|ge-)[0-9]|[0-9]+", re.IGNORECASE)
_SERVER_WORD: Final = re.compile(
    r"(^|[^a-z])(server|gpu|host|node|dgx|hgx|worker|compute|storage-node|login)([^a-z]|$)", re.IGNORECASE
)
_MANAGEMENT: Final = re.compile(r"(^|[^a-z])(oob|mgmt|management|ipmi|bmc)([^a-z]|$)", re.IGNORECASE)
_ROLE_WORDS: Final = (
    (re.compile(r"scale-?up|nvlink|nvsw", re.IGNORECASE), Role.NVLINK),
    (re.compile(r"super-?spine|sspine", re.IGNORECASE), Role.SUPER_SPINE),
    (re.compile(r"spine", re.IGNORECASE), Role.SPINE),
    (_MANAGEMENT, Role.MANAGEMENT),
    (re.compile(r"(^|[^a-z])(stor(age)?)([^a-z]|$).*(leaf|sw|tor)|(leaf|sw|tor).*stor", re.IGNORECASE), Role.STORAGE),
    (re.compile(r"(^|[^a-z])core([^a-z]|$)", re.IGNORECASE), Role.CORE),
    (re.compile(r"leaf|(^|[^a-z])tor([^a-z]|$)", re.IGNORECASE), Role.LEAF),
)
_SWITCH_WORD: Final = re.compile(r"(^|[^a-z])(switch|sw|router)[-_0-9]|switch", re.IGNORECASE)
_IMAGES: Final = (
    (re.compile("cumulus", re.IGNORECASE), Dialect.CUMULUS),
    (re.compile("sonic", re.IGNORECASE), Dialect.SONIC),
    (re.compile("ceos|eos|srl|srlinux|xrd|nxos|openconfig", re.IGNORECASE), Dialect.OPENCONFIG),
)
_TIER_ROLES: Final = (Role.LEAF, Role.SPINE, Role.CORE)

SWITCH: Final = "switch"
SERVER: Final = "server"


@dataclass(slots=True)
class Found:
    """A device as a format of others tells it; what is empty is not told."""

    name: str
    kind: str = ""
    role: str = ""
    image: str = ""
    ports: list[str] = field(default_factory=list)
    macs: dict[str, str] = field(default_factory=dict)
    unit: str = ""
    rail: int = NO_RAIL
    plane: str = ""
    rack: str = ""
    gpus: int = 0
    gpu_model: str = ""
    labels: dict[str, str] = field(default_factory=dict)


def build_devices(found: Sequence[Found], cables: Iterable[Cable]) -> tuple[tuple[Switch, ...], tuple[Server, ...]]:
    """Return switches and servers, each in the order given; ports of cables are added to their devices."""
    by_name = {one.name: one for one in found}
    links: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cable in cables:
        links[cable.a.device][cable.b.device] += 1
        links[cable.b.device][cable.a.device] += 1
        for port in (cable.a, cable.b):
            ports = by_name[port.device].ports
            if port.name not in ports:
                ports.append(port.name)
    kinds = {one.name: one.kind or _kind(one) for one in found}
    roles = {one.name: _role(one) for one in found if kinds[one.name] == SWITCH}
    _fill_roles(roles, links)
    switches = tuple(_switch(one, roles[one.name]) for one in found if kinds[one.name] == SWITCH)
    servers = tuple(_server(one) for one in found if kinds[one.name] != SWITCH)
    return switches, servers


def dialect_of(image: str, ports: Iterable[str] = ()) -> Dialect:
    """Return how a switch with an image, or with ports of such names, speaks."""
    for pattern, dialect in _IMAGES:
        if pattern.search(image):
            return dialect
    names = list(ports)
    if names and all(name.isdigit() for name in names):
        return Dialect.INFINIBAND
    return Dialect.CUMULUS if any(name.startswith("swp") for name in names) else Dialect.SONIC


def _kind(one: Found) -> str:
    """Return whether a device is a switch or a server, by image, name or ports."""
    if one.role:
        return SWITCH if one.role in set(Role) else SERVER
    if any(pattern.search(one.image) for pattern, _ in _IMAGES):
        return SWITCH
    if one.image and not _SWITCH_WORD.search(one.image):
        return SERVER
    if any(pattern.search(one.name) for pattern, _ in _ROLE_WORDS):
        return SWITCH
    if _SERVER_WORD.search(one.name):
        return SERVER
    if _SWITCH_WORD.search(one.name):
        return SWITCH
    many = sum(_SWITCH_PORT.fullmatch(port) is not None or _SWITCH_PORT.match(port) is not None for port in one.ports)
    return SWITCH if 2 * many > len(one.ports) else SERVER


def _role(one: Found) -> str:
    if one.role in set(Role):
        return one.role
    return next((role for pattern, role in _ROLE_WORDS if pattern.search(one.name)), "")


def _fill_roles(roles: dict[str, str], links: Mapping[str, Mapping[str, int]]) -> None:
    """Give the switches without a role the one that their place among the others tells."""
    down: dict[str, dict[str, int]] = {}
    across: dict[str, dict[str, int]] = {}
    for switch in roles:
        mine = links.get(switch, {})
        down[switch] = {other: number for other, number in mine.items() if other not in roles}
        across[switch] = {other: number for other, number in mine.items() if other in roles}
    rank = {name: place for place, name in enumerate(sorted({*roles, *links}, key=natural_key))}
    tiers = find_tiers(down, across, Hints({name: role for name, role in roles.items() if role}), rank)
    for ignored in tiers.ignored:
        for switch in ignored.switches:
            roles[switch] = roles[switch] or (Role.MANAGEMENT if _MANAGEMENT.search(switch) else Role.STORAGE)
    for switch, role in roles.items():
        if not role:
            roles[switch] = _TIER_ROLES[min(tiers.of.get(switch, 0), len(_TIER_ROLES) - 1)]


def _switch(one: Found, role: str) -> Switch:
    return Switch(
        one.name,
        Role(role),
        dialect_of(one.image, one.ports),
        tuple(sorted(one.ports, key=natural_key)),
        chassis=derived_mac(one.name),
        unit=one.unit,
        rail=one.rail,
        plane=one.plane,
        rack=one.rack,
        labels=one.labels,
    )


def _server(one: Found) -> Server:
    nics = tuple(
        Nic(port, mac=one.macs.get(port) or derived_mac(f"{one.name}/{port}"))
        for port in sorted(one.ports, key=natural_key)
    )
    return Server(one.name, nics, one.gpus, one.gpu_model, one.unit, one.rack, one.labels)
