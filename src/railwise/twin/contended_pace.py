"""How much placement and neighbours slow work down: a step here and now against a step at the best place.

Whenever pods change, the traffic of the workloads that changed is laid over the links anew, and the max-min fair
division is computed for those whom that concerns: the users of the uplinks that were touched, and through crowded
uplinks their neighbours. Everybody else keeps the pace it has. Where a document names no links nothing is slowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.engine.search.link_time import LinkTime
from railwise.engine.search.shared_links import Shared, shared_steps
from railwise.traffic.links import transfer_time
from railwise.traffic.wiring import Uplink
from railwise.twin.link_loads import BOTH, LevelLoad, LinkLoads
from railwise.twin.pace import Rate
from railwise.twin.step_record import StepRecord

MILLION: Final = 1_000_000
"""Paces are whole millionths: all have a common denominator, so work stays exact however often they change."""


class ContendedPace:
    """The slowdown of everybody on one engine (a ``Pace``).

    ``links`` tells how full uplinks are over time, ``steps`` how long the steps of each workload took.
    """

    def __init__(self, engine: Engine) -> None:
        """Follow an engine from its first round on."""
        self.engine: Final = engine
        self.links: Final = LinkLoads({} if engine.link_time is None else _levels(engine.link_time))
        self.steps: Final[dict[str, StepRecord]] = {}
        self._paces: Final[dict[str, int]] = {}
        self._carried: Final[dict[Record, dict[Uplink, int]]] = {}
        if engine.link_time is not None:
            engine.link_time.loads.follows = True

    def rates(self, changed: Sequence[str], now: int) -> Mapping[str, Rate]:
        """Return the pace of every workload that goes on at another one from ``now`` µs on."""
        link_time = self.engine.link_time
        if link_time is None:
            return {}
        loads = link_time.loads
        loads.refresh()
        gets = shared_steps(loads, loads.touched)
        for record in loads.renewed:
            step = loads.steps.get(record)
            if step is None:
                self._silence(record, now)
            elif record not in gets:
                gets[record] = Shared(step.lasts())
        loads.touched.clear()
        loads.renewed.clear()
        news: dict[str, Rate] = {}
        for record, share in gets.items():
            pace = self._go_on(link_time, record, share, now)
            if pace != self._paces.get(record.workload.name, MILLION):
                news[record.workload.name] = (pace, MILLION)
                self._paces[record.workload.name] = pace
        for name in changed:
            if name in self._paces and name not in self.engine.records:
                del self._paces[name]
        self.links.sample(now)
        return news

    def _go_on(self, link_time: LinkTime, record: Record, share: Shared, now: int) -> int:
        """Note that a workload goes on with steps of another length; return its pace in millionths."""
        step = link_time.loads.steps[record]
        best = max(link_time.best(record.demand), step.least)
        lasts = max(share.lasts, 1)
        self._unload(record)
        carried = {uplink: transfer_time(size, lasts) for uplink, size in step.carried.items()}
        if carried:
            self._carried[record] = carried
            self.links.add(record.demand.root.tree, carried, 1)
        self.steps.setdefault(record.workload.name, StepRecord()).go_on(lasts, min(best or lasts, lasts), now)
        return min(max(best * MILLION // lasts, 1), MILLION) if best else MILLION

    def _silence(self, record: Record, now: int) -> None:
        """Note that a workload says nothing from now on."""
        self._unload(record)
        known = self.steps.get(record.workload.name)
        if known is not None:
            known.stop(now)

    def _unload(self, record: Record) -> None:
        self.links.add(record.demand.root.tree, self._carried.pop(record, {}), -1)


def _levels(link_time: LinkTime) -> dict[tuple[int, int], LevelLoad]:
    """Return the levels whose uplinks are known."""
    found: dict[tuple[int, int], LevelLoad] = {}
    for number, wiring in enumerate(link_time.wirings):
        for level, name in enumerate(wiring.levels if wiring is not None else ()):
            domains = len(link_time.state.trees[number].tree.tiers[level].names)
            if link_time.capacity(number, level) and domains:
                found[number, level] = LevelLoad(name, BOTH * domains, link_time.capacity(number, level))
    return found
