"""Filling a cluster with pods until more than all of it was asked for: how much of it does a policy give away?

The experiment of Weng et al. (FGD, USENIX ATC 2023). Workloads come one after another, in an order drawn from a seed;
nothing ever leaves, and what does not fit is not tried again. The list is shuffled, and then drawn upon (or thinned) so
that the demand for cards reaches a part of the capacity, 130 % as a rule. What is left free at the end can be used by
nobody who came: it is fragmented.

Three things are drawn from the seed, in this order: the shuffle, what is added or dropped, and the order of the nodes,
by which the policies of the study tell equal nodes apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from railwise.engine.cluster.mix import Mix
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.engine.policies.registry import by_name
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_minimum
from railwise.model.node import Node
from railwise.model.policy import MixPod
from railwise.model.scenario import Scenario
from railwise.model.splitmix import SplitMix
from railwise.model.workload import Workload
from railwise.twin.learning import learn

CARD: Final = 1000
"""One card in thousandths."""

PERCENT: Final = 100

DEMAND: Final = 130
"""The demand for cards in percent of the capacity, as in the study."""


class Column(NamedTuple):
    """What was given away and fragmented while the demand stood at one whole percent: sums over so many arrivals.

    ``allocated`` is in thousandths of a card, ``fragmented`` too, times the weight of the mix.
    """

    arrivals: int = 0
    allocated: int = 0
    fragmented: int = 0


class Filling(NamedTuple):
    """One run; ``columns`` by percent of the capacity asked for, ``capacity`` in thousandths of a card.

    ``arrived`` and ``placed`` count workloads that came and that found room; ``free`` is what was left at the end in
    thousandths of a card; ``weight`` is that of the mix by which fragmentation is told.
    """

    policy: str
    seed: int
    capacity: int
    weight: int
    arrived: int
    placed: int
    free: int
    columns: dict[int, Column]

    def left(self) -> float:
        """Return how many cards were free at the end, shares added up."""
        return self.free / CARD

    def allocated(self, percent: int) -> float:
        """Return the mean percent of the capacity in use while ``percent`` were asked for, or the last before that."""
        column = self._at(percent)
        return PERCENT * column.allocated / (column.arrivals * self.capacity)

    def fragmented(self, percent: int) -> float:
        """Return the same for cards that the usual pods cannot use, in percent of the capacity."""
        column = self._at(percent)
        return PERCENT * column.fragmented / (column.arrivals * self.capacity * self.weight)

    def _at(self, percent: int) -> Column:
        reached = [known for known in self.columns if known <= percent]
        return self.columns[max(reached) if reached else min(self.columns)]


def shuffled(items: Iterable[Workload], draw: SplitMix) -> list[Workload]:
    """Return the items in a drawn order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = draw.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def thousandths(workload: Workload, state: ClusterState) -> tuple[int, int]:
    """Return what the minimum of a workload asks of all cards, and what its first pod asks of each, in thousandths."""
    demand = read_demand(workload, workload.root, state)
    pods = [(leaf.shape, leaf.group.min_pods) for leaf in demand.leaves if leaf.shape is not None]
    total = sum(shape.gpu_thousandths() * count for shape, count in pods)
    first = pods[0][0]
    return total, first.gpu_thousandths() // max(first.cards, 1)


def arrivals(workloads: Sequence[Workload], target: int, state: ClusterState, draw: SplitMix) -> list[Workload]:
    """Return the workloads in the order in which they come, drawn upon or thinned to ``target`` thousandths of cards.

    Below the target workloads are drawn from the whole list, each as likely as any other, until the next one's demand
    *for each card* would pass it (so the last one may lie above it); above it, drawn ones are dropped.
    """
    population = sorted(workloads, key=_by_name)
    sizes = {workload.name: thousandths(workload, state) for workload in population}
    coming = shuffled(population, draw)
    total = sum(sizes[workload.name][0] for workload in coming)
    if total > target:
        while total > target:
            dropped = coming.pop(draw.below(len(coming)))
            total -= sizes[dropped.name][0]
        return coming
    while total:
        drawn = population[draw.below(len(population))]
        size, each = sizes[drawn.name]
        if total + each > target:
            break
        coming.append(drawn)
        total += size
    return coming


