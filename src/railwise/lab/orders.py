"""What a person may do to a running laboratory: pull a cable, move a plug, kill a switch, let a link flap.

An order is a small mapping (it comes over a socket, so nothing in it is trusted) and becomes events of the fabric, the
same that a ``timeline`` consists of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.fabric.ports import CableFinder

MOST_FLAPS: Final = 1000
LONGEST_NAME: Final = 256


class OrderError(ValueError):
    """The order cannot be carried out; the message says why, ``hint`` what would do."""

    def __init__(self, message: str, hint: str = "") -> None:
        """Keep the hint."""
        super().__init__(message)
        self.hint = hint


class Orders:
    """Makes events of orders for one fabric."""

    def __init__(self, fabric: Fabric) -> None:
        """Index what orders may name."""
        self._finder: Final = CableFinder(fabric.cables, fabric.servers)
        self._switches: Final = {switch.name for switch in fabric.switches}
        self._servers: Final = {server.name for server in fabric.servers}
        self._fabric: Final = fabric

    def event(self, order: Mapping[str, Any]) -> Event:
        """Return the event of an order. Raises OrderError.

        ``{"do": "cable", "ends": [A, B], "up": false}``, with ``times`` and ``every`` (seconds) to let it flap;
        ``{"do": "replug", "ends": [A, B]}``; ``{"do": "switch" | "server" | "telemetry" | "maintenance", "name": N,
        "up": false}``.
        """
        match order.get("do"):
            case "cable":
                return self._cable(order)
            case "replug":
                first, second = (self._port(end) for end in _ends(order))
                return Event(0, Action.REPLUG, on=True, ports=(first, second))
            case "switch" | "telemetry" | "maintenance" as what:
                return Event(
                    0, Action(what), on=_up(order), device=_known(_text(order, "name"), self._switches, "switch")
                )
            case "server":
                return Event(
                    0, Action.SERVER, on=_up(order), device=_known(_text(order, "name"), self._servers, "server")
                )
            case other:
                raise OrderError(f"unknown order {str(other)[:40]!r}")

    def _cable(self, order: Mapping[str, Any]) -> Event:
        first, second = _ends(order)
        try:
            cable = self._finder.find(first, second)
        except ValueError as error:
            raise OrderError(str(error), "name both ends as DEVICE/PORT, or SERVER/railN") from None
        times, every = order.get("times", 0), order.get("every", 0)
        if not isinstance(times, int) or not 0 <= times <= MOST_FLAPS:
            raise OrderError(f"expected 0 to {MOST_FLAPS} flaps")
        if not isinstance(every, int | float) or not 0 <= every <= 86_400:  # noqa: PLR2004 # seconds of a day
            raise OrderError("expected at most a day between flaps")
        return Event(0, Action.CABLE, on=_up(order), cable=cable, times=times, every=int(every * 1_000_000))

    def _port(self, text: str) -> Port:
        port = self._finder.port(text)
        if not self._is_there(port):
            raise OrderError(f"no port {text[:LONGEST_NAME]}", "name it as DEVICE/PORT, or SERVER/railN")
        return port

    def _is_there(self, port: Port) -> bool:
        """Return whether a device has such a port, looked up in the fabric: orders are few and fabrics large."""
        if port.device in self._switches:
            return any(port.name in one.ports for one in self._fabric.switches if one.name == port.device)
        mine = (one for one in self._fabric.servers if one.name == port.device)
        return any(nic.name == port.name for server in mine for nic in server.nics)


def _known(name: str, names: set[str], kind: str) -> str:
    if name not in names:
        raise OrderError(f"no {kind} {name[:LONGEST_NAME]}", f"the first ones are {', '.join(sorted(names)[:5])}")
    return name


def _text(order: Mapping[str, Any], key: str) -> str:
    value = order.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise OrderError(f"expected a name as '{key}'")
    return value


def _ends(order: Mapping[str, Any]) -> tuple[str, str]:
    match order.get("ends"):
        case [str(first), str(second)] if max(len(first), len(second)) <= LONGEST_NAME:
            return first, second
        case _:
            raise OrderError("expected two ends")


def _up(order: Mapping[str, Any]) -> bool:
    value = order.get("up", False)
    if not isinstance(value, bool):
        raise OrderError("expected true or false as 'up'")
    return value
