"""Who is meant: from what a neighbour says of itself to a device, by rules in a fixed order, or not at all.

A system name may carry a domain or not, differ in case, or be the factory's; a chassis id may be shared by two devices;
the name of a Kubernetes node need not be a hostname. Guessing here would put a server into a rack where it is not, so
each rule either yields exactly one device or the next rule is asked, and where one yields several the neighbour is
refused and said to be ambiguous:

1. a MAC or GUID that belongs to a known NIC;
2. the chassis id, if the name does not belong to another device;
3. the name as it is, 4. regardless of case, 5. as another name of a device (hostname, system name), 6. without its
   domain, if only one of the two has one;
7. a management address.

Whoever fits nothing is a stranger under the name he gives; a name that says nothing ("localhost", a factory text) never
becomes a device's own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from railwise.fabric.addresses import plain_mac
from railwise.fabric.elements import Fabric, Port
from railwise.fabric.observations import SERVER, SWITCH, Inventory, Speaker, clean
from railwise.model.natural import natural_key

NAMELESS: Final = re.compile(
    r"(localhost|localhost\.localdomain|ubuntu|debian|linux|host|node|server|unknown|sonic|cumulus|switch|\(?none\)?|"
    r"not advertised|null|n/?a|-|MT\d+ .*|.*(mellanox technologies|connectx).*)",
    re.IGNORECASE,
)
"""Names that devices have before anybody gave them one."""

NOBODY: Final = "@"
"""Stands in the name of a stranger whom only an address tells apart from others."""

MANY: Final = 8
"""So many candidates of an ambiguous name are told."""


class Heard(NamedTuple):
    """What identifies a neighbour, of all that it says."""

    name: str
    chassis: str
    addresses: tuple[str, ...]


class Meant(NamedTuple):
    """Which device is meant: its name (empty: none), by which rule, and between which devices it could not be told."""

    device: str
    rule: str
    candidates: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 18)
def hardware_id(text: str) -> str:
    """Return a MAC or GUID in one form, whatever else as it is, in small letters."""
    mac = plain_mac(text)
    return mac or text.lower().removeprefix("0x").replace(":", "")


def short(name: str) -> str:
    """Return a name in small letters without its domain."""
    return name.lower().partition(".")[0]


class Directory:
    """Every known device with what it can be recognised by."""

    def __init__(self, speakers: Iterable[Speaker], inventory: Inventory, intent: Fabric | None) -> None:
        """Index all of them."""
        self.kinds: dict[str, str] = {}
        self.canonical: dict[str, str] = {}
        self.shared_chassis: dict[str, set[str]] = {}
        self._macs: dict[str, Port | None] = {}
        self._by: dict[str, defaultdict[str, set[str]]] = {
            rule: defaultdict(set) for rule in ("chassis", "name", "case", "alias", "domain", "address")
        }
        self._meant: dict[Heard, Meant] = {}
        known = {name.lower(): name for name in inventory.names}
        if intent is not None:
            meant = [switch.name for switch in intent.switches] + [server.name for server in intent.servers]
            known = {name.lower(): name for name in meant} | known
        self._add_inventory(inventory)
        if intent is not None:
            self._add_intent(intent)
        self._add_speakers(sorted(speakers, key=lambda one: natural_key(one.name)), known)
        for chassis, devices in self._by["chassis"].items():
            if len(devices) > 1:
                self.shared_chassis[chassis] = devices

    def _add_inventory(self, inventory: Inventory) -> None:
        for name in inventory.names:
            self._add(name, SERVER)
            for alias in inventory.aliases.get(name, ()):
                self._alias(name, alias)
            for address in inventory.addresses.get(name, ()):
                self._by["address"][address.lower()].add(name)

    def _add_intent(self, intent: Fabric) -> None:
        for switch in intent.switches:
            self._add(switch.name, SWITCH)
            if switch.chassis:
                self._by["chassis"][hardware_id(switch.chassis)].add(switch.name)
        for server in intent.servers:
            self._add(server.name, SERVER)
            for nic in server.nics:
                self.add_mac(nic.mac, Port(server.name, nic.name))

    def _add_speakers(self, speakers: list[Speaker], known: Mapping[str, str]) -> None:
        by_chassis: dict[tuple[str, str], str] = {}
        for speaker in speakers:
            lower = speaker.name.lower()
            keys = [(hardware_id(chassis), short(speaker.name)) for chassis in speaker.chassis]
            same = next((by_chassis[key] for key in keys if key in by_chassis), "")
            name = known.get(lower) or same or self.canonical.get(lower) or clean(speaker.name)
            self.canonical[lower] = self.canonical[speaker.name] = name
            for key in keys:
                by_chassis.setdefault(key, name)
                self._by["chassis"][key[0]].add(name)
            self._add(name, speaker.kind)
            self._names(name, speaker.name)
            for alias in speaker.aliases:
                self._alias(name, alias)
            for address in speaker.addresses:
                self._by["address"][address.lower()].add(name)

    def _add(self, name: str, kind: str) -> None:
        self.kinds.setdefault(name, kind)
        self._names(name, name)

    def _names(self, device: str, name: str) -> None:
        self._by["name"][name].add(device)
        self._by["case"][name.lower()].add(device)
        self._by["domain"][short(name)].add(device)

    def _alias(self, device: str, alias: str) -> None:
        if alias and not NAMELESS.fullmatch(alias):
            self._by["alias"][alias.lower()].add(device)
            self._by["domain"][short(alias)].add(device)

    def add_mac(self, mac: str, port: Port) -> None:
        """Note the address of a NIC; an address of two NICs belongs to neither."""
        key = hardware_id(mac)
        if key and self._macs.setdefault(key, port) != port:
            self._macs[key] = None

    def knows_nics(self) -> bool:
        """Return whether the address of any NIC is known."""
        return bool(self._macs)

    def nic(self, text: str) -> Port | None:
        """Return the NIC with a MAC or GUID."""
        return self._macs.get(hardware_id(text)) if text else None

    def device(self, name: str) -> str:
        """Return the name under which a speaker is known here."""
        return self.canonical.get(name, name)

    def meant(self, heard: Heard) -> Meant:
        """Return who a neighbour is; the answer for equal neighbours is worked out once."""
        found = self._meant.get(heard)
        if found is None:
            found = self._meant[heard] = self._find(heard)
        return found

    def _find(self, heard: Heard) -> Meant:
        port = self.nic(heard.chassis)
        if port is not None:
            return Meant(port.device, "mac")
        named = "" if NAMELESS.fullmatch(heard.name) else heard.name
        lower = named.lower()
        chassis = hardware_id(heard.chassis)
        steps = (
            ("chassis", self._by["chassis"].get(chassis) if chassis else None),
            ("name", self._by["name"].get(named)),
            ("case", self._by["case"].get(lower)),
            ("alias", self._by["alias"].get(lower)),
            ("domain", self._one_domain(named)),
            ("address", {one for address in heard.addresses for one in self._by["address"].get(address.lower(), ())}),
        )
        for rule, found in steps:
            if not found or (not named and rule in ("name", "case", "alias", "domain")):
                continue
            others = self._by["name"].get(named, self._by["case"].get(lower, set())) if named else set()
            if rule == "chassis" and others and not found & others:
                continue
            left = self._narrowed(found, heard, named)
            if len(left) == 1:
                return Meant(next(iter(left)), rule)
            return Meant("", rule, tuple(sorted(left, key=natural_key)[:MANY]))
        return Meant("", "")

    def _one_domain(self, name: str) -> set[str]:
        """Return devices of the same short name, but not those whose domain is another one."""
        found = self._by["domain"].get(short(name), set()) if name else set()
        return {device for device in found if "." not in name or "." not in device}

    def _narrowed(self, found: set[str], heard: Heard, named: str) -> set[str]:
        """Return the devices of several that name, chassis or address confirm."""
        tests = (
            self._by["name"].get(named, set()) if named else set(),
            self._by["case"].get(named.lower(), set()) if named else set(),
            self._by["chassis"].get(hardware_id(heard.chassis), set()) if heard.chassis else set(),
            {one for address in heard.addresses for one in self._by["address"].get(address.lower(), ())},
        )
        for confirmed in tests:
            if len(found) > 1 and found & confirmed:
                found = found & confirmed
        return found


def stranger(heard: Heard) -> str:
    """Return the name under which somebody unknown is kept apart from other unknowns; empty if nothing is known."""
    if heard.name and not NAMELESS.fullmatch(heard.name):
        return heard.name
    if heard.chassis:
        return f"{heard.name or 'unknown'}{NOBODY}{hardware_id(heard.chassis)}"
    return heard.name
