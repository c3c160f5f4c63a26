"""The kinds of values of a fabric document: devices, ports, and the two ends of cables, also many at a stroke."""

from __future__ import annotations

from sys import intern

from railwise.fabric.addresses import plain_mac
from railwise.fabric.elements import Port
from railwise.formats.faults import Faults, described, shown
from railwise.formats.hostlist import TooManyNamesError, expand
from railwise.formats.kinds import Definitions, Kind, ListOf, Schema, Text, Whole
from railwise.formats.terms import MOST_CARDS, Hostlist
from railwise.model.quantity import MOST_DIGITS

MOST_DEVICES = 1_000_000
"""A document names at most so many switches and servers."""

MOST_CABLES = 4_000_000
"""A document names at most so many cables, and so many ports of switches."""

MOST_PORTS = 4096
"""A switch whose ports are given as a number has at most so many."""

MOST_RAILS = 1024
"""A server has at most so many NICs, and a fabric so many rails."""

_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"

DEVICE = Text(_WORD, 253, "a name of letters, digits, '-', '_' and '.'")
"""The name of a switch or server."""

PORT = Text(r"[A-Za-z0-9](?:[A-Za-z0-9._/:-]*[A-Za-z0-9])?", 64, "the name of a port such as Ethernet0, swp1s0 or eth0")
"""The name of a port."""

WORD = Text(_WORD, 63, "a name of letters, digits, '-', '_' and '.'")
"""The name of a unit, rack, plane or domain: it may become a label."""

PCI = Text(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]", 16, "a PCI address such as 0000:1b:00.0")
"""An address on a server's bus."""

CLUSTER_UUID = Text(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", 36, "a UUID")
"""What the GPUs of an NVLink fabric have in common."""

RAILS = ListOf(Whole(0, MOST_RAILS - 1), least=1)
"""Rails of NICs or leaves."""

GPUS = ListOf(Whole(0, MOST_CARDS - 1), least=1)
"""Numbers of cards."""

DEVICES = Hostlist("devices", DEVICE, MOST_DEVICES)
"""Many devices."""

PORTS = Hostlist("ports", PORT, MOST_CABLES)
"""Many ports of one device."""

WORDS = Hostlist("names of units, racks and planes", WORD, MOST_DEVICES)
"""Many units or racks: k names on n devices."""

END = Text(
    r"[A-Za-z0-9][A-Za-z0-9._/:-]{0,316}[A-Za-z0-9]|[A-Za-z0-9]",
    318,
    "a device, or one of its ports such as gpu-001/rail2",
)
"""One end of a cable in an event."""


class Mac(Kind[str]):
    """A MAC address in any of the usual forms."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        """Return it in small letters with colons."""
        mac = plain_mac(value) if isinstance(value, str) else ""
        if not mac:
            faults.add(path, f"expected a MAC address such as 02:00:00:aa:bb:cc, not {described(value)}")
            return None
        return mac

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": "^[0-9A-Fa-f:.-]{12,17}$"}


class Length(Kind[int]):
    """The length of a cable: ``3m``, ``0.5m``, ``150cm``."""

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        """Return centimetres."""
        if isinstance(value, str) and len(value) <= MOST_DIGITS:
            number, unit = (value[:-2], 1) if value.endswith("cm") else (value.removesuffix("m"), 100)
            whole, _, fraction = number.partition(".")
            digits = whole + fraction
            if digits.isascii() and digits.isdigit() and whole and value[-1] == "m" and not (unit == 1 and fraction):
                length: int = int(digits) * unit // 10 ** len(fraction)
                return length
        faults.add(path, f"expected a length such as 3m, 0.5m or 150cm, not {described(value)}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?m$|^[0-9]+cm$"}


class Ends(Kind[list[Port]]):
    """One end of a cable, or of many: ``leaf-01/Ethernet0``, ``gpu-[001-032]/eth0``."""

    def read(self, value: object, path: str, faults: Faults) -> list[Port] | None:
        """Return the ports in order."""
        if not isinstance(value, str):
            faults.add(path, f"expected an end such as leaf-01/Ethernet0, not {described(value)}")
            return None
        spent = faults.spent.get("ends of cables", 0)
        try:
            names = expand(value, max(2 * MOST_CABLES - spent, 0))
        except TooManyNamesError:
            faults.add(path, f"a document has at most {MOST_CABLES} cables")
            return None
        except ValueError as error:
            faults.add(path, str(error))
            return None
        faults.spent["ends of cables"] = spent + len(names)
        ports = []
        for name in names:
            device, slash, port = name.partition("/")
            problem = DEVICE.problem(device) or ("" if slash else f"expected device/port, not {shown(name)}")
            problem = problem or PORT.problem(port)
            if problem:
                faults.add(path, problem)
                return None
            ports.append(Port(intern(device), intern(port)))
        return ports

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": r"^[A-Za-z0-9._/:,\[\]-]+$"}
