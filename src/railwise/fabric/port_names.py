"""Which port is meant: a port id may be a name, another name, or a MAC, and the source does not always say which.

Linux hosts send the MAC as port id and the name as description, SONiC an alias or, before its LLDP manager has run, the
MAC. The name of one port may even be the alias of another. So an id is looked up as what it claims to be, then as
anything else, and one that fits two ports is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from railwise.fabric.addresses import plain_mac
from railwise.fabric.elements import Fabric, Port
from railwise.fabric.names import hardware_id
from railwise.fabric.observations import ALIAS, IFNAME, MAC, Observation, SeenPort, clean
from railwise.fabric.wiring import NAMELESS


class Told(NamedTuple):
    """The port that is meant, and whether its id fits another port as well (then the name is the id as it came)."""

    name: str
    clash: bool = False


class PortNames:
    """The ports of every device that tells them."""

    def __init__(self) -> None:
        """Start empty."""
        self._names: dict[str, dict[str, str]] = {}
        self._aliases: dict[str, dict[str, str]] = {}
        self._macs: dict[str, dict[str, str]] = {}

    def add(self, device: str, ports: Iterable[SeenPort]) -> None:
        """Note the ports of a device."""
        names = self._names.setdefault(device, {})
        aliases = self._aliases.setdefault(device, {})
        macs = self._macs.setdefault(device, {})
        for port in ports:
            names[port.name.lower()] = port.name
            for alias in port.aliases:
                aliases.setdefault(alias.lower(), port.name)
            if port.mac:
                macs.setdefault(hardware_id(port.mac), port.name)

    def add_intent(self, intent: Fabric) -> None:
        """Note the ports of an intended wiring, where devices do not tell theirs."""
        for cable in intent.cables:
            for port in (cable.a, cable.b):
                self._names.setdefault(port.device, {}).setdefault(port.name.lower(), port.name)

    def own(self, device: str, port: str) -> str:
        """Return the name of a speaker's own port."""
        names = self._names.get(device)
        return names.get(port.lower(), port) if names else port

    def told(self, device: str, row: Observation) -> Told:
        """Return which port of a device an observation means."""
        names = self._names.get(device)
        text = clean(row.remote_port)
        if names is None:
            return Told(self._unknown(text, row))
        aliases = self._aliases.get(device, {})
        macs = self._macs.get(device, {})
        lower = text.lower()
        for mac in (row.mac, row.remote_port if row.port_kind in (MAC, "") else ""):
            if mac and hardware_id(mac) in macs:
                return Told(macs[hardware_id(mac)])
        by_name, by_alias = names.get(lower), aliases.get(lower)
        if by_name and by_alias and by_name != by_alias:
            if row.port_kind == IFNAME:
                return Told(by_name)
            if row.port_kind == ALIAS:
                return Told(by_alias)
            described = names.get(clean(row.description).lower())
            if described in (by_name, by_alias):
                return Told(described)
            return Told(text, clash=True)
        if by_name or by_alias:
            return Told(by_name or by_alias or text)
        described = names.get(clean(row.description).lower()) or aliases.get(clean(row.description).lower())
        if described:
            return Told(described)
        return Told(self._unknown(text, row))

    @staticmethod
    def _unknown(text: str, row: Observation) -> str:
        """Return a name for a port of a device that does not tell its ports: never a bare MAC if there is another."""
        if row.port_kind == MAC or not text or (not row.port_kind and plain_mac(text)):
            return clean(row.description) or text
        return text


def unnamed(here: Port) -> str:
    """Return a name for a port that nobody names: it is the one at the other end of a known one."""
    return f"{NAMELESS}{here.device}:{here.name}"
