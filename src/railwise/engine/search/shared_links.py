"""What each of several running workloads gets of the uplinks that they share: max-min fair, and only where it changed.

An uplink of which all together want no more than it carries divides nothing. So a change matters to those on the
uplinks it touched, and through crowded uplinks to their neighbours' neighbours, and to nobody else.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from railwise.engine.gangs.record import Record
from railwise.engine.search.uplink_loads import TreeUplink, UplinkLoads
from railwise.traffic.contention import Flow, fair_rates
from railwise.traffic.links import BITS, NANOSECONDS
from railwise.traffic.placement_time import Step


class Shared(NamedTuple):
    """What a workload gets: the ns of a step beside all others, and the bits/s of its busiest crowded uplink.

    ``rate`` is None where it gets all it wants; ``crowded`` are its uplinks that cannot carry all that is wanted.
    """

    lasts: int
    rate: Fraction | None = None
    crowded: tuple[TreeUplink, ...] = ()


def shared_steps(loads: UplinkLoads, touched: Iterable[TreeUplink]) -> dict[Record, Shared]:
    """Return what everybody gets whom a change of what is wanted of some uplinks may concern.

    ``loads`` must be up to date.
    """
    users = _concerned(loads, touched)
    capacity: dict[TreeUplink, int] = {}
    flows: list[Flow[TreeUplink]] = []
    who: list[Record] = []
    found: dict[Record, Shared] = {}
    for record in users:
        step = loads.steps[record]
        crowded = [uplink for uplink in uplinks_of(record, step) if loads.crowded(uplink)]
        if not crowded:
            found[record] = Shared(step.lasts())
            continue
        capacity.update((uplink, loads.capacity(*uplink[:3])) for uplink in crowded)
        carried = tuple([step.carried[uplink[1:]] for uplink in crowded])
        flows.append(Flow(record.workload.name, tuple(crowded), step.wants(max(carried)), 1, carried))
        who.append(record)
    for record, flow, rate in zip(who, flows, fair_rates(capacity, flows), strict=True):
        step = loads.steps[record]
        if rate >= flow.wants:
            found[record] = Shared(step.lasts(), None, flow.links)
        else:
            slowed = -(-max(flow.carried) * BITS * NANOSECONDS * rate.denominator // rate.numerator)
            found[record] = Shared(max(step.lasts(), slowed), rate, flow.links)
    return found


def uplinks_of(record: Record, step: Step) -> list[TreeUplink]:
    """Return the uplinks that a workload's step brings bytes over."""
    tree = record.demand.root.tree
    return [(tree, level, domain, way) for level, domain, way in step.carried]


def _concerned(loads: UplinkLoads, touched: Iterable[TreeUplink]) -> dict[Record, None]:
    """Return the users of touched uplinks, and whoever is joined to them by crowded ones."""
    found: dict[Record, None] = {}
    seen = dict.fromkeys(touched)
    ready = list(seen)
    while ready:
        for record in loads.users(ready.pop()):
            if record in found:
                continue
            found[record] = None
            for uplink in uplinks_of(record, loads.steps[record]):
                if uplink not in seen and loads.crowded(uplink):
                    seen[uplink] = None
                    ready.append(uplink)
    return found
