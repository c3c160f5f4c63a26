"""Things that hang on the same things: servers on leaves, leaf groups on spines, spine groups on cores.

Two ways of grouping are in use, and both break on one cable. Taking servers with *exactly* equal sets of leaves for a
group splits it at the first dead NIC. Taking whatever is *connected* for a group fuses two units at the first cable in
the wrong one. Here a majority decides, twice:

1. Two leaves belong together if more than half of the links of the busier one come from servers that are on both.
   A dead NIC or a wrong plug takes one link of many and changes nothing.
2. A server belongs to the leaves that most of its links end on, and a leaf that belongs to no others joins the servers
   that most of its links come from.

A leaf that carries most servers of several groups is *wide*: no rail of any of them, but another network (storage, as a
rule) that lies across. Everything is counted by links and follows from the counts alone, so the order in which they
were learnt cannot matter; ties go to the group with more links, then by natural order of names, and are told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from railwise.model.natural import natural_key

Weights = Mapping[str, Mapping[str, int]]
"""By element (server) the number of its links by attachment (leaf)."""

MOST_ATTACHMENTS: Final = 64
"""An element with more attachments than this is no witness of which of them belong together."""

MOST_ROUNDS: Final = 4

WITNESSES: Final = 2
"""So many elements of a group must be on an attachment for it to lie across: one may be a single wrong plug."""


@dataclass(slots=True)
class Clusters:
    """The groups: attachments and elements of each by its number, elements that are torn, attachments that are wide."""

    attachments: dict[str, int] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)

    def members(self) -> dict[int, tuple[list[str], list[str]]]:
        """Return (elements, attachments) of every group that has elements."""
        found: dict[int, tuple[list[str], list[str]]] = {}
        for element, group in self.elements.items():
            found.setdefault(group, ([], []))[0].append(element)
        for attachment, group in self.attachments.items():
            if group in found:
                found[group][1].append(attachment)
        return found


_Kind = tuple[dict[str, int], int]
"""Equal elements: their links by attachment, and how many of them there are."""


def cluster(weights: Weights) -> Clusters:
    """Return the groups of the elements that have links; the rest is in none."""
    kinds: dict[frozenset[tuple[str, int]], list[str]] = {}
    for element, links in weights.items():
        if links:
            kinds.setdefault(frozenset(links.items()), []).append(element)
    equal: list[_Kind] = [(dict(key), len(names)) for key, names in kinds.items()]
    totals: Counter[str] = Counter()
    for links, count in equal:
        for attachment, number in links.items():
            totals[attachment] += number * count
    group_of = _together(equal, totals)
    wide: set[str] = set()
    for _ in range(MOST_ROUNDS):
        homes = [_home(links, group_of, totals) for links, _ in equal]
        moved = _follow(equal, homes, group_of, totals, wide)
        if not moved:
            break
    homes = [_home(links, group_of, totals) for links, _ in equal]
    result = Clusters(group_of, wide=sorted(wide, key=natural_key))
    for names, (home, torn) in zip(kinds.values(), homes, strict=True):
        if home is not None:
            result.elements.update((name, home) for name in names)
            if torn:
                result.torn.extend(names)
    result.torn.sort(key=natural_key)
    return result


def _together(equal: Iterable[_Kind], totals: Counter[str]) -> dict[str, int]:
    """Return a group for every attachment: those of which one's links come mostly from elements that are on both."""
    shared: defaultdict[tuple[str, str], int] = defaultdict(int)
    for links, count in equal:
        if 1 < len(links) <= MOST_ATTACHMENTS:
            for first, second in combinations(sorted(links), 2):
                shared[first, second] += min(links[first], links[second]) * count
    root = {attachment: attachment for attachment in totals}

    def find(name: str) -> str:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    for (first, second), number in shared.items():
        if 2 * number > max(totals[first], totals[second]):
            one, other = find(first), find(second)
            if one != other:
                root[max(one, other)] = min(one, other)
    names = sorted(totals, key=natural_key)
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(find(name), len(numbers)) for name in names}


def _home(links: Mapping[str, int], group_of: Mapping[str, int], totals: Mapping[str, int]) -> tuple[int | None, bool]:
    """Return the group that most links end in, and whether another one has as many."""
    votes: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for attachment, number in links.items():
        group = group_of.get(attachment)
        if group is not None:
            votes[group] = votes.get(group, 0) + number
            sizes[group] = sizes.get(group, 0) + totals[attachment]
    if not votes:
        return None, False
    best = min(votes, key=lambda group: (-votes[group], -sizes[group], group))
    return best, sum(number == votes[best] for number in votes.values()) > 1


def _follow(
    equal: list[_Kind],
    homes: list[tuple[int | None, bool]],
    group_of: dict[str, int],
    totals: Counter[str],
    wide: set[str],
) -> bool:
    """Let each attachment join the group most of its links come from; take wide ones out. Return whether any moved."""
    links_from: dict[str, Counter[int]] = {attachment: Counter() for attachment in totals}
    elements_on: dict[str, Counter[int]] = {attachment: Counter() for attachment in totals}
    sizes: Counter[int] = Counter()
    for (links, count), (home, _) in zip(equal, homes, strict=True):
        if home is None:
            continue
        sizes[home] += count
        for attachment, number in links.items():
            links_from[attachment][home] += number * count
            elements_on[attachment][home] += count
    moved = False
    for attachment in totals:
        if attachment in wide:
            continue
        on = elements_on[attachment]
        most = sum(number >= WITNESSES and 2 * number > sizes[group] for group, number in on.items())
        if most > 1:
            wide.add(attachment)
            group_of.pop(attachment, None)
            moved = True
            continue
        group, number = max(links_from[attachment].items(), key=lambda item: (item[1], -item[0]), default=(-1, 0))
        if 2 * number > totals[attachment] and group_of.get(attachment) != group:
            group_of[attachment] = group
            moved = True
    return moved
