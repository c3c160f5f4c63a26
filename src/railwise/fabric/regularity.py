"""Wrong cables without any plan to compare with: what breaks the rule that all the others follow.

Three regularities hold in fabrics that somebody cabled with care, and what breaks one where nearly all obey it is most
likely a mistake. What is found this way is always said to be inferred.

- A server's links all end in its own leaf group. One that ends elsewhere belongs on the leaf of the group that the
  server lacks.
- The NIC of one name lands on the same leaf for all servers of a group (where NIC names are regular at all).
- A server has the same port number on every leaf of its group: that tells the port where the cable should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from railwise.fabric.findings import Finding, Kind
from railwise.fabric.rails import GroupRails, Plug

REGULAR: Final = 90
"""So many of a hundred links must obey a rule before the rest are taken for mistakes."""

WITNESSES: Final = 3
"""Servers that must show a rule; two can only disagree."""

PERCENT: Final = 100


def strays(server: str, plugs: Sequence[Plug], rails: GroupRails, foreign: Iterable[Plug]) -> list[Finding]:
    """Return the links of a server that leave its leaf group, each with where it should lead.

    ``foreign`` are those of its ``plugs`` that end on switches of the compute network outside of the group.
    """
    outside = list(foreign)
    inside = [plug for plug in plugs if plug.at.device in rails.expected]
    if not outside or len(inside) < 2 * len(outside):
        return []
    lacking = [leaf for leaf, number in rails.lacking.get(server, {}).items() for _ in range(number)]
    usual = usual_port(inside)
    findings = []
    for plug in outside:
        leaf = lacking[0] if len(set(lacking)) == 1 else ""
        should = f"{leaf}/{usual}" if leaf and usual else leaf
        facts = (("server", server), ("lacks", " ".join(dict.fromkeys(lacking))))
        ports = (plug.nic.text(), plug.at.text())
        findings.append(Finding(Kind.MISWIRED, ports[0], ports, (should, ""), inferred=True, facts=facts))
    return findings


def usual_port(plugs: Sequence[Plug]) -> str:
    """Return the port that most of a server's links have on their leaves; empty if no port has more than half."""
    names = Counter(plug.at.name for plug in plugs)
    if not names:
        return ""
    name, number = min(names.items(), key=lambda item: (-item[1], item[0]))
    return name if 2 * number > len(plugs) and number > 1 else ""


def swaps(plugs: Mapping[str, Sequence[Plug]], rails: GroupRails) -> list[Finding]:
    """Return the links inside a group that end on the leaf of another NIC's, where NIC names are regular."""
    if len(plugs) < WITNESSES or len(rails.expected) < 2:  # noqa: PLR2004 -- one leaf has no rails to swap
        return []
    seen: dict[str, Counter[str]] = {}
    total = 0
    for mine in plugs.values():
        for nic, at in mine:
            if at.device in rails.expected:
                seen.setdefault(nic.name, Counter())[at.device] += 1
                total += 1
    usual = {nic: min(leaves, key=lambda leaf: (-leaves[leaf], leaf)) for nic, leaves in seen.items()}
    obeying = sum(leaves[usual[nic]] for nic, leaves in seen.items() if leaves.total() >= WITNESSES)
    if obeying == total or PERCENT * obeying < REGULAR * total:
        return []
    findings = []
    for server, mine in plugs.items():
        wrong = [plug for plug in mine if plug.at.device in rails.expected and usual[plug.nic.name] != plug.at.device]
        if not wrong or 2 * len(wrong) > len(mine):
            continue
        port = usual_port([plug for plug in mine if plug not in wrong])
        for plug in wrong:
            leaf = usual[plug.nic.name]
            ports = (plug.nic.text(), plug.at.text())
            should = f"{leaf}/{port}" if port else leaf
            facts = (("server", server),)
            findings.append(Finding(Kind.RAIL_SWAPPED, ports[0], ports, (should, ""), inferred=True, facts=facts))
    return findings
