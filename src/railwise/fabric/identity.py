"""Names of domains: kept as long as most of a domain is still there, human where somebody gave a name.

A name made from the members changes whenever a member does, and then every label of the domain changes although no
server moved. So a domain takes the name of the old one it shares most servers with (most switches, where its servers
are all new); of several that could, the one that shares more. A name that was in use is never given to another domain,
not even when its own is gone: a rule written for ``su-2`` must not hold for other servers one day.

A new domain is named after the unit or rack its servers say they are in, or that its switches serve; else after what
its switches have in common (``su1-leaf-1`` … ``su1-leaf-8``: ``su1``; ``leaf-01`` … ``leaf-08``: ``leaf-01-08``). What
several new domains would like to be called is nobody's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from railwise.fabric.labels import free_label, label
from railwise.model.natural import natural_key

_SEPARATOR: Final = re.compile(r"[-._]+")
_NUMBERED: Final = re.compile(r"(.*?)([0-9]+)", re.DOTALL)
_KIND: Final = re.compile(r"(ib)?(leaf|lf|tor|sw|switch|asw|psw|dsw|spine|sp|core|rail)?", re.IGNORECASE)
_SYSTEM: Final = re.compile(r"(?:MF0;)?([^:;/]+)(?::[^/]*)?(?:/.*)?")
MOST_RETIRED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Nameless:
    """A domain that wants a name: its servers and switches, and the names it would like to have, best first."""

    servers: frozenset[str]
    switches: frozenset[str]
    wishes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A domain of the last map."""

    name: str
    servers: frozenset[str]
    switches: frozenset[str]


def names_for(new: Sequence[Nameless], old: Sequence[Named], taken: Iterable[str] = ()) -> list[str]:
    """Return a name for each new domain, all different; ``taken`` are further names that none may get."""
    names: list[str] = [""] * len(new)
    used = {domain.name for domain in old} | set(taken)
    given: set[str] = set()
    for _, _, name, place in sorted(_overlaps(new, old)):
        if not names[place] and name not in given:
            names[place] = name
            given.add(name)
    nameless = [place for place in range(len(new)) if not names[place]]
    wanted = Counter(wish for place in nameless for wish in new[place].wishes)
    for place in nameless:
        wishes = new[place].wishes or ("group",)
        alone = (wish for wish in wishes if wanted[wish] == 1 and label(wish) not in used)
        names[place] = free_label(next(alone, wishes[-1]), used)
        used.add(names[place])
    return names


def _overlaps(new: Sequence[Nameless], old: Sequence[Named]) -> Iterable[tuple[int, int, str, int]]:
    """Yield (less shared servers, less shared switches, old name, new place) for all that share enough."""
    server_in: dict[str, list[int]] = {}
    switch_in: dict[str, list[int]] = {}
    for place, domain in enumerate(new):
        for server in domain.servers:
            server_in.setdefault(server, []).append(place)
        for switch in domain.switches:
            switch_in.setdefault(switch, []).append(place)
    for one in old:
        servers = Counter(place for server in one.servers for place in server_in.get(server, ()))
        switches = Counter(place for switch in one.switches for place in switch_in.get(switch, ()))
        for place in sorted({*servers, *switches}):
            if servers[place] or 2 * switches[place] > len(one.switches):
                yield -servers[place], -switches[place], one.name, place


def wishes_for(units: Iterable[str], racks: Iterable[str], switches: Sequence[str]) -> tuple[str, ...]:
    """Return the names a domain would like: the unit that most name, the rack that all name, what switches share."""
    wishes = [_commonest(units, whole=False), _commonest(racks, whole=True)]
    plain = [plain_name(switch) for switch in switches]
    wishes += [_shared(plain), _range(plain)] if plain else []
    return tuple(dict.fromkeys(wish for wish in wishes if wish))


def plain_name(switch: str) -> str:
    """Return a switch's name without what InfiniBand adds: ``MF0;A09-LEAF-01:MQM9701/U1`` is ``A09-LEAF-01``."""
    match = _SYSTEM.fullmatch(switch)
    return match[1] if match else switch


def _commonest(names: Iterable[str], *, whole: bool) -> str:
    """Return the name that more than half of those with a name have; ``whole``: that all of them have."""
    counts = Counter(name for name in names if name)
    if not counts:
        return ""
    name, number = min(counts.items(), key=lambda item: (-item[1], natural_key(item[0])))
    return name if (len(counts) == 1 if whole else 2 * number > counts.total()) else ""


def _shared(names: Sequence[str]) -> str:
    """Return the parts that all names have in the same place, without words for switches; empty if no number is left.

    ``A09-P1-LEAF-01-04`` and ``A09-P1-LEAF-02-04`` share ``A09-P1-04``.
    """
    if len(names) == 1:
        return names[0]
    parts = [_SEPARATOR.split(name) for name in names]
    if len({len(one) for one in parts}) != 1:
        parts = [one[: min(map(len, parts))] for one in parts]
    columns = zip(*parts, strict=True)
    shared = [column[0] for column in columns if len(set(column)) == 1 and not _KIND.fullmatch(column[0])]
    return "-".join(shared) if any(letter.isdigit() for part in shared for letter in part) else ""


def _range(names: Sequence[str]) -> str:
    """Return ``leaf-01-08`` for names that differ in their last number, else the first and how many there are."""
    matches = [_NUMBERED.fullmatch(name) for name in names]
    heads = {match[1] for match in matches if match}
    if len(heads) == 1 and all(matches):
        numbers = [match[2] for match in matches if match]
        values = [int(number) for number in numbers]
        if values == list(range(values[0], values[0] + len(values))):
            return f"{names[0]}-{numbers[-1]}"
    return f"{names[0]}-and-{len(names) - 1}-more"
