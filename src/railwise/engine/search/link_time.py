"""Step times from the links that a document names: what fills criterion 3 unless somebody brings another predictor.

A topology whose nodes have NICs and one of whose levels has an uplink tells enough to say that one place is quicker
than another. Where no topology does, there is no predictor at all, and placement is as if criterion 3 did not exist.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.tree import Tree
from railwise.engine.events import UplinkChange
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.uplink_loads import UplinkLoads
from railwise.model.node import Node
from railwise.model.topology import Topology
from railwise.model.workload import Workload
from railwise.traffic.links import THOUSAND, Link, link_of_model
from railwise.traffic.placement_time import Party, Step, ends, step_at
from railwise.traffic.sizes import NONE, PD, Sizes, sizes_of
from railwise.traffic.wiring import INTO, MEGABIT, NO_CLIQUE, OUT, Seat, Wiring

ONE_CARD: Final = 1000

NVLINK: Final = "nvlink"
"""The name of the topology whose domains are joined by NVLink."""

MOST_KEPT: Final = 4096
"""How many sizes and best times are remembered."""

Ends = list[tuple[str, list[int]]]
"""Per leaf its path and the nodes of its pods, in rank order."""


def has_links(topologies: tuple[Topology, ...]) -> bool:
    """Return whether some topology tells what its links carry: the NICs of a node, and an uplink."""
    return any(_linked(topology) for topology in topologies)


def _linked(topology: Topology) -> bool:
    return topology.node_uplink > 0 and any(level.uplink for level in topology.levels)


class LinkTime:
    """Predicts step times on one state (a ``StepTime``), and tells of what they consist."""

    def __init__(self, state: ClusterState) -> None:
        """Read the links of every topology; nodes are looked at when they are asked about."""
        self.state: Final = state
        self.wirings: Final[list[Wiring | None]] = [
            Wiring(
                topology.level_names(),
                tuple([level.uplink * MEGABIT for level in topology.levels]),
                topology.node_uplink * MEGABIT,
                railed=any(node.rails for node in state.nodes),
            )
            if _linked(topology)
            else None
            for topology in state.topologies
        ]
        self._pristine: Final = [None if wiring is None else replace(wiring, narrowed={}) for wiring in self.wirings]
        self._cliques: Final = _cliques(state)
        self.loads: Final = UplinkLoads(self._said_by, self.capacity)
        self._fast: Final[dict[str, Link]] = {}
        self._sizes: Final[dict[tuple[object, ...], Sizes]] = {}
        self._best: Final[dict[tuple[object, ...], int]] = {}

    def tells(self, demand: Demand) -> bool:
        """Return whether a step of the workload can be predicted: it speaks, and its topology names links."""
        tree = demand.root.tree
        if tree >= len(self.wirings) or self.wirings[tree] is None or not demand.uses_cards:
            return False
        sizes = self.sizes(demand.workload)
        if sizes.pattern != PD:
            return sizes.pattern != NONE
        senders, receivers = ends(sizes, [Party(leaf.path, [_MARK]) for leaf in demand.leaves])
        return bool(senders) and bool(receivers)

    def known(self, demand: Demand) -> bool:
        """Return whether places differ in time: the workload has several pods, and its steps can be predicted."""
        return demand.pods > 1 and self.tells(demand)

    def capacity(self, tree: int, level: int, domain: int = -1) -> int:
        """Return the bits/s that long messages reach over a domain's uplink, one direction (0: unknown).

        Without a domain it is what an uplink of the level has when nothing is wrong with it.
        """
        wiring = self.wirings[tree]
        bits = 0 if wiring is None else wiring.uplink(level, domain)
        return 0 if wiring is None or not bits else wiring.usable(bits)

    def narrow(self, change: UplinkChange) -> None:
        """Let one domain's uplink carry less, or as much as before again; what does not exist is ignored."""
        node = self.state.index_of.get(change.node)
        for number, (trees, wiring) in enumerate(zip(self.state.trees, self.wirings, strict=True)):
            level = trees.tree.level_index(change.level)
            if (
                wiring is None
                or node is None
                or trees.tree.name != change.topology
                or not 0 <= level < trees.tree.depth
            ):
                continue
            domain = trees.tree.domain_of[level][node]
            wiring.narrowed[level, domain] = max(change.megabits, 1) * MEGABIT
            if wiring.narrowed[level, domain] == wiring.uplinks[level] or not wiring.uplinks[level]:
                del wiring.narrowed[level, domain]
            self.loads.refresh()
            for way in (OUT, INTO):
                self.loads.changed.update(dict.fromkeys(self.loads.users((number, level, domain, way))))

    def nanoseconds(self, demand: Demand, spots: list[Spot]) -> int:
        """Return the predicted ns of one step with the pods on these spots and its own that run, beside the others."""
        step = self.step(demand, self.places(demand, spots))
        return 0 if step is None else self.loads.slowed(demand.root.tree, step, demand.workload)[0]

    def crowded(self, demand: Demand, spots: list[Spot]) -> list[int]:
        """Return the nodes of the domain whose uplink others make slow for these spots, in tree order; empty: none."""
        step = self.step(demand, self.places(demand, spots)) if self._meets_others(demand, spots) else None
        if step is None:
            return []
        _, uplink = self.loads.slowed(demand.root.tree, step, demand.workload)
        if uplink is None:
            return []
        level, domain, _ = uplink
        tree = self.state.trees[demand.root.tree].tree
        start, end = tree.tiers[level].ranges()[domain]
        return tree.order[start:end]

    def _meets_others(self, demand: Demand, spots: list[Spot]) -> bool:
        """Return whether anybody speaks over uplinks, and the pods do not lie in one domain of the narrowest level."""
        self.loads.refresh()
        tree = self.state.trees[demand.root.tree].tree
        if not self.loads.any_use() or not tree.depth:
            return False
        of = tree.domain_of[-1]
        domains = {of[spot.node] for spot in spots}
        return len(domains | {of[node] for leaf in demand.leaves for node in leaf.fixed.values()}) > 1

    def _said_by(self, record: Record) -> Step | None:
        """Return what a workload says where it runs; None where it is short of its minimum or speaks to nobody."""
        return self.step_here(record.demand) if self.known(record.demand) and not record.short() else None

    def step_here(self, demand: Demand) -> Step | None:
        """Return the predicted step where the workload runs now; None: not known, or nothing of it runs."""
        where = self.places(demand, [])
        return self.step(demand, where) if any(nodes for _, nodes in where) else None

    def step(self, demand: Demand, where: Ends, shared: Wiring | None = None, *, healthy: bool = False) -> Step | None:
        """Return the predicted step with pods on these nodes (leaf by leaf, in rank order); None: not known.

        ``shared`` is what others leave of the links (None: all of it); ``healthy``: all rails and links work.
        """
        wiring = self.wirings[demand.root.tree] if self.tells(demand) else None
        if wiring is None:
            return None
        if healthy:
            shared = self._pristine[demand.root.tree]
        tree = self.state.trees[demand.root.tree].tree
        parties = [
            Party(path, [self._seat(tree, node, leaf.shape, healthy=healthy) for node in nodes])
            for (path, nodes), leaf in zip(where, demand.leaves, strict=True)
        ]
        return step_at(self.sizes(demand.workload), parties, shared or wiring)

    def best(self, demand: Demand) -> int:
        """Return the ns of a step at the best place of an empty cluster: the quickest of one domain of each level."""
        shapes = [(leaf.shape.index if leaf.shape else -1, leaf.group.pods) for leaf in demand.leaves]
        key = (demand.root.tree, self.sizes(demand.workload), *shapes)
        if key not in self._best:
            if len(self._best) >= MOST_KEPT:
                self._best.clear()
            depth = self.state.trees[demand.root.tree].tree.depth
            steps = [self.step_inside(demand, level) for level in range(depth, -1, -1)]
            self._best[key] = min([step.total() for step in steps if step is not None], default=0)
        return self._best[key]

    def step_inside(self, demand: Demand, level: int) -> Step | None:
        """Return a step with the pods spread as wide as the largest empty, healthy domain of a level is.

        As few nodes as hold the pods, an equal number in each domain below. None: not known, or it does not fit there.
        """
        nodes = self._spread(demand, level)
        return None if nodes is None else self.step(demand, nodes, healthy=True)

    def sizes(self, workload: Workload) -> Sizes:
        """Return the sizes of a workload's traffic, read once."""
        spoken = workload.traffic
        said: tuple[object, ...] = () if spoken is None else (spoken.pattern, *sorted(spoken.sizes.items()))
        key = (workload.kind, *said)
        if key not in self._sizes:
            if len(self._sizes) >= MOST_KEPT:
                self._sizes.clear()
            self._sizes[key] = sizes_of(workload)
        return self._sizes[key]

    def places(self, demand: Demand, spots: list[Spot]) -> Ends:
        """Return per leaf the nodes of its pods in rank order: those that run and those on ``spots``."""
        nodes: list[dict[int, int]] = [dict(leaf.fixed) for leaf in demand.leaves]
        for spot in spots:
            nodes[spot.leaf][spot.rank] = spot.node
        return [
            (leaf.path, [here[rank] for rank in sorted(here)]) for leaf, here in zip(demand.leaves, nodes, strict=True)
        ]

    def _seat(self, tree: Tree, node: int, shape: Shape | None, *, healthy: bool) -> Seat:
        domains = tuple([of[node] for of in tree.domain_of])
        facts = self.state.nodes[node]
        clique = NO_CLIQUE if self._cliques is None else self._cliques[node]
        of = self.state.specs[node].count
        nics = THOUSAND if healthy else facts.live_nics()
        return Seat(node, domains, _cards(shape), of, self._link(facts), nics, clique)

    def _link(self, node: Node) -> Link:
        model = node.cards[0].model if node.cards else ""
        if model not in self._fast:
            self._fast[model] = link_of_model(model)
        return self._fast[model]

    def _spread(self, demand: Demand, level: int) -> Ends | None:
        """Return pods on nodes of the domain of a level that holds most of them, spread evenly over what is below."""
        tree = self.state.trees[demand.root.tree].tree
        pods = [(leaf.group.pods, _cards(leaf.shape)) for leaf in demand.leaves]
        most = max(self.state.specs[node].count for node in tree.order) if tree.order else 0
        packed = _packed(pods, most)
        if packed is None:
            return None
        usable = [node for node in tree.order if self.state.specs[node].count == most]
        above = tree.domain_of[level] if level < tree.depth else list(range(len(tree.order)))
        held: dict[int, list[int]] = {}
        for node in usable:
            held.setdefault(above[node], []).append(node)
        widest = max(held.values(), key=len)
        count = 1 + max([number for numbers in packed for number in numbers], default=0)
        if len(widest) < count:
            return None
        chosen = _evenly(tree, level + 1, widest, count)
        return [
            (leaf.path, [chosen[number] for number in numbers])
            for leaf, numbers in zip(demand.leaves, packed, strict=True)
        ]


