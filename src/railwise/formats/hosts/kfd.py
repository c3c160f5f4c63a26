"""The XGMI hives of a server's cards, from the tree that AMD's driver shows below ``/sys/class/kfd/kfd/topology``.

A node of that tree with compute units is a card; cards of one hive are joined by XGMI, directly or over others. A hive
of 0 means none. The link list is read only to say when a card claims a hive and has no XGMI link: then its hive is not
believed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker
from railwise.model.errors import Fault, InputError

SOURCE: Final = "kfd"
XGMI: Final = 11
MOST_NODES: Final = 4096
MOST_LINES: Final = 1024
_NODE: Final = re.compile(r"(?:^|/)nodes/([0-9]{1,4})/properties$")
_LINK: Final = re.compile(r"(?:^|/)nodes/([0-9]{1,4})/io_links/[0-9]{1,4}/properties$")


def read_kfd(files: Mapping[str, bytes], server: str, time: int = 0, source: str = "") -> Report:
    """Return the report of a server from the files by path: a ``ScaleUp`` for each hive, most cards first.

    Raises InputError where there is no node at all.
    """
    cards: dict[str, str] = {}
    linked: set[str] = set()
    nodes = 0
    for path in sorted(files)[: MOST_NODES * 16]:
        if (match := _NODE.search(path)) and nodes < MOST_NODES:
            nodes += 1
            values = _properties(files[path])
            if values.get("simd_count", 0) > 0 and values.get("hive_id", 0) > 0:
                cards[match[1]] = f"{values['hive_id']:016x}"
        elif (match := _LINK.search(path)) and _properties(files[path]).get("type") == XGMI:
            linked.add(match[1])
    if not nodes:
        message = "no nodes/N/properties here"
        raise InputError([Fault("", message, "give the folder /sys/class/kfd/kfd/topology")], source)
    counts = Counter(hive for node, hive in cards.items() if node in linked or not linked)
    found = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    domains = tuple(ScaleUp(hive, "xgmi", count) for hive, count in found)
    return Report(SOURCE, Speaker(server, SERVER), time, scale_up=domains, links=False)


def _properties(data: bytes) -> dict[str, int]:
    """Return the whole numbers of a file of lines ``name value``; anything else in it is passed over."""
    values: dict[str, int] = {}
    for line in data[: 64 * 1024].decode("ascii", "replace").splitlines()[:MOST_LINES]:
        name, _, value = line.partition(" ")
        if value.strip().isdecimal() and len(value) <= 20:  # noqa: PLR2004 # digits of 64 bits
            values[name] = int(value)
    return values
