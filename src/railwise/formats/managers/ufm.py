"""The list of ports that NVIDIA's UFM gives of an InfiniBand subnet (``/ufmRest/resources/ports``).

Each entry is one end of a link and names both: ours by ``guid``, ``system_name`` and ``number``, the other end by
``peer_guid``, ``peer_node_name`` and the port's name. A "Computer" port is an adapter of a server, whose description is
the host's name and the adapter's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import msgspec.json

from railwise.fabric.observations import IFNAME, MAC, SERVER, SWITCH, Observation, Report, SeenPort, Speaker, clean
from railwise.model.errors import Fault, InputError

SOURCE: Final = "ufm"
MOST_PORTS: Final = 4_000_000
_HINT: Final = "expected the answer of /ufmRest/resources/ports"


def read_ufm_ports(data: bytes, time: int = 0, source: str = "") -> list[Report]:
    """Return a report for each system, sorted by name. Ports without a peer, and entries without a name, are left out.

    Raises InputError for what is no list of ports.
    """
    try:
        entries = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}", _HINT)], source) from None
    if not isinstance(entries, list):
        raise InputError([Fault("", "no list of ports", _HINT)], source)
    ports = [entry for entry in entries[:MOST_PORTS] if isinstance(entry, dict)]
    computers = {_text(entry, "guid") for entry in ports if _text(entry, "description").startswith("Computer")}
    by_system: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for entry in ports:
        kind = SERVER if _text(entry, "guid") in computers else SWITCH
        name = _text(entry, "system_name") or _host(_text(entry, "node_description"))
        if name and _text(entry, "peer_guid"):
            by_system[name, kind].append(entry)
    return [_report(name, kind, found, computers, time) for (name, kind), found in sorted(by_system.items())]


def _report(name: str, kind: str, entries: list[dict[str, Any]], computers: set[str], time: int) -> Report:
    observations, ports = [], []
    for entry in entries:
        port = _port(entry, kind)
        if kind == SERVER:
            ports.append(SeenPort(port, mac=_text(entry, "guid")))
        observations.append(_observation(entry, port, computers))
    guids = tuple(sorted({_text(entry, "guid") for entry in entries})) if kind == SWITCH else ()
    speaker = Speaker(name, kind, chassis=guids)
    return Report(SOURCE, speaker, time, tuple(sorted(observations)), tuple(sorted(ports)))


def _observation(entry: dict[str, Any], port: str, computers: set[str]) -> Observation:
    guid, peer = _text(entry, "peer_guid"), _text(entry, "peer_node_name")
    if guid in computers:
        adapter = _adapter(_text(entry, "peer_node_description"))
        return Observation(port, peer, guid, guid, MAC, adapter, guid, kind=SERVER)
    return Observation(port, peer, guid, _text(entry, "peer_port_dname"), IFNAME, "", "", kind=SWITCH)


def _port(entry: dict[str, Any], kind: str) -> str:
    if kind == SERVER:
        return _adapter(_text(entry, "node_description")) or _text(entry, "guid")
    number = entry.get("number")
    return _text(entry, "dname") or (str(number) if isinstance(number, int) else "")


def _host(description: str) -> str:
    return description.partition(" ")[0]


def _adapter(description: str) -> str:
    return description.partition(" ")[2]


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return clean(value) if isinstance(value, str) else ""