_MARK: Final = Seat(0, (), 1, 1, link_of_model(""))
"""A seat that only says that somebody sits there."""


def _cliques(state: ClusterState) -> list[int] | None:
    """Return each node's NVLink domain: that of the narrowest level of the topology named ``nvlink``; None: no such."""
    for trees in state.trees:
        tree = trees.tree
        if tree.name.lower() == NVLINK and tree.depth:
            tier = tree.tiers[-1]
            return [domain if tier.named[domain] else NO_CLIQUE for domain in tree.domain_of[-1]]
    return None


def _cards(shape: Shape | None) -> int:
    """Return the number of cards on which a pod speaks; a part of a card counts as one."""
    if shape is None or not shape.wants_cards():
        return 0
    return max(1, -(-shape.gpu_thousandths() // ONE_CARD))


def _packed(pods: list[tuple[int, int]], most: int) -> list[list[int]] | None:
    """Return per leaf the node (numbered from 0) of each pod on nodes of ``most`` cards filled up one by one."""
    packed: list[list[int]] = []
    node, left = 0, most
    for count, cards in pods:
        if cards > most:
            return None
        here: list[int] = []
        for _ in range(count):
            if cards > left:
                node, left = node + 1, most
            left -= cards
            here.append(node)
        packed.append(here)
    return packed


def _evenly(tree: Tree, level: int, nodes: list[int], count: int) -> list[int]:
    """Return ``count`` of the nodes in tree order, an equal number in each domain of ``level`` as far as they go."""
    if level >= tree.depth:
        return nodes[:count]
    below: dict[int, list[int]] = {}
    for node in nodes:
        below.setdefault(tree.domain_of[level][node], []).append(node)
    shares = dict.fromkeys(below, 0)
    left = count
    while left:
        for domain, inside in below.items():
            if left and shares[domain] < len(inside):
                shares[domain] += 1
                left -= 1
    return [
        node for domain, share in shares.items() if share for node in _evenly(tree, level + 1, below[domain], share)
    ]
