"""The NVLink domain of a server's cards, from what NVIDIA's management library (NVML) says of each.

The library tells more than the CSV of ``nvidia-smi``: the serial number of the chassis and the tray, and what is wrong
with the fabric of a card, such as a tray that sits in another rack than the fabric manager was told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker, clean

SOURCE: Final = "nvml"
MOST_CARDS: Final = 1024

COMPLETED: Final = 3
STATES: Final = {0: "", 1: "fabric not started", 2: "fabric in progress", COMPLETED: ""}

_TRUE: Final = 1
_FLAGS: Final = ((0, "degraded bandwidth"), (2, "route recovery"), (4, "route unhealthy"), (6, "access timeout"))
"""Shift of two bits in the health mask (0: not supported, 1: yes, 2: no), and what a yes means."""

_CONFIGURATION: Final = 8
_WRONG: Final = {
    2: "incorrect system GUID",
    3: "incorrect chassis serial number",
    4: "no partition",
    5: "too few NVLinks",
    6: "incompatible firmware",
    7: "invalid location",
    8: "invalid state",
}
"""What the four bits of the health mask from ``_CONFIGURATION`` on say (0: not supported, 1: nothing)."""


class CardFabric(NamedTuple):
    """What NVML says of one card: ``nvmlGpuFabricInfo_v2_t`` and, where the driver knows, ``nvmlPlatformInfo_v2_t``.

    ``status`` is the error of the fabric's registration (0: none), ``chassis`` a serial number, ``tray`` -1 if unknown.
    """

    cluster: bytes
    clique: int
    state: int
    status: int = 0
    health: int = 0
    chassis: str = ""
    tray: int = -1


def nvml_report(cards: Sequence[CardFabric], server: str, time: int = 0) -> Report:
    """Return the report of a server: a ``ScaleUp`` for each (cluster, clique) its cards report, most cards first."""
    counts: Counter[str] = Counter()
    troubles: dict[str, set[str]] = {}
    places: dict[str, CardFabric] = {}
    astray: set[str] = set()
    for card in cards[:MOST_CARDS]:
        wrong = troubles_of(card)
        if card.state != COMPLETED or not any(card.cluster):
            astray |= wrong
            continue
        domain = f"{UUID(bytes=card.cluster)}.{card.clique}"
        counts[domain] += 1
        troubles.setdefault(domain, set()).update(wrong)
        places.setdefault(domain, card)
    found = [
        ScaleUp(
            domain,
            "nvlink",
            count,
            chassis=clean(places[domain].chassis),
            tray=str(places[domain].tray) if places[domain].tray >= 0 else "",
            health=", ".join(sorted(troubles[domain] | astray)),
        )
        for domain, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    if not found and astray:
        found = [ScaleUp("", "nvlink", health=", ".join(sorted(astray)))]
    return Report(SOURCE, Speaker(server, SERVER), time, scale_up=tuple(found), links=False)


def troubles_of(card: CardFabric) -> set[str]:
    """Return what is wrong with a card's fabric, in words; nothing if all is well or the card has none."""
    wrong = {STATES.get(card.state, f"fabric state {card.state}")} - {""}
    if card.state == COMPLETED and card.status:
        wrong.add(f"fabric error {card.status}")
    wrong |= {text for shift, text in _FLAGS if card.health >> shift & 0b11 == _TRUE}
    configuration = card.health >> _CONFIGURATION & 0xF
    return wrong | ({_WRONG[configuration]} if configuration in _WRONG else set())
