"""Whether promised domains can be had, by trying: one domain after another for one promise after another.

It shares nothing with the engine but the model. A promise may take a domain that is named, all of whose nodes are
ready, in which nobody's protected work stands but that of one holder (the nearest queue upwards that is promised
something for itself), and this holder is the one it is made to or stands below him. No two promises share a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from railwise.model.node import Node
from railwise.model.queue import Queue

Promise = tuple[str, str]
"""Queue and level."""


def promises(queues: Sequence[Queue], levels: Sequence[str]) -> list[Promise]:
    """Return one entry for each promised domain, wider levels first, then in document order."""
    found: list[Promise] = []
    for level in (*levels, "node"):
        for queue in queues:
            below = sum(child.guarantee.get(level, 0) for child in queues if child.parent == queue.name)
            found += [(queue.name, level)] * (queue.guarantee.get(level, 0) - below)
    return found


class Land:
    """The domains of a cluster, and the queues whose protected work stands on its nodes, by node name.

    A domain is known by its path; where a wider level is not named, by the names that follow.
    """

    def __init__(self, nodes: Sequence[Node], queues: Sequence[Queue], work: Mapping[str, Iterable[str]]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.parent = {queue.name: queue.parent for queue in queues}
        self.work = work
        self.domains: dict[str, list[frozenset[str]]] = {"node": [frozenset({node.name}) for node in nodes]}
        named = {level for node in nodes for level in node.places.get("fabric", {})}
        levels = [level for level in ("spine", "superpod", "rack") if level in named]
        for index, level in enumerate(levels):
            paths: dict[tuple[object, ...], set[str]] = {}
            for node in nodes:
                place = node.places.get("fabric", {})
                if level in place:
                    gaps = [
                        tuple(place[name] for name in levels[wider:] if name in place) for wider in range(index + 1)
                    ]
                    path = tuple(place.get(name, gap) for name, gap in zip(levels, gaps, strict=False))
                    paths.setdefault(path, set()).add(node.name)
            self.domains[level] = [frozenset(names) for names in paths.values()]

    def chain(self, queue: str) -> list[str]:
        found: list[str] = []
        while queue in self.parent:
            found.append(queue)
            queue = self.parent[queue]
        return found

    def may_have(self, queue: str, domain: frozenset[str], holders: set[str]) -> bool:
        if not all(self.nodes[name].ready for name in domain):
            return False
        inside: set[str] = set()
        for name in domain:
            for worker in self.work.get(name, ()):
                above = [one for one in self.chain(worker) if one in holders]
                inside.add(above[0] if above else "")
        return not inside or (len(inside) == 1 and queue in self.chain(next(iter(inside))))

    def can_keep(self, wanted: Sequence[Promise], holders: set[str]) -> bool:
        """Return whether all of these promises can be kept at once."""
        options = [
            [domain for domain in self.domains.get(level, []) if self.may_have(queue, domain, holders)]
            for queue, level in wanted
        ]
        return _assign(wanted, options, 0, frozenset(), 0)

    def kept(self, wanted: Sequence[Promise], holders: set[str]) -> list[Promise]:
        """Return the promises that can be kept, the earlier before the later ones."""
        found: list[Promise] = []
        for promise in wanted:
            if self.can_keep([*found, promise], holders):
                found.append(promise)
        return found


def _assign(
    wanted: Sequence[Promise],
    options: Sequence[Sequence[frozenset[str]]],
    index: int,
    taken: frozenset[str],
    first: int,
) -> bool:
    """Find domains for the promises from ``index`` on; equal promises take theirs in order, from ``first`` on."""
    if index == len(wanted):
        return True
    for number in range(first, len(options[index])):
        domain = options[index][number]
        if taken & domain:
            continue
        same = index + 1 < len(wanted) and wanted[index + 1] == wanted[index]
        if _assign(wanted, options, index + 1, taken | domain, number + 1 if same else 0):
            return True
    return False
