"""What ``ibnetdiscover`` prints of an InfiniBand fabric: a block for each switch and each host adapter (CA).

A host is known by the description its driver gave the adapter, ``host adapter``; adapters nobody named keep the factory
text and are told apart by their GUID alone. The aggregation nodes inside switches are no hosts. The output of a run
that broke off is refused whole: half a fabric looks like a fabric in which half of the cables are gone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from railwise.fabric.identity import plain_name
from railwise.fabric.names import NAMELESS
from railwise.fabric.observations import IFNAME, SERVER, SWITCH, Observation, Report, SeenPort, Speaker, clean
from railwise.formats.faults import Faults, shown

SOURCE: Final = "ibnetdiscover"
_DEVICE: Final = re.compile(r'(Switch|Ca|Rt)\s+(\d{1,5})\s+"([SHR]-[0-9a-f]{1,16})"\s*#\s*"([^"]*)"')
_PORT: Final = re.compile(
    r'\[(\d{1,5})\](?:\[ext \d+\])?(?:\(([0-9a-f]{1,16})\))?\s+"([SHR]-[0-9a-f]{1,16})"\[(\d{1,5})\]'
)
_FIELD: Final = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=\S+")
_AGGREGATION: Final = "Aggregation Node"
_WORDS: Final = 2
_HINT: Final = "expected the output of `ibnetdiscover`, whole"


@dataclass(slots=True)
class _Block:
    """A switch or adapter: its description, and its links as (own port, own GUID, peer, port of the peer)."""

    guid: str
    text: str
    ports: list[tuple[str, str, str, str]] = field(default_factory=list)

    def host(self) -> tuple[str, str]:
        """Return the host and the adapter that the description names; empty ones if it names none."""
        words = self.text.split()
        return (words[0], words[1]) if len(words) == _WORDS and not NAMELESS.fullmatch(self.text) else ("", "")


def read_ibnetdiscover(data: bytes, time: int = 0, source: str = "") -> list[Report]:
    """Return a report for each switch, and one for each host that lists its adapters; sorted by name.

    Raises InputError for what is no such output, or not all of it.
    """
    blocks = _blocks(data, source)
    names = _switch_names(blocks)
    return _switch_reports(blocks, names, time) + _host_reports(blocks, time)


def _blocks(data: bytes, source: str) -> dict[str, _Block]:
    faults = Faults()
    blocks: dict[str, _Block] = {}
    current: _Block | None = None
    for number, raw in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#") or _FIELD.match(line):
            continue
        device = _DEVICE.match(line)
        port = _PORT.match(line) if device is None else None
        if device is not None:
            current = _Block(device[3], clean(device[4]))
            if blocks.setdefault(device[3], current) is not current:
                faults.add(f"line {number}", f"{shown(device[3])} is described twice")
        elif port is not None and current is not None:
            current.ports.append((port[1], port[2] or "", port[3], port[4]))
        else:
            faults.add(f"line {number}", f"expected a device or one of its ports, not {shown(line)}", _HINT)
    if not blocks and not faults.count():
        faults.add("", "there is no switch and no adapter in it", _HINT)
    _check_whole(blocks, faults)
    faults.raise_any(source)
    return blocks


def _check_whole(blocks: dict[str, _Block], faults: Faults) -> None:
    """Note what shows that the output was cut off: devices without ports, and peers that are never described."""
    for block in blocks.values():
        if not block.ports:
            faults.add("", f"the output was cut off: {shown(block.text)} ({block.guid}) has no ports", _HINT)
        for _, _, peer, _ in block.ports:
            if peer not in blocks:
                faults.add("", f"the output was cut off: {shown(block.text)} leads to {peer}, not described", _HINT)
                return


def _switch_names(blocks: dict[str, _Block]) -> dict[str, str]:
    """Return the names of the switches: without what the description adds, where that leaves them different."""
    switches = {guid: block.text for guid, block in blocks.items() if guid.startswith("S-")}
    plain = {guid: plain_name(text) for guid, text in switches.items()}
    counts = Counter(plain.values())
    return {guid: name if counts[name] == 1 and name else f"{name}@{guid[2:]}" for guid, name in plain.items()}


def _switch_reports(blocks: dict[str, _Block], names: dict[str, str], time: int) -> list[Report]:
    reports = []
    for guid, name in names.items():
        block = blocks[guid]
        rows = []
        for port, _, peer, far in block.ports:
            other = blocks[peer]
            if peer in names:
                rows.append(Observation(port, names[peer], peer[2:], far, IFNAME, kind=SWITCH))
            elif _AGGREGATION not in other.text:
                rows.append(_adapter(port, other, far))
        speaker = Speaker(name, SWITCH, (block.text,), (guid[2:],))
        reports.append(Report(SOURCE, speaker, time, tuple(rows)))
    return sorted(reports, key=lambda report: report.speaker.name)


def _adapter(port: str, block: _Block, far: str) -> Observation:
    host, adapter = block.host()
    guid = next((own for number, own, _, _ in block.ports if number == far and own), block.guid[2:])
    if host:
        return Observation(port, host, "", _port_name(block, adapter, far), IFNAME, mac=guid, kind=SERVER)
    return Observation(port, block.text, block.guid[2:], far, kind=SERVER)


def _port_name(block: _Block, adapter: str, port: str) -> str:
    """Return the name of an adapter's port: the adapter's own where it has one port in use."""
    return adapter if len(block.ports) == 1 else f"{adapter}/{port}"


def _host_reports(blocks: dict[str, _Block], time: int) -> list[Report]:
    """Return the adapters of each host that has a name of its own."""
    ports: dict[str, dict[str, str]] = {}
    for guid, block in blocks.items():
        host, adapter = block.host()
        if guid.startswith("H-") and host and not NAMELESS.fullmatch(host):
            mine = ports.setdefault(host, {})
            for port, own, _, _ in block.ports:
                mine[_port_name(block, adapter, port)] = own or guid[2:]
    reports = []
    for host in sorted(ports):
        seen = tuple(SeenPort(name, mac) for name, mac in sorted(ports[host].items()))
        reports.append(Report(SOURCE, Speaker(host, SERVER), time, ports=seen, links=False))
    return reports
