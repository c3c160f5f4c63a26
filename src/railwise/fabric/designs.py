"""The designs that clusters are built to, drawn at any size: what `railwise fabric generate` makes.

- ``rail-optimised``: NIC r of every server of a unit on leaf r of the unit, every leaf on every spine.
- ``dgx-superpod``: the same in units of 32 servers with 8 rails; beyond four units a third tier: each four units have
  spines of their own, which core switches join.
- ``nvl72``: racks of 18 compute trays with 4 GPUs each, every rack one NVLink domain, 4 rails over the racks of a unit.
- ``fat-tree``: each unit a pod of leaves and spines of its own, cores above; all NICs of a server on one leaf.
- ``two-tier-ethernet``: two leaves in each rack, a server's NICs shared out among both, every leaf on every spine.
- ``irregular``: units of unequal size, dead NICs, missing cables, some plugs in the wrong port; all follows the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from railwise.fabric.addresses import derived_uuid
from railwise.fabric.drawing import Drawing, numbered, rail_nics
from railwise.fabric.elements import Dialect, Domain, Fabric, Nic, Plane, Role, Server
from railwise.fabric.irregular import irregular

UNITS_OF_A_POD: Final = 4
"""Units of a SuperPOD that share their spines once there are cores."""

TRAYS: Final = 18
"""Compute trays of an NVL72 rack."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a design is drawn.

    ``servers`` are those of one unit (for ``nvl72`` racks of one unit), ``rails`` the NICs of a server for compute,
    ``spines`` those of the fabric, for ``fat-tree`` those of each pod, for ``dgx-superpod`` those of each four units.
    ``storage`` is the number of storage leaves that every server has one further NIC on. ``speed`` is in Mbit/s.
    """

    units: int
    servers: int
    rails: int
    spines: int
    gpus: int
    gpu_model: str = "H100-80GB"
    speed: int = 400_000
    storage: int = 0
    dialect: Dialect = Dialect.SONIC
    seed: int = 0


def _rails(drawing: Drawing, size: Size, units: list[str], servers: list[Server]) -> list[list[str]]:
    """Add the leaves of rail-optimised units and plug the servers in; return the leaves by unit."""
    leaves = numbered("leaf-", len(units) * size.rails)
    by_unit = []
    for index, unit in enumerate(units):
        mine = leaves[index * size.rails : (index + 1) * size.rails]
        for rail, leaf in enumerate(mine):
            drawing.switch(leaf, Role.LEAF, unit=unit, rail=rail)
        by_unit.append(mine)
    for index, mine in enumerate(by_unit):
        for rail, leaf in enumerate(mine):
            for server in servers:
                if server.unit == units[index]:
                    drawing.plug(server.name, server.nics[rail].name, leaf)
    return by_unit


def _servers(size: Size, units: list[str], each: int) -> list[Server]:
    names = numbered("gpu-", len(units) * each)
    nics = rail_nics(size.rails, size.gpus, size.speed) + _storage_nics(size)
    return [
        Server(name, nics, size.gpus, size.gpu_model, unit=units[index // each]) for index, name in enumerate(names)
    ]


def _storage_nics(size: Size) -> tuple[Nic, ...]:
    return (Nic("stor0", speed=size.speed, plane="storage"),) if size.storage else ()


def _add_storage(drawing: Drawing, size: Size) -> None:
    """Add storage leaves, servers shared out among them in equal runs, and one switch above where there are several."""
    if not size.storage:
        return
    drawing.planes.append(Plane("storage", "storage"))
    leaves = [drawing.switch(name, Role.STORAGE, plane="storage") for name in numbered("stor-", size.storage)]
    for index, server in enumerate(drawing.servers):
        drawing.plug(server.name, "stor0", leaves[index * size.storage // len(drawing.servers)])
    if len(leaves) > 1:
        top = drawing.switch("stor-top", Role.STORAGE, plane="storage")
        for leaf in leaves:
            drawing.cable(leaf, top)


def _mesh(drawing: Drawing, lower: list[str], upper: list[str]) -> None:
    for one in lower:
        for other in upper:
            drawing.cable(one, other)


def _start(name: str, size: Size, servers: list[Server]) -> Drawing:
    drawing = Drawing(name, size.dialect, size.speed)
    for server in servers:
        drawing.server(server)
    return drawing


def rail_optimised(size: Size) -> Fabric:
    """Return a rail-optimised fabric of two tiers."""
    units = numbered("su-", size.units)
    servers = _servers(size, units, size.servers)
    drawing = _start("rail-optimised", size, servers)
    leaves = _rails(drawing, size, units, servers)
    spines = [drawing.switch(name, Role.SPINE) for name in numbered("spine-", size.spines)]
    _mesh(drawing, [leaf for mine in leaves for leaf in mine], spines)
    _add_storage(drawing, size)
    return drawing.finished()


def dgx_superpod(size: Size) -> Fabric:
    """Return a SuperPOD: two tiers up to four units, three tiers beyond."""
    if size.units <= UNITS_OF_A_POD:
        return replace(rail_optimised(size), name="dgx-superpod")
    units = numbered("su-", size.units)
    servers = _servers(size, units, size.servers)
    drawing = _start("dgx-superpod", size, servers)
    leaves = _rails(drawing, size, units, servers)
    pods = -(-size.units // UNITS_OF_A_POD)
    names = numbered("spine-", pods * size.spines)
    spines = []
    for pod in range(pods):
        mine = [drawing.switch(name, Role.SPINE) for name in names[pod * size.spines : (pod + 1) * size.spines]]
        below = leaves[pod * UNITS_OF_A_POD : (pod + 1) * UNITS_OF_A_POD]
        _mesh(drawing, [leaf for unit in below for leaf in unit], mine)
        spines += mine
    cores = [drawing.switch(name, Role.CORE) for name in numbered("core-", max(size.spines // 2, 1))]
    _mesh(drawing, spines, cores)
    _add_storage(drawing, size)
    return drawing.finished()


def nvl72(size: Size) -> Fabric:
    """Return racks of 18 trays, each an NVLink domain, on rails that the racks of a unit share."""
    units = numbered("su-", size.units)
    racks = numbered("rack-", size.units * size.servers)
    nics = rail_nics(size.rails, size.gpus, size.speed) + _storage_nics(size)
    servers = []
    domains = []
    for index, rack in enumerate(racks):
        trays = [f"{rack}-{tray}" for tray in numbered("n", TRAYS)]
        unit = units[index // size.servers]
        servers += [Server(name, nics, size.gpus, size.gpu_model, unit, rack) for name in trays]
        name = f"nvl-{rack}"
        domains.append(Domain(name, tuple(trays), cluster_uuid=derived_uuid(name), chassis=f"chassis-{rack}"))
    drawing = _start("nvl72", size, servers)
    drawing.domains += domains
    leaves = _rails(drawing, size, units, servers)
    spines = [drawing.switch(name, Role.SPINE) for name in numbered("spine-", size.spines)]
    _mesh(drawing, [leaf for mine in leaves for leaf in mine], spines)
    _add_storage(drawing, size)
    return drawing.finished()


def fat_tree(size: Size) -> Fabric:
    """Return pods with leaves and spines of their own, and cores of which each reaches one spine of every pod."""
    pods = numbered("pod-", size.units)
    servers = _servers(size, pods, size.servers)
    drawing = _start("fat-tree", size, servers)
    leaf_names = numbered("leaf-", size.units * size.spines)
    spine_names = numbered("spine-", size.units * size.spines)
    spines: list[list[str]] = []
    for index, pod in enumerate(pods):
        part = slice(index * size.spines, (index + 1) * size.spines)
        leaves = [drawing.switch(name, Role.LEAF, unit=pod) for name in leaf_names[part]]
        mine = [server for server in servers if server.unit == pod]
        for place, server in enumerate(mine):
            for nic in server.nics[: size.rails]:
                drawing.plug(server.name, nic.name, leaves[place * len(leaves) // len(mine)])
        spines.append([drawing.switch(name, Role.SPINE, unit=pod) for name in spine_names[part]])
        _mesh(drawing, leaves, spines[-1])
    for index, core in enumerate(numbered("core-", size.spines * size.spines)):
        drawing.switch(core, Role.CORE)
        for mine_spines in spines:
            drawing.cable(mine_spines[index // size.spines], core)
    _add_storage(drawing, size)
    return drawing.finished()


def two_tier_ethernet(size: Size) -> Fabric:
    """Return racks with two leaves each, a server's NICs shared out among both."""
    racks = numbered("rack-", size.units)
    servers = [replace(server, rack=server.unit, unit="") for server in _servers(size, racks, size.servers)]
    drawing = _start("two-tier-ethernet", size, servers)
    leaves = []
    for rack in racks:
        pair = [drawing.switch(f"{rack}-{side}", Role.LEAF, rack=rack) for side in ("a", "b")]
        for side, leaf in enumerate(pair):
            for server in servers:
                if server.rack == rack:
                    for nic in server.nics[side : size.rails : 2]:
                        drawing.plug(server.name, nic.name, leaf)
        leaves += pair
    spines = [drawing.switch(name, Role.SPINE) for name in numbered("spine-", size.spines)]
    _mesh(drawing, leaves, spines)
    _add_storage(drawing, size)
    return drawing.finished()


