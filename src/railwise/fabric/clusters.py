"""Things that hang on the same things: servers on leaves, leaf groups on spines, spine groups on cores.

Two ways of grouping are in use, and both break on one cable. Taking servers with *exactly* equal sets of leaves for a
group splits it at the first dead NIC. Taking whatever is *connected* for a group fuses two units at the first cable in
the wrong one. Here a majority decides, twice:

1. Leaves belong together if more than half of the links of the busier one come from servers that are on both, the
   likest ones first, each compared with the whole group that it joins. A dead NIC or a wrong plug takes one link of
   many and changes nothing.
2. A server belongs to the leaves that most of its links end on, and a leaf that belongs to no others joins the servers
   that most of its links come from.

A leaf that carries most servers of several groups is *wide*: no rail of any of them, but another network (storage, as a
rule) that lies across. Everything is counted by links and follows from the counts alone, so the order in which they
were learnt cannot matter; ties go to the group with more links, then by natural order of names, and are told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final, NamedTuple

from railwise.model.natural import natural_key

Weights = Mapping[str, Mapping[str, int]]
"""By element (server) the number of its links by attachment (leaf)."""

Kind = frozenset[tuple[str, int]]
"""The links of an element: (attachment, number) each."""

Kinds = dict[Kind, list[str]]
"""Elements by their links."""

MOST_ATTACHMENTS: Final = 64
"""An element with more attachments than this is no witness of which of them belong together."""

MOST_ROUNDS: Final = 4

PARTS: Final = 1 << 20
"""Likeness is compared in so many parts."""

WITNESSES: Final = 2
"""So many elements of a group must be on an attachment for it to lie across: one may be a single wrong plug."""


@dataclass(slots=True)
class Clusters:
    """The groups: attachments and elements of each by its number, elements that are torn, attachments that are wide."""

    attachments: dict[str, int] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    groups: int = 0

    def members(self) -> dict[int, tuple[list[str], list[str]]]:
        """Return (elements, attachments) of every group that has elements."""
        found: dict[int, tuple[list[str], list[str]]] = {}
        for element, group in self.elements.items():
            found.setdefault(group, ([], []))[0].append(element)
        for attachment, group in self.attachments.items():
            if group in found:
                found[group][1].append(attachment)
        return found


_Equal = tuple[dict[str, int], int]
"""Equal elements: their links by attachment, and how many of them there are."""


class _Decided(NamedTuple):
    """One part: its attachments by group, how many groups, the group of each kind (and whether torn), wide ones."""

    attachments: dict[str, int]
    groups: int
    homes: list[tuple[int | None, bool]]
    wide: list[str]


KnownClusters = dict[tuple[tuple[Kind, int], ...], _Decided]
"""Parts that were decided before, by their kinds with the number of elements of each."""


def cluster(weights: Weights, rank: Mapping[str, int] | None = None) -> Clusters:
    """Return the groups of the elements that have links; the rest is in none.

    ``rank`` gives the places of names in natural order, where the caller knows them already.
    """
    kinds: Kinds = {}
    for element, links in weights.items():
        if links:
            kinds.setdefault(frozenset(links.items()), []).append(element)
    return cluster_kinds(kinds, rank)


def cluster_kinds(kinds: Kinds, rank: Mapping[str, int] | None = None, known: KnownClusters | None = None) -> Clusters:
    """Return the groups of elements that are given by their links, equal ones together; each must have some.

    What shares no attachment, through however many others, cannot be one group, so each such part is decided for
    itself; ``known`` keeps the decisions from one call to the next (with the same ``rank``), and those that were not
    asked for again are dropped.
    """
    order: Callable[[str], Any] = rank.__getitem__ if rank else natural_key
    known = {} if known is None else known
    result = Clusters()
    asked: KnownClusters = {}
    for part in _parts(kinds, order):
        key = tuple((kind, len(kinds[kind])) for kind in part)
        decided = known.get(key)
        asked[key] = decided = decided or _decide([(dict(kind), count) for kind, count in key], order)
        number = result.groups
        result.groups += decided.groups
        result.attachments.update((name, number + group) for name, group in decided.attachments.items())
        result.wide += decided.wide
        for kind, (home, torn) in zip(part, decided.homes, strict=True):
            if home is not None:
                result.elements.update(dict.fromkeys(kinds[kind], number + home))
                if torn:
                    result.torn.extend(kinds[kind])
    known.clear()
    known.update(asked)
    result.wide.sort(key=order)
    result.torn.sort(key=natural_key)
    return result


def _parts(kinds: Kinds, order: Callable[[str], Any]) -> list[list[Kind]]:
    """Return the kinds by connected part, parts in the order of their first attachments."""
    places: dict[str, int] = {}
    root: list[int] = []
    for number, kind in enumerate(kinds):
        root.append(number)
        for attachment, _ in kind:
            first = places.setdefault(attachment, number)
            one, other = _root(root, first), _root(root, number)
            root[max(one, other)] = min(one, other)
    found: dict[int, list[Kind]] = {}
    for number, kind in enumerate(kinds):
        found.setdefault(_root(root, number), []).append(kind)
    firsts: dict[int, Any] = {}
    for attachment, number in places.items():
        part, rank = _root(root, number), order(attachment)
        firsts[part] = min(firsts.get(part, rank), rank)
    return [found[part] for part in sorted(found, key=firsts.__getitem__)]


def _decide(equal: list[_Equal], order: Callable[[str], Any]) -> _Decided:
    """Return the groups of one part."""
    totals: Counter[str] = Counter()
    for links, count in equal:
        for attachment, number in links.items():
            totals[attachment] += number * count
    group_of = _together(equal, totals, order)
    groups = len(set(group_of.values()))
    wide: set[str] = set()
    for _ in range(MOST_ROUNDS):
        homes = [_home(links, group_of, totals) for links, _ in equal]
        moved = _follow(equal, homes, group_of, totals, wide)
        if not moved:
            break
    homes = [_home(links, group_of, totals) for links, _ in equal]
    return _Decided(group_of, groups, homes, sorted(wide, key=order))


def _together(equal: list[_Equal], totals: Counter[str], order: Callable[[str], Any]) -> dict[str, int]:
    """Return a group for every attachment: those whose links come mostly from elements that are on all of them.

    The likest ones join first, and what joins must be like the whole group, not only like one of it: else a leaf with
    strangers on it and another one would chain two units together.
    """
    names = sorted(totals, key=order)
    place = {name: number for number, name in enumerate(names)}
    shared: defaultdict[tuple[int, int], int] = defaultdict(int)
    for links, count in equal:
        if 1 < len(links) <= MOST_ATTACHMENTS:
            mine = sorted((place[name], number) for name, number in links.items())
            for (first, few), (second, many) in combinations(mine, 2):
                shared[first, second] += (min(many, few)) * count
    alike = []
    for (first, second), number in shared.items():
        most = max(totals[names[first]], totals[names[second]])
        if 2 * number > most:
            alike.append((-PARTS * number // most, first, second))
    root = list(range(len(names)))
    profiles = _profiles(equal, place) if alike else []
    for _, first, second in sorted(alike):
        one, other = _root(root, first), _root(root, second)
        if one != other and _like(profiles[one], profiles[other]):
            low, high = min(one, other), max(one, other)
            root[high] = low
            profiles[low].join(profiles[high])
    numbers: dict[int, int] = {}
    return {name: numbers.setdefault(_root(root, number), len(numbers)) for number, name in enumerate(names)}


@dataclass(slots=True)
class _Profile:
    """Where the links of a group of attachments come from: how many by kind of element, and in all."""

    members: int = 1
    links: dict[int, int] = field(default_factory=dict)
    total: int = 0

    def join(self, other: _Profile) -> None:
        """Add another group's."""
        self.members += other.members
        self.total += other.total
        for kind, number in other.links.items():
            self.links[kind] = self.links.get(kind, 0) + number


def _profiles(equal: list[_Equal], place: Mapping[str, int]) -> list[_Profile]:
    profiles = [_Profile() for _ in place]
    for kind, (links, count) in enumerate(equal):
        for name, number in links.items():
            profile = profiles[place[name]]
            profile.links[kind] = number * count
            profile.total += number * count
    return profiles


def _like(one: _Profile, other: _Profile) -> bool:
    """Return whether more than half of the links of the busier one, by attachment, come from elements on both."""
    if len(one.links) > len(other.links):
        one, other = other, one
    both = 0
    for kind, number in one.links.items():
        there = other.links.get(kind)
        if there:
            both += min(number * other.members, there * one.members)
    return 2 * both > max(one.total * other.members, other.total * one.members)


def _root(root: list[int], at: int) -> int:
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


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
    equal: list[_Equal],
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
