"""Which leaf carries which rail, what each server should have on each leaf, and what it lacks.

Rail r of a leaf group is one leaf. Its number comes from what is written down (of the switch, or of the NICs that land
on it, where most of them agree); else rails are counted in natural order of the leaves, because NIC names differ from
server to server and say nothing. What a server should have on a leaf is what most servers of the group have there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from railwise.fabric.elements import NO_RAIL, Port
from railwise.fabric.fabric_map import Rail

_NIC_RAIL: Final = re.compile(r"(?:.*[-_])?(?:rail|rdma|r)([0-9]{1,3})(?:[-_]?p[0-9]+)?", re.IGNORECASE)
"""Names of NICs that tell their rail: ``rail3``, ``rdma3``, ``eth_r3_p0``."""


class Plug(NamedTuple):
    """A NIC and the switch port it is plugged into."""

    nic: Port
    at: Port


@dataclass(slots=True)
class GroupRails:
    """The rails of one leaf group; by leaf what each server should have there; by server what it lacks, by leaf."""

    rails: tuple[Rail, ...] = ()
    expected: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, dict[str, int]] = field(default_factory=dict)
    dead: dict[str, frozenset[int]] = field(default_factory=dict)

    def total(self) -> int:
        """Return how many links a whole server has."""
        return sum(self.expected.values())


def rail_of_name(nic: str) -> int:
    """Return the rail that a NIC's name tells; ``NO_RAIL`` if it tells none."""
    match = _NIC_RAIL.fullmatch(nic)
    return int(match[1]) if match else NO_RAIL


def find_rails(
    plugs: Mapping[str, Sequence[Plug]],
    leaves: Sequence[str],
    rail_of_leaf: Mapping[str, int],
    rail_of_nic: Mapping[Port, int],
) -> GroupRails:
    """Return the rails of a group.

    ``plugs`` holds the links of each of its servers, ``leaves`` its leaves in natural order; the rails of leaves and
    NICs are given as far as somebody says them.
    """
    counts: dict[str, Counter[int]] = {leaf: Counter() for leaf in leaves}
    votes: dict[str, Counter[int]] = {leaf: Counter() for leaf in leaves}
    links: dict[str, Counter[str]] = {}
    for server, mine in plugs.items():
        on = links[server] = Counter(plug.at.device for plug in mine if plug.at.device in counts)
        for leaf in leaves:
            counts[leaf][on[leaf]] += 1
        for nic, at in mine:
            if at.device in votes:
                votes[at.device][rail_of_nic.get(nic, rail_of_name(nic.name))] += 1
    expected = {
        leaf: max(counts[leaf], key=lambda number: (counts[leaf][number], number), default=0) for leaf in leaves
    }
    result = GroupRails(expected={leaf: number for leaf, number in expected.items() if number})
    numbers = _numbers(list(result.expected), rail_of_leaf, votes)
    result.rails = tuple(sorted(Rail(numbers[leaf], leaf, number) for leaf, number in result.expected.items()))
    for server, on in links.items():
        lacking = {leaf: number - on[leaf] for leaf, number in result.expected.items() if on[leaf] < number}
        if lacking:
            result.lacking[server] = lacking
            if len(result.expected) > 1:
                result.dead[server] = frozenset(numbers[leaf] for leaf in lacking)
    return result


def _numbers(leaves: list[str], given: Mapping[str, int], votes: Mapping[str, Counter[int]]) -> dict[str, int]:
    """Return the rail of each leaf: as given, as most NICs say, or counted."""
    numbers = {}
    for leaf in leaves:
        rail = given.get(leaf, NO_RAIL)
        if rail == NO_RAIL and votes[leaf]:
            rail, number = votes[leaf].most_common(1)[0]
            rail = rail if 2 * number > votes[leaf].total() else NO_RAIL
        numbers[leaf] = rail
    if NO_RAIL in numbers.values():
        return {leaf: place for place, leaf in enumerate(leaves)}
    return numbers