def _by_name(workload: Workload) -> str:
    return workload.name


def node_order(nodes: Sequence[Node], draw: SplitMix) -> list[Node]:
    """Return the nodes in a drawn order."""
    order = list(nodes)
    for last in range(len(order) - 1, 0, -1):
        other = draw.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


class Options(NamedTuple):
    """How to fill: the demand in percent of the capacity, and what is not to be learned or drawn as usual.

    ``mix`` are the pods that usually come (empty: those of the scenario's policy, else learned from its workloads);
    ``order`` is a seed for the order of the nodes alone (None: it follows from the run's seed like everything else).
    """

    demand: int = DEMAND
    mix: tuple[MixPod, ...] = ()
    order: int | None = None


def fill(scenario: Scenario, policy: str, seed: int, options: Options = Options()) -> Filling:  # noqa: B008 -- frozen
    """Fill the empty cluster of a scenario with its workloads in the order of a seed.

    The policies that know the pods that usually come, and the figure of fragmentation, take the same mix. Raises
    ``InputError`` for an unknown policy.
    """
    usual = options.mix or scenario.policy.mix or learn(scenario.workloads).mix
    draw = SplitMix(seed)
    made = by_name(policy, seed)
    bare = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
    capacity = CARD * sum(spec.cards for spec in bare.specs)
    coming = arrivals(scenario.workloads, options.demand * capacity // PERCENT, bare, draw)
    nodes = node_order(scenario.nodes, draw if options.order is None else SplitMix(options.order))
    state = ClusterState(nodes, scenario.topologies, replace(scenario.policy, mix=usual))
    search = Placer(state) if made is None else made.search(state)
    run = _Run(state, Mix(usual), capacity)
    for workload in coming:
        demand = run.demand(workload)
        found = find_minimum(demand, search.place)
        run.count(demand, found if isinstance(found, Found) else None)
    return Filling(policy, seed, capacity, run.mix.weight, len(coming), run.placed, run.free(), run.columns)


class _Run:
    """The state of a run and its figures so far."""

    def __init__(self, state: ClusterState, mix: Mix, capacity: int) -> None:
        self.state: Final = state
        self.mix: Final = mix
        self.capacity: Final = capacity
        self.columns: Final[dict[int, Column]] = {}
        self.placed = 0
        self._demands: Final[dict[str, tuple[Demand, int]]] = {}
        self._asked = 0
        self._given = 0
        self._fragmented = sum(self._of_node(node) for node in range(len(state.nodes)))

    def demand(self, workload: Workload) -> Demand:
        """Return a workload read for this state."""
        known = self._demands.get(workload.name)
        if known is None:
            size, _ = thousandths(workload, self.state)
            known = self._demands[workload.name] = (read_demand(workload, workload.root, self.state), size)
        return known[0]

    def count(self, demand: Demand, found: Found | None) -> None:
        """Book what was found, and count the arrival."""
        size = self._demands[demand.workload.name][1]
        self._asked += size
        if found is not None:
            self.placed += 1
            self._given += size
            for spot in found.pods:
                shape = demand.leaves[spot.leaf].shape
                before = self._of_node(spot.node)
                if shape is None or self.state.put(shape, spot.node, spot.chosen) is None:
                    raise AssertionError(f"{demand.workload.name} does not fit where it was placed")
                self._fragmented += self._of_node(spot.node) - before
        percent = (2 * PERCENT * self._asked + self.capacity) // (2 * self.capacity) if self.capacity else 0
        column = self.columns.get(percent, Column())
        self.columns[percent] = Column(
            column.arrivals + 1, column.allocated + self._given, column.fragmented + self._fragmented
        )

    def free(self) -> int:
        """Return the free thousandths of all cards."""
        return sum(self.mix.of_room(room).total for room in self.state.room_of)

    def _of_node(self, node: int) -> int:
        room = self.state.room_of[node]
        return self.mix.fragmented(self.mix.of_room(room), room.cpu)
