"""The compute nodes that NVIDIA's NMX lists of NVLink domains, each with the chassis and the tray it sits in."""

from __future__ import annotations

from typing import Any, Final

import msgspec.json

from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker, clean
from railwise.model.errors import Fault, InputError

SOURCE: Final = "nmx"
MOST_NODES: Final = 1_000_000
_HINT: Final = "expected the answer of /nmx/v1/compute-nodes"


def read_nmx(data: bytes, time: int = 0, source: str = "") -> list[Report]:
    """Return a report for each node, sorted by name; nodes without a name or a domain are left out.

    Raises InputError for what is no list of compute nodes.
    """
    try:
        entries = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Fault("", f"no JSON: {error}", _HINT)], source) from None
    if not isinstance(entries, list):
        raise InputError([Fault("", "no list of compute nodes", _HINT)], source)
    reports = {}
    for entry in entries[:MOST_NODES]:
        name = _text(entry, "Name") if isinstance(entry, dict) else ""
        domain = _text(entry, "DomainUUID").lower() if name else ""
        if domain:
            place = entry.get("LocationInfo") if isinstance(entry.get("LocationInfo"), dict) else {}
            cards = entry.get("GpuIDList")
            health = _text(entry, "Health")
            joined = ScaleUp(
                domain,
                "nvlink",
                len(cards) if isinstance(cards, list) else 0,
                chassis=_text(place, "ChassisSerialNumber"),
                tray=_text(place, "TrayIndex"),
                health="" if health in ("", "HEALTHY") else health.lower(),
            )
            reports[name] = Report(SOURCE, Speaker(name, SERVER), time, scale_up=(joined,), links=False)
    return [reports[name] for name in sorted(reports)]


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return clean(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""
