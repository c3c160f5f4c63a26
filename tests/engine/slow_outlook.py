"""The outlook of a moment worked out from nothing: every end sorted by node, every slot of every domain sorted."""

from __future__ import annotations

from collections.abc import Container

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import NOT_GIVEN, Demand
from railwise.engine.gangs.record import Record
from railwise.engine.waiting.ends import expected_end
from railwise.engine.waiting.outlook import Chance
from railwise.engine.workloads import Workloads


def slow_chances(
    workloads: Workloads, demand: Demand, latest: int, apart: Container[int] = (), but: Record | None = None
) -> list[Chance]:
    """Return what ``Outlook.chances`` yields; ``but``: the workload whose end does not count."""
    state, now = workloads.state, workloads.now
    gains = _gains(workloads, but)
    root = demand.root
    if not gains or root.shape is None:
        return []
    tree = state.trees[root.tree].tree
    mask = state.allowed(root.shape)
    ranges, named = [(0, len(tree.order))], [True]
    if root.required != NOT_GIVEN and root.required < tree.depth:
        ranges, named = tree.tiers[root.required].ranges(), tree.tiers[root.required].named
    elif root.required != NOT_GIVEN:
        ranges = [(place, place + 1) for place in range(len(tree.order))]
        named = [True] * len(ranges)
    found: list[Chance] = []
    for (start, end), ok in zip(ranges, named, strict=True):
        slots: list[tuple[int, int]] = []
        for place in range(start, end) if ok else ():
            node = tree.order[place]
            if (mask is None or mask[node]) and node not in apart:
                slots += [(time, place) for time in _slots(state, root.shape, node, now, gains)]
        slots.sort()
        pods = root.group.min_pods
        if len(slots) >= pods and slots[pods - 1][0] <= latest:
            nodes = frozenset(tree.order[place] for _, place in slots[:pods])
            found.append(Chance(slots[pods - 1][0], start, nodes))
    return sorted(found, key=lambda chance: chance[:2])


def _gains(workloads: Workloads, but: Record | None) -> dict[int, list[tuple[int, int]]]:
    state, now, grace = workloads.state, workloads.now, workloads.state.policy.reserve_after
    gains: dict[int, list[tuple[int, int]]] = {}
    for record in workloads.records.values():
        end = expected_end(record, now, grace) if record is not but else None
        for node, grant in record.pods.values() if end is not None else ():
            here = gains.setdefault(node, [])
            if end is not None:
                here.append((end, grant.whole.bit_count() or (len(state.ledgers[node].left) if grant.shares else 0)))
    return gains


def _slots(
    state: ClusterState, shape: Shape, node: int, now: int, gains: dict[int, list[tuple[int, int]]]
) -> list[int]:
    room = state.room_of[node]
    if room.closed:
        return []
    free = room.free
    times = [now] * (free // shape.cards)
    for end, gain in sorted(gains.get(node, ())):
        free += gain
        times += [end] * (free // shape.cards - len(times))
    return times
