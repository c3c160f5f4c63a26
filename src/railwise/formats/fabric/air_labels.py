"""The labels that NVIDIA Air knows of a node, and the types it gives them: most of them are numbers there.

Units, rails and planes are numbers in Air and names here. A unit called ``su-7`` is unit 7; one with another name goes
into ``group``, which is text, so that it comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from railwise.fabric.elements import AIR_LABELS, NO_RAIL, Server, Switch
from railwise.formats.fabric.roles import Found

NUMBERS: Final = frozenset({"rack_unit", "tray_index", "pod", "superspine_group"})
_UNIT: Final = re.compile(r"su-([1-9][0-9]*|0)")
MOST: Final = 63


def air_labels(device: Switch | Server) -> dict[str, Any]:
    """Return the labels of a device as Air takes them."""
    labels: dict[str, Any] = {}
    unit = _UNIT.fullmatch(device.unit)
    if unit:
        labels["scalable_unit"] = int(unit[1])
    elif device.unit:
        labels["group"] = device.unit
    if device.rack:
        labels["rack_name"] = device.rack
    if isinstance(device, Switch):
        labels["role"] = str(device.role)
        if device.rail != NO_RAIL:
            labels["rail_index"] = device.rail
        if device.plane.isdigit():
            labels["plane_id"] = int(device.plane)
    else:
        labels["role"] = "server"
        if device.gpu_model:
            labels["model"] = device.gpu_model
    for key, value in device.labels.items():
        if key not in NUMBERS:
            labels.setdefault(key, value)
        elif value.isdigit():
            labels.setdefault(key, int(value))
    return labels


def take_labels(found: Found, labels: Mapping[str, Any]) -> None:
    """Put the labels of an Air node into a device; what has no use here and no legal form is left out."""
    for key, value in labels.items():
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not text or len(text) > MOST:
            continue
        if key == "scalable_unit":
            found.unit = f"su-{text}" if text.isdigit() else text
        elif key == "rack_name":
            found.rack = text
        elif key == "rail_index" and text.isdigit():
            found.rail = int(text)
        elif key == "plane_id":
            found.plane = text
        elif key in ("role", "function"):
            found.role = _role(text)
        elif key == "model" and found.role == "server":
            found.gpu_model = text
        elif key in AIR_LABELS:
            found.labels[key] = text
    if not found.unit and "group" in found.labels:
        found.unit = found.labels.pop("group")


def _role(text: str) -> str:
    lower = text.lower().replace("_", "-")
    return {"superspine": "super-spine", "tor": "leaf", "host": "server", "oob-switch": "management"}.get(lower, lower)
