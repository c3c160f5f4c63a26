"""Failures by chance: when the next node or cable breaks, and when it is whole again.

Each part has times of its own, exponentially distributed, from a stream of its own that follows from the run's seed and
the part's place in the document: so what breaks does not depend on who decides, and policies live through the same
failures. Exponential times come from comparisons of whole numbers alone (von Neumann, "Various techniques used in
connection with random digits", 1951), so that a seed means the same on every machine.

Failures alone keep no run going: where nothing else is going to happen, what is broken is mended, and nothing breaks.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from railwise.engine.events import Event, NodeChange, UplinkChange
from railwise.model.scenario import Scenario
from railwise.model.splitmix import SplitMix
from railwise.twin.progress import all_pods

UNIT: Final = 1 << 32
"""Parts of a mean that are told apart."""

HOPELESS: Final = 7
"""Failures to be expected before work is saved, beyond which it is hardly ever saved."""


class Part(NamedTuple):
    """A node, or one cable of a way up: which group of cables it belongs to (-1: a node), and its mean times in µs."""

    node: str
    group: int
    mtbf: int
    repair: int


class Failures:
    """The failures and repairs to come of one run."""

    def __init__(self, scenario: Scenario) -> None:
        """Draw the first failure of every part; a node that is not ready, or whose readiness events say, draws none."""
        told = {one.names[0] for one in scenario.changes if one.target == "node" and "ready" in one.values}
        steady = {node.name for node in scenario.nodes if node.ready} - told
        self._parts: Final[list[Part]] = []
        self._groups: Final[list[tuple[str, str, str, int, int]]] = []
        self._whole: Final[list[int]] = []
        for failure in scenario.failures:
            self._parts.extend(
                [Part(name, -1, failure.mtbf, failure.repair) for name in failure.nodes if name in steady]
            )
            if failure.level:
                carried = _uplink(scenario, failure.topology, failure.level)
                for node in _one_below_each(scenario, failure.topology, failure.level):
                    group = len(self._groups)
                    self._groups.append((failure.topology, failure.level, node, carried, failure.cables))
                    self._whole.append(failure.cables)
                    cable = Part(node, group, failure.mtbf, failure.repair)
                    self._parts.extend([cable] * failure.cables)
        seeds = SplitMix(scenario.seed)
        self._chance: Final = [SplitMix(seeds.number()) for _ in self._parts]
        self._breaks: Final = [
            (exponential(self._chance[part], self._parts[part].mtbf), part) for part in range(len(self._parts))
        ]
        heapify(self._breaks)
        self._mends: Final[list[tuple[int, int]]] = []

    def next(self, certain: int | None, *, endless: bool) -> int | None:
        """Return the time of the next moment, where ``certain`` is that of what happens anyway (None: nothing)."""
        if not self._parts:
            return certain
        times = [] if certain is None else [certain]
        if self._mends:
            times.append(self._mends[0][0])
        if self._breaks and (certain is not None or endless):
            times.append(self._breaks[0][0])
        return min(times, default=None)

    def take(self, now: int, *, quiet: bool) -> list[Event]:
        """Return what breaks and is mended at a time; ``quiet``: nothing breaks, and what would have is put off."""
        events: list[Event] = []
        while self._mends and self._mends[0][0] <= now:
            _, part = heappop(self._mends)
            events.append(self._turn(part, 1))
            heappush(self._breaks, (now + exponential(self._chance[part], self._parts[part].mtbf), part))
        while self._breaks and self._breaks[0][0] <= now:
            at, part = heappop(self._breaks)
            if quiet or at < now:
                heappush(self._breaks, (now + exponential(self._chance[part], self._parts[part].mtbf), part))
                continue
            events.append(self._turn(part, -1))
            heappush(self._mends, (now + exponential(self._chance[part], self._parts[part].repair), part))
        return events

    def _turn(self, part: int, by: int) -> Event:
        one = self._parts[part]
        if one.group < 0:
            return NodeChange(one.node, {"ready": by > 0})
        self._whole[one.group] += by
        topology, level, node, carried, cables = self._groups[one.group]
        return UplinkChange(topology, level, node, carried * self._whole[one.group] // cables)


def endless(scenario: Scenario) -> list[tuple[str, int]]:
    """Return workloads that may never end, with the failures of their nodes to be expected before work is saved.

    Time without a failure is exponential, so work that n of them interrupt in the mean goes through with e^-n; more
    than ``HOPELESS`` is less than one time in a thousand. A gang in training loses all its work with any of its nodes.
    """
    often = min([failure.mtbf for failure in scenario.failures if failure.nodes], default=0)
    found = []
    for workload in scenario.workloads if often else ():
        unsaved = workload.checkpoint.every if workload.checkpoint else workload.duration or 0
        together = all_pods(workload.root) if workload.kind == "training" else 1
        expected = unsaved * together // often
        if expected > HOPELESS:
            found.append((workload.name, expected))
    return found


def exponential(chance: SplitMix, mean: int) -> int:
    """Return an exponentially distributed time with a mean in µs, at least 1."""
    whole = 0
    while True:
        first = last = chance.below(UNIT)
        draws = 1
        while True:
            drawn = chance.below(UNIT)
            draws += 1
            if drawn > last:
                break
            last = drawn
        if draws % 2 == 0:
            return max((whole * UNIT + first) * mean // UNIT, 1)
        whole += 1


def _uplink(scenario: Scenario, topology: str, level: str) -> int:
    """Return what leads up from a domain of a level, Mbit/s."""
    tree = next(one for one in scenario.topologies if one.name == topology)
    return next(one.uplink for one in tree.levels if one.name == level)


def _one_below_each(scenario: Scenario, topology: str, level: str) -> list[str]:
    """Return a node of every named domain of a level, in document order."""
    tree = next(one for one in scenario.topologies if one.name == topology)
    names = tree.level_names()
    path = names[: names.index(level) + 1]
    first: dict[tuple[str, ...], str] = {}
    for node in scenario.nodes:
        places = node.places.get(topology, {})
        if level in places:
            first.setdefault(tuple(places.get(one, "") for one in path), node.name)
    return list(first.values())
