"""How many pods of a shape each domain of a tree holds now, node by node: how close every level comes."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.tree import Tree
from railwise.engine.reasons.census import Census, Follower, Move
from railwise.model.reason import LevelCount


class DomainRoom(Follower):
    """The room in every domain for pods of one shape, no node being asked to hold more than ``most`` of them."""

    def __init__(self, census: Census, shape: Shape, tree: Tree, most: int) -> None:
        """Count when first asked."""
        super().__init__(census)
        self.shape: Final = shape
        self.tree: Final = tree
        self.most: Final = most
        self._pods: Final[dict[int, int]] = {}
        self._told: Final[dict[int, tuple[LevelCount, ...]]] = {}
        self._room: Final[list[list[int]]] = [[0] * len(tier.names) for tier in tree.tiers]
        self._nameless: Final = [
            [domain for domain, named in enumerate(tier.named) if not named] for tier in tree.tiers
        ]

    def levels(self, pods: int) -> tuple[LevelCount, ...]:
        """Return, per declared level from the narrowest, the domain with room for most pods of ``pods``."""
        self.refresh()
        told = self._told.get(pods)
        if told is None:
            told = self._told[pods] = self._levels(pods)
        return told

    def _levels(self, pods: int) -> tuple[LevelCount, ...]:
        result: list[LevelCount] = []
        for level in range(self.tree.depth - 1, -1, -1):
            domain = self._best(level)
            if domain >= 0:
                path = "/".join(self.tree.path(level, domain))
                has = self._room[level][domain]
                result.append(LevelCount(self.tree.levels[level], path, has if has < pods else pods, pods))
        return tuple(result)

    def _best(self, level: int) -> int:
        """Return the first domain of a level that has a name and most room, -1 where none has a name."""
        room, nameless = self._room[level], self._nameless[level]
        if not nameless:
            return room.index(max(room)) if room else -1
        named = self.tree.tiers[level].named
        best, most = -1, -1
        for domain, here in enumerate(room):
            if named[domain] and here > most:
                best, most = domain, here
        return best

    def _here(self, kind: int) -> int:
        """Return how many pods a node of a kind holds."""
        if kind < 0:
            return 0
        pods = self._pods.get(kind)
        if pods is None:
            rooms = self.census.state.rooms
            pods = len(rooms.left(self.shape, rooms.all[kind], self.most))
            self._pods[kind] = pods
        return pods

    def _start(self) -> None:
        self._told.clear()
        holds = {kind: self._here(kind) for kind in self.census.count}
        kinds, tiers = self.census.kinds, self.tree.tiers
        placed = [holds[kinds[node]] for node in self.tree.order]
        for room, tier in zip(self._room, tiers, strict=True):
            room[:] = [sum(placed[start:end]) for start, end in tier.ranges()]

    def _follow(self, moves: list[Move]) -> None:
        self._told.clear()
        levels = list(zip(self._room, self.tree.domain_of, strict=True))
        for node, before, now in moves:
            more = self._here(now) - self._here(before)
            if more:
                for room, domain_of in levels:
                    room[domain_of[node]] += more