def _irregular(size: Size) -> Fabric:
    return irregular(size.units, size.servers, size.rails, size.spines, size.seed)


@dataclass(frozen=True, slots=True)
class Design:
    """A design: what it is in one line, its usual size, how it is drawn, and what of a size means nothing to it."""

    about: str
    usual: Size
    draw: Callable[[Size], Fabric]
    fixed: tuple[str, ...] = ("seed",)


DESIGNS: Final[Mapping[str, Design]] = {
    "rail-optimised": Design("NIC r of a unit's servers on leaf r", Size(4, 32, 8, 8, 8), rail_optimised),
    "fat-tree": Design("pods of leaves and spines, cores above", Size(4, 8, 1, 2, 8), fat_tree),
    "nvl72": Design("racks of 18 trays, each an NVLink domain", Size(2, 4, 4, 8, 4, "GB200"), nvl72),
    "dgx-superpod": Design("units of 32 servers on 8 rails, cores beyond 4 units", Size(4, 32, 8, 16, 8), dgx_superpod),
    "two-tier-ethernet": Design("two leaves a rack, NICs on both", Size(8, 8, 2, 4, 8), two_tier_ethernet),
    "irregular": Design("unequal units with faults", Size(6, 16, 8, 4, 8), _irregular, ("dialect", "gpus", "storage")),
}
"""Every design by name."""
