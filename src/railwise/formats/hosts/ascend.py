"""The super pod of a server with Ascend cards, from the ConfigMap that its device plugin keeps.

Cards of one super pod are joined by HCCS. A server that is in none has a negative number, or says nothing. A super pod
fills several racks, so a rack is no sign of a server in the wrong place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker, clean
from railwise.model.errors import Fault, InputError

SOURCE: Final = "ascend"
PREFIX: Final = "mindx-dl-deviceinfo-"
"""What stands before the node's name in the name of its ConfigMap."""

KEY: Final = "DeviceInfoCfg"
LARGEST: Final = 1 << 20
MOST: Final = 1 << 31


def node_of(name: str) -> str:
    """Return the node whose ConfigMap has that name; empty for other ConfigMaps."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else ""


def read_device_info(data: Mapping[str, str], server: str, time: int = 0, source: str = "") -> Report:
    """Return the report of a server from the data of its ConfigMap. Raises InputError where it holds no such JSON."""
    text = data.get(KEY, "")
    try:
        value = msgspec.json.decode(text) if len(text) <= LARGEST else None
    except (msgspec.DecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError([Fault(f"data.{KEY}", "expected a JSON object of Ascend's device plugin")], source)
    pod = _number(value, "SuperPodID")
    domains: tuple[ScaleUp, ...] = ()
    if pod is not None:
        index = _number(value, "ServerIndex")
        place = "" if index is None else str(index)
        domains = (ScaleUp(f"superpod-{pod}", "hccs", cards_of(value), tray=place),)
    return Report(SOURCE, Speaker(server, SERVER), time, scale_up=domains, links=False)


def cards_of(value: Mapping[str, Any]) -> int:
    """Return how many cards the list of devices names; 0 where there is none."""
    info = value.get("DeviceInfo")
    listed = info.get("DeviceList") if isinstance(info, dict) else None
    if not isinstance(listed, dict):
        return 0
    names = {clean(one) for text in listed.values() if isinstance(text, str) for one in text[:LARGEST].split(",")}
    return len([one for one in names if one.startswith("Ascend") and one.rpartition("-")[2].isdecimal()])


def _number(value: Mapping[str, Any], key: str) -> int | None:
    found = value.get(key)
    return found if type(found) is int and 0 <= found < MOST else None
