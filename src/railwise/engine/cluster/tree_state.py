"""What is free per domain of one tree."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.tree import Tree


class TreeState:
    """What is free per domain of one tree.

    ``free[level][domain]`` are card-slots; ``whole[kind][domain]`` counts the whole free nodes of each class of node
    (``kind`` indexes ``ClusterState.classes``) per domain of the last declared level. ``room_ids[position]`` is the
    room of the node at a tree position.
    """

    def __init__(self, tree: Tree, classes: int) -> None:
        """Start with nothing free."""
        self.tree: Final = tree
        self.free: Final[list[list[int]]] = [[0] * len(tier.names) for tier in tree.tiers]
        last = len(tree.tiers[-1].names) if tree.depth else 0
        self.whole: Final[list[list[int]]] = [[0] * last for _ in range(classes)]
        self.room_ids: Final[list[int]] = [0] * len(tree.order)
        self._levels: Final = list(zip(self.free, tree.domain_of, strict=True))

    def shift(self, node: int, slots: int, kind: int, whole: int) -> None:
        """Count a node's card-slots in its domains, and whether it is a whole free node of a class, as so many more."""
        for free, domain_of in self._levels:
            free[domain_of[node]] += slots
        if whole and self._levels:
            self.whole[kind][self.tree.domain_of[-1][node]] += whole

    def move(self, nodes: list[int], room_id: int, slots: int, kind: int, whole: int) -> None:
        """Note the new room of several nodes that changed alike; figures as in ``shift``, of one node each."""
        position, room_ids = self.tree.position, self.room_ids
        for node in nodes:
            room_ids[position[node]] = room_id
        if not self._levels or not (slots or whole):
            return
        rack_of = self.tree.domain_of[-1]
        times: dict[int, int] = {}
        for node in nodes:
            rack = rack_of[node]
            times[rack] = times.get(rack, 0) + 1
        tiers, last = self.tree.tiers, self.tree.depth - 1
        for rack, number in times.items():
            if whole:
                self.whole[kind][rack] += whole * number
            domain = rack
            for level in range(last, -1, -1):
                self.free[level][domain] += slots * number
                domain = tiers[level].parent[domain]

    def whole_in(self, level: int, domain: int, kind: int) -> int:
        """Return the whole free nodes of a class in a domain of any declared level."""
        tiers = self.tree.tiers
        first, last = domain, domain + 1
        for tier in tiers[level : self.tree.depth - 1]:
            first, last = tier.first_child[first], tier.last_child[last - 1]
        return sum(self.whole[kind][first:last])

    def free_around(self, level: int, domain: int) -> tuple[int, ...]:
        """Return the free card-slots of a domain and of the wider ones around it, narrowest first."""
        result: list[int] = []
        while level >= 0:
            result.append(self.free[level][domain])
            domain = self.tree.tiers[level].parent[domain]
            level -= 1
        return tuple(result)

    def widest_below(self, level: int) -> int:
        """Return the number of nodes of the largest domain of the next narrower level (1 where that is the node)."""
        if level + 1 >= self.tree.depth:
            return 1
        return max((end - start for start, end in self.tree.tiers[level + 1].ranges()), default=1)
