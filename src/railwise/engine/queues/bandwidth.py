"""Bandwidth guarantees: a queue that is promised a part of uplinks finds it there, whoever else runs.

``queues[].bandwidth: {rack: 50%}`` promises that part of every uplink of a level of the first topology, each direction.
Nobody can hold tenants to a share once they run, so the promise is kept by placing: where a workload of somebody else
would cross an uplink, what it wants, and what others hold or are promised there, must leave the promised part. A
workload within the promise of its own queue is never kept off. What a parent is promised includes what is promised
below it; the rest is for all queues below it. Promises beyond the whole link come to nothing, the later ones first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.spot import Spot
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.search.link_time import LinkTime
from railwise.model.queue import Queue
from railwise.model.workload import Workload
from railwise.traffic.wiring import Uplink

NOBODY: Final = ""
"""Whose promise a workload counts to that belongs to none."""


PERCENT: Final = 100


class Broken(NamedTuple):
    """An uplink on which a promise could not be kept any more, and whose promise that is.

    ``wants`` per cent of the uplink would be taken, and ``left`` per cent are neither promised nor wanted by others.
    """

    uplink: Uplink
    queue: str
    wants: int
    left: int


class BandwidthPromises:
    """The parts of uplinks (bits/s that long messages reach) promised to queues, by level number and queue."""

    def __init__(self, tree: QueueTree, link_time: LinkTime, parts: dict[int, dict[str, int]]) -> None:
        """Keep the promises."""
        self.tree: Final = tree
        self.link_time: Final = link_time
        self.parts: Final = parts
        self._holders: Final[dict[tuple[str, int], str]] = {}

    def holder(self, queue: str, level: int) -> str:
        """Return the nearest queue from here upwards that is promised a part of a level's uplinks."""
        known = self._holders.get((queue, level))
        if known is None:
            promised = self.parts[level]
            chain = self.tree.chain(queue) if queue in self.tree.sound else ()
            known = next((above.name for above in chain if above.name in promised), NOBODY)
            self._holders[queue, level] = known
        return known

    def concerns(self, demand: Demand) -> bool:
        """Return whether a workload may speak over promised uplinks."""
        return demand.root.tree == 0 and self.link_time.known(demand)

    def broken(self, demand: Demand, spots: list[Spot]) -> Broken | None:
        """Return the first promise that could not be kept beside a workload on these spots, None where all can."""
        step = self.link_time.step(demand, self.link_time.places(demand, spots))
        if step is None:
            return None
        self.link_time.loads.refresh()
        for uplink, carried in step.carried.items():
            if uplink[0] in self.parts:
                broken = self._broken_on(uplink, demand.workload, step.wants(carried))
                if broken is not None:
                    return broken
        return None

    def _broken_on(self, uplink: Uplink, workload: Workload, wants: int) -> Broken | None:
        """Return the promise on one uplink that a workload would break that wants so many bits/s there."""
        promised = self.parts[uplink[0]]
        mine = self.holder(workload.queue, uplink[0])
        held = dict.fromkeys(promised, 0)
        held[NOBODY] = 0
        held[mine] += wants
        for record, wanted in self.link_time.loads.users((0, *uplink)).items():
            if record.workload is not workload:
                held[self.holder(record.workload.queue, uplink[0])] += wanted
        if mine and held[mine] <= promised[mine]:
            return None
        taken = {queue: max(held[queue], part) for queue, part in promised.items()}
        whole = self.link_time.capacity(0, uplink[0], uplink[1])
        together = held[NOBODY] + sum(taken.values())
        for queue, part in promised.items():
            over = together - taken[queue] - (whole - part)
            if queue != mine and over > 0:
                asked = -(-wants * PERCENT // whole)
                return Broken(uplink, queue, asked, max(wants - over, 0) * PERCENT // whole)
        return None


def read_promises(tree: QueueTree, link_time: LinkTime | None) -> BandwidthPromises | None:
    """Return the promises that the links of the first topology can keep, None where there are none."""
    if link_time is None or not any(queue.bandwidth for queue in tree.by_name.values()):
        return None
    names = link_time.state.topologies[0].level_names() if link_time.wirings[0] is not None else ()
    queues = [queue for name, queue in tree.by_name.items() if name in tree.sound]
    parts: dict[int, dict[str, int]] = {}
    for level, name in enumerate(names):
        whole = link_time.capacity(0, level)
        promised = _own_parts(queues, name, whole) if whole else {}
        if promised:
            parts[level] = promised
    return BandwidthPromises(tree, link_time, parts) if parts else None


def _own_parts(queues: Sequence[Queue], level: str, whole: int) -> dict[str, int]:
    """Return what each queue is promised of an uplink beyond what is promised below it, as far as the link reaches."""
    below: dict[str, int] = {}
    for queue in queues:
        if level in queue.bandwidth:
            below[queue.parent] = below.get(queue.parent, 0) + queue.bandwidth[level].of(whole)
    found: dict[str, int] = {}
    left = whole
    for queue in queues:
        if level in queue.bandwidth:
            own = min(max(queue.bandwidth[level].of(whole) - below.get(queue.name, 0), 0), left)
            left -= own
            if own:
                found[queue.name] = own
    return found
