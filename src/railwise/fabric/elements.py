"""What a fabric consists of: switches, servers with their NICs, cables, and the domains that fast links make.

A fabric file says how a cluster is *meant* to be cabled. What differs from that at the start (``actual``) and what goes
wrong later (``timeline``) is written down as events: the intended wiring stays readable, and a fault is one line.

Attributes that NVIDIA Air has a name for go by that name in documents: ``scalable_unit`` (here ``unit``), ``rack_name``
(``rack``), ``rail_index`` (``rail``), ``plane_id`` (``plane``), and the rest under ``labels``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

NO_RAIL: Final = -1
"""The rail of a NIC or switch that belongs to none, or to none that is known."""

AIR_LABELS: Final[tuple[str, ...]] = (
    "group",
    "model",
    "sku",
    "rack_unit",
    "data_hall",
    "tray_index",
    "pod",
    "superspine_group",
)
"""Further attributes under the names NVIDIA Air gives them."""


class Role(StrEnum):
    """What a switch is for."""

    LEAF = "leaf"
    SPINE = "spine"
    SUPER_SPINE = "super-spine"
    CORE = "core"
    STORAGE = "storage"
    MANAGEMENT = "management"
    NVLINK = "nvlink"


COMPUTE_ROLES: Final = (Role.LEAF, Role.SPINE, Role.SUPER_SPINE, Role.CORE)
"""The roles of the network that training traffic takes, from the servers up."""


class Dialect(StrEnum):
    """How a switch names its ports and speaks of its neighbours."""

    SONIC = "sonic"
    CUMULUS = "cumulus"
    OPENCONFIG = "openconfig"
    INFINIBAND = "infiniband"


class Port(NamedTuple):
    """One port of a switch, or one NIC of a server: ``leaf-01/Ethernet0``, ``gpu-001/eth0``."""

    device: str
    name: str

    def text(self) -> str:
        """Return ``device/name``, as it is written in documents."""
        return f"{self.device}/{self.name}"


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch.

    ``ports`` are all its ports, cabled or not; ``speed`` is that of one port in Mbit/s (0: unknown). ``chassis`` is the
    MAC address by which it introduces itself to neighbours, for InfiniBand the lower part of its GUID.
    """

    name: str
    role: Role = Role.LEAF
    dialect: Dialect = Dialect.SONIC
    ports: tuple[str, ...] = ()
    speed: int = 0
    chassis: str = ""
    unit: str = ""
    rail: int = NO_RAIL
    plane: str = ""
    rack: str = ""
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nic:
    """A network port of a server.

    ``gpus`` are the cards nearest to it, by number; ``speed`` is in Mbit/s (0: unknown); ``pci`` its address on the
    server's bus, empty where nobody says.
    """

    name: str
    rail: int = NO_RAIL
    gpus: tuple[int, ...] = ()
    mac: str = ""
    speed: int = 0
    plane: str = ""
    pci: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """A server with ``gpus`` cards of one model; its name is that of the Kubernetes node."""

    name: str
    nics: tuple[Nic, ...] = ()
    gpus: int = 0
    gpu_model: str = ""
    unit: str = ""
    rack: str = ""
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable as it is meant to run; ``speed`` in Mbit/s (0: what its ports have), ``length`` in centimetres (0: -)."""

    a: Port
    b: Port
    speed: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Domain:
    """Servers whose cards are joined by NVLink or XGMI.

    ``cluster_uuid`` and ``clique`` are what the GPUs report; ``chassis`` the serial number of the rack they sit in.
    """

    name: str
    servers: tuple[str, ...]
    kind: str = "nvlink"
    cluster_uuid: str = ""
    clique: int = 0
    chassis: str = ""


@dataclass(frozen=True, slots=True)
class Plane:
    """One of several networks that run side by side: ``compute`` (the default), ``storage`` or ``management``."""

    name: str
    role: str = "compute"


class Action(StrEnum):
    """What an event does."""

    CABLE = "cable"
    """A cable carries light, or no longer does."""

    NIC = "nic"
    """A NIC works, or is dead."""

    SWITCH = "switch"
    """A switch runs, or is dead."""

    SERVER = "server"
    """A server runs, or is off."""

    MAINTENANCE = "maintenance"
    """A switch takes no new placements below it, or does again; links stay."""

    TELEMETRY = "telemetry"
    """A switch tells about itself, or is silent; links stay."""

    REPLUG = "replug"
    """The plugs in two ports change places; one of the ports may be empty. This is how a cable is moved or swapped."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at ``at`` µs.

    ``cable`` is the index of a cable of the fabric (action CABLE), ``ports`` are the NIC (NIC) or the two ports
    (REPLUG), ``device`` the switch or server of all others. ``on`` is the state it takes. With ``times`` above 0 it
    flaps instead: it goes off, half of ``every`` µs later on again, and so on as many times.
    """

    at: int
    action: Action
    on: bool = False
    cable: int = -1
    ports: tuple[Port, ...] = ()
    device: str = ""
    every: int = 0
    times: int = 0


@dataclass(frozen=True, slots=True)
class Fabric:
    """A whole fabric: how it is meant to be, what is different at the start, and what happens later."""

    name: str = ""
    switches: tuple[Switch, ...] = ()
    servers: tuple[Server, ...] = ()
    cables: tuple[Cable, ...] = ()
    domains: tuple[Domain, ...] = ()
    planes: tuple[Plane, ...] = ()
    actual: tuple[Event, ...] = ()
    timeline: tuple[Event, ...] = ()
    warnings: tuple[str, ...] = ()
