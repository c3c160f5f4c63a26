"""A workload the engine knows: its demands (one per alternative), and where its pods run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.ledger import Grant, card_names
from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cluster.together import put_all, take_away_all
from railwise.engine.gangs.again import without_rules
from railwise.engine.gangs.charges import Amounts
from railwise.engine.gangs.demand import NO_LOCALITY, Demand, Part, UnreadableRuleError, read_demand
from railwise.engine.gangs.spot import Spot
from railwise.model.plan import PodPlacement
from railwise.model.workload import Workload

PodKey = tuple[int, int]
"""(leaf number, rank)."""


class Record:
    """One workload. ``pods`` maps (leaf number, rank) to (node index, cards); ``demand`` is the one in force.

    ``began`` is when it started (µs), ``later`` when single pods came that started later, ``broken`` when a running
    workload lost pods that are not back yet (None: it has not).
    """

    def __init__(self, workload: Workload, state: ClusterState) -> None:
        """Resolve the workload's rules; what cannot be read is kept in ``unreadable``."""
        self.workload: Final = workload
        self.unreadable: UnreadableRuleError | None = None
        self.demands: list[Demand] = []
        self.pods: dict[PodKey, tuple[int, Grant]] = {}
        self.lost: set[PodKey] = set()
        self.started = False
        self.met = True
        self.exact = True
        self.changed = False
        self.counted = False
        self.began = 0
        self.later: Final[dict[PodKey, int]] = {}
        self.broken: int | None = None
        self.charged: Amounts = {}
        self.ask: Amounts = {}
        self.wanted: Amounts | None = None
        self.wanted_at = -1
        try:
            if workload.alternatives:
                self.demands = [
                    read_demand(workload, alternative.root, state, index)
                    for index, alternative in enumerate(workload.alternatives)
                ]
            else:
                self.demands = [read_demand(workload, workload.root, state)]
        except UnreadableRuleError as error:
            self.unreadable = error
            self.demands = [read_demand(workload, without_rules(workload.root), state)]
        self.current = 0
        self.demand = self.demands[0]

    def choose(self, index: int) -> None:
        """Take an alternative: its demand is in force from now on."""
        self.current = index
        self.demand = self.demands[index]

    def short(self) -> bool:
        """Return whether fewer pods run than the workload needs at least."""
        root = self.demand.root
        if root.shape is not None:
            return len(root.fixed) < root.group.min_pods
        return not minimum_met(root, {leaf.index: len(leaf.fixed) for leaf in self.demand.leaves})

    def names_cards(self) -> bool:
        """Return whether the document names the cards of the running pods: these are booked before others."""
        return any(leaf.group.running is not None and leaf.group.running.cards for leaf in self.demand.leaves)

    def occupy(self, state: ClusterState, now: int = 0) -> None:
        """Book the pods that the document says are running; those on dead or unknown nodes are lost."""
        began: list[int] = []
        for number, leaf in enumerate(self.demand.leaves):
            running = leaf.group.running
            if running is None or leaf.shape is None:
                continue
            began.append(running.since)
            for rank, name in enumerate(running.nodes[: leaf.group.pods]):
                node = state.index_of.get(name) if name is not None else None
                if node is None or not self._alive(state, node):
                    self.lost.add((number, rank))
                    leaf.fixed.pop(rank, None)
                    continue
                cards = running.cards[rank] if rank < len(running.cards) else ()
                self.pods[number, rank] = (node, occupy(state, leaf.shape, node, cards))
        self.started = bool(self.pods)
        self.began = min(began, default=now)
        if self.started and self.lost:
            self.broken = now

    def _alive(self, state: ClusterState, node: int) -> bool:
        return state.nodes[node].ready or state.policy.node_grace > 0

    def put(self, state: ClusterState, pods: list[Spot], now: int = 0) -> None:
        """Put pods on the state, where they start ``now``; each is checked again by ``fits()``."""
        if not self.pods:
            self.began = now
        elif now != self.began:
            for number, rank, _, _ in pods:
                self.later[number, rank] = now
        self.changed = self.changed or bool(pods)
        start = 0
        while start < len(pods):
            end = _alike(pods, start)
            self._put(state, pods[start:end] if end - start < len(pods) else pods)
            start = end
        if not self.lost:
            self.broken = None

    def _put(self, state: ClusterState, pods: list[Spot]) -> None:
        """Put pods of one leaf: several by the rule at once, or a single one on chosen cards."""
        number, _, first, chosen = pods[0]
        leaf = self.demand.leaves[number]
        if leaf.shape is None:
            return
        if len(pods) == 1:
            grant = state.put(leaf.shape, first, chosen)
            grants = [] if grant is None else [grant]
        else:
            grants = put_all(state, leaf.shape, [node for _, _, node, _ in pods])
        if len(grants) < len(pods):
            node = state.nodes[pods[len(grants)].node]
            message = f"{self.workload.name}: a placement failed its check on {node.name}"
            raise AssertionError(message)
        for (_, rank, where, _), grant in zip(pods, grants, strict=True):
            self.pods[number, rank] = (where, grant)
            leaf.fixed[rank] = where
        if self.lost:
            self.lost.difference_update([(number, rank) for _, rank, _, _ in pods])

    def since(self, key: PodKey) -> int:
        """Return when a running pod started, µs."""
        return self.later.get(key, self.began)

    def forget_times(self, keys: Iterable[PodKey]) -> None:
        """Forget when pods started that run no longer."""
        for key in keys:
            self.later.pop(key, None)

    def lose(self, keys: list[PodKey], now: int) -> None:
        """Note pods that died: they come back before anything else."""
        self.lost.update(keys)
        self.forget_times(keys)
        if self.broken is None:
            self.broken = now

    def shapes_on(self, node: int) -> list[Shape]:
        """Return the shapes of the pods that run on a node."""
        shapes = [self.demand.leaves[number].shape for (number, _), (where, _) in self.pods.items() if where == node]
        return [shape for shape in shapes if shape is not None]

    def take_away(self, state: ClusterState, keys: list[PodKey]) -> None:
        """Remove pods from the state."""
        for key in keys:
            node, grant = self.pods.pop(key)
            leaf = self.demand.leaves[key[0]]
            if leaf.shape is not None:
                state.take_away(leaf.shape, node, grant)
            leaf.fixed.pop(key[1], None)

    def release(self, state: ClusterState) -> None:
        """Remove all pods from the state."""
        leaves = self.demand.leaves
        by_leaf: dict[int, list[tuple[int, Grant]]] = {}
        for (number, _), pod in self.pods.items():
            by_leaf.setdefault(number, []).append(pod)
        for number, pods in by_leaf.items():
            shape = leaves[number].shape
            if shape is not None and len(pods) == 1:
                state.take_away(shape, *pods[0])
            elif shape is not None:
                take_away_all(state, shape, pods)
        self.pods.clear()
        for leaf in leaves:
            leaf.fixed.clear()

    def put_back(self, state: ClusterState, pods: dict[PodKey, tuple[int, Grant]]) -> None:
        """Put pods back exactly where and on the cards they were: the inverse of ``take_away``."""
        for (number, rank), (node, grant) in pods.items():
            leaf = self.demand.leaves[number]
            if leaf.shape is not None:
                state.put_back(leaf.shape, node, grant)
            self.pods[number, rank] = (node, grant)
            leaf.fixed[rank] = node

    def pod_name(self, key: PodKey) -> str:
        """Return the name of a pod: workload, group path and rank."""
        path = self.demand.leaves[key[0]].path
        return f"{self.workload.name}-{path.replace('/', '-')}-{key[1]}" if path else f"{self.workload.name}-{key[1]}"

    def placements(self, state: ClusterState) -> tuple[PodPlacement, ...]:
        """Return all pods that run, group by group, in rank order."""
        name, nodes, leaves = self.workload.name, state.nodes, self.demand.leaves
        paths = [leaf.path for leaf in leaves]
        prefixes = [f"{name}-{path.replace('/', '-')}-" if path else f"{name}-" for path in paths]
        result: list[PodPlacement] = []
        for (number, rank), (node, grant) in sorted(self.pods.items()):
            pod = (f"{prefixes[number]}{rank}", rank, paths[number], nodes[node].name, card_names(grant))
            # The same as PodPlacement(*pod), in half the time: there is one for every pod of every plan.
            result.append(tuple.__new__(PodPlacement, pod))
        return tuple(result)

    def prefers_where_it_runs(self, state: ClusterState) -> bool:
        """Return whether all running pods lie in one domain of the preferred level."""
        level = self.demand.preferred
        if level == NO_LOCALITY or not self.pods:
            return True
        tree = state.trees[self.demand.root.tree].tree
        nodes = {node for node, _ in self.pods.values()}
        return len(nodes if level >= tree.depth else {tree.domain_of[level][node] for node in nodes}) == 1

    def domains(self, state: ClusterState) -> dict[str, tuple[str, ...]]:
        """Return the domains used per declared level of the workload's topology, in tree order."""
        tree = state.trees[self.demand.root.tree].tree
        result: dict[str, tuple[str, ...]] = {}
        used = {node for node, _ in self.pods.values()}
        if len(used) == 1:
            (node,) = used
            for level, name in enumerate(tree.levels):
                tier, domain = tree.tiers[level], tree.domain_of[level][node]
                result[name] = (tier.names[domain],) if tier.named[domain] else ()
            return result
        for level, name in enumerate(tree.levels):
            of = tree.domain_of[level]
            tier = tree.tiers[level]
            found = sorted({of[node] for node in used})
            result[name] = tuple(tier.names[domain] for domain in found if tier.named[domain])
        return result


def _alike(pods: list[Spot], start: int) -> int:
    """Return the end of the run of pods of one leaf that leave the choice of cards to the rule (else of one pod)."""
    number, _, _, chosen = pods[start]
    end = start + 1
    if not chosen:
        while end < len(pods) and pods[end].leaf == number and not pods[end].chosen:
            end += 1
    return end


def minimum_met(part: Part, counts: dict[int, int]) -> bool:
    """Return whether a part has its minimum, ``counts`` being pods per leaf (by part index)."""
    if part.shape is not None:
        return counts.get(part.index, 0) >= part.group.min_pods
    return sum(1 for child in part.children if minimum_met(child, counts)) >= part.group.min_groups
