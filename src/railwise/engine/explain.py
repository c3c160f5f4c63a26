"""Next steps for a workload that waits, each tried on the engine before it is offered.

A looser rule, fewer pods, a node that comes back, a workload that ends: each is applied to the live state, the
workload is searched for again, and everything is undone. What is said to help does help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.gangs.again import without_selection
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part, read_demand
from railwise.engine.gangs.record import Record
from railwise.engine.search.placement import Found, Placer
from railwise.engine.search.sizing import find_minimum
from railwise.model.reason import Code, Reason
from railwise.model.workload import Group, Segment

MOST_TRIED: Final = 64
"""How many running workloads are tried as the one that would have to end."""

SEARCHED: Final = frozenset({Code.NEVER_FITS, Code.NODES_EXCLUDED, Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED})
"""Codes for which a change to the workload or the cluster can be tried."""


MOST_ENDS: Final = 3
"""How many workloads are named whose end would do, each alone."""

Step = Callable[[Engine, Record], Iterator[str]]
"""Yields what was tried and helps, best first."""


def advise(engine: Engine, name: str, reason: Reason) -> str:
    """Return a verified next step for a pending workload after a cycle, or the reason's own where none was found."""
    return next(_verified(engine, name, reason), reason.next)


def advise_all(engine: Engine, name: str, reason: Reason) -> list[str]:
    """Return every verified next step for a pending workload after a cycle, best first; empty where none was found."""
    return list(_verified(engine, name, reason))


def earliest(engine: Engine, name: str) -> tuple[int, str] | None:
    """Return when enough room is free for a pending workload at the earliest, and by whose end; None: not known.

    The time is µs. Only what runs and has a ``duration`` is known to end; that others come first meanwhile is not
    looked at, nor is any queue.
    """
    record = engine.records.get(name)
    if record is None or record.unreadable is not None or record.demand.unsupported:
        return None
    now = engine.workloads.now
    ends = sorted(
        (max(other.began + other.workload.duration, now), other.workload.order, other.workload.name)
        for other in engine.records.values()
        if other.pods and other is not record and other.workload.duration
    )
    low, high = 0, len(ends)
    if not _fits_without(engine, record, [one[2] for one in ends]):
        return None
    while low < high:
        middle = (low + high) // 2
        if _fits_without(engine, record, [one[2] for one in ends[:middle]]):
            high = middle
        else:
            low = middle + 1
    return (ends[low - 1][0], ends[low - 1][2]) if low else (now, "")


def _fits_without(engine: Engine, record: Record, names: list[str]) -> bool:
    """Return whether a workload would fit now if some others were gone."""
    gone = [(engine.records[name], dict(engine.records[name].pods)) for name in names]
    for other, pods in gone:
        other.take_away(engine.state, list(pods))
    fits = _fits(engine, record.demand)
    for other, pods in reversed(gone):
        other.put_back(engine.state, pods)
    return fits


def _verified(engine: Engine, name: str, reason: Reason) -> Iterator[str]:
    record = engine.records.get(name)
    if record is None or record.unreadable is not None or reason.code not in SEARCHED or record.demand.unsupported:
        return
    steps: list[Step] = [_looser, _one_ends, _fewer] if reason.code != Code.NEVER_FITS else [_never]
    if reason.code == Code.NODES_EXCLUDED:
        steps = [_opened, _unselected, _fewer]
    for step in steps:
        yield from step(engine, record)


def _fits(engine: Engine, demand: Demand, state: ClusterState | None = None) -> bool:
    placer = engine.search if state is None else Placer(state)
    return isinstance(find_minimum(demand, placer.place), Found)


def _reread(engine: Engine, record: Record, root: Group, state: ClusterState | None = None) -> Demand:
    return read_demand(record.workload, root, state or engine.state, record.demand.alternative)


def _looser(engine: Engine, record: Record) -> Iterator[str]:
    """Try every wider required level, the narrowest first; of one rule the first that helps."""
    helped: set[str] = set()
    for rule, text, root in _wider_rules(engine, record.demand.root):
        if rule not in helped and _fits(engine, _reread(engine, record, root)):
            helped.add(rule)
            yield f"would fit now with {text}"


def _wider_rules(engine: Engine, part: Part) -> list[tuple[str, str, Group]]:
    """Return (which rule, what to write, the root group so changed) for each wider level of every rule."""
    group = part.group
    levels = engine.state.trees[part.tree].tree.levels
    segment = group.segment
    result: list[tuple[str, str, Group]] = []
    if part.required != NOT_GIVEN:
        for level in range(part.required - 1, -1, -1):
            rule = replace(group.topology, required=levels[level])
            result.append(("level", f"`required: {levels[level]}`", replace(group, topology=rule)))
        result.append(("level", "no required level", replace(group, topology=replace(group.topology, required=""))))
    if segment is not None and part.segment_required != NOT_GIVEN:
        soft = Segment(segment.size, "", segment.required)
        text = f"`segment: {{size: {segment.size}, preferred: {segment.required}}}`"
        result.append(("segment", text, replace(group, segment=soft)))
    for index, child in enumerate(part.children):
        for binding, text, changed in _wider_rules(engine, child):
            groups = (*group.groups[:index], changed, *group.groups[index + 1 :])
            result.append((f"{index}/{binding}", f"{text} for group {child.path}", replace(group, groups=groups)))
    return result


def _one_ends(engine: Engine, record: Record) -> Iterator[str]:
    """Try the end of each running workload, the smallest first."""
    others = [other for other in engine.records.values() if other.pods and other is not record]
    others.sort(key=lambda other: (len(other.pods), other.workload.order, other.workload.name))
    found = 0
    for other in others[:MOST_TRIED]:
        if found < MOST_ENDS and _fits_without(engine, record, [other.workload.name]):
            found += 1
            yield f"would fit if {other.workload.name} ends"


def _fewer(engine: Engine, record: Record) -> Iterator[str]:
    """Try fewer pods of a gang without groups: the most that fit now."""
    root = record.demand.root
    low, high = 0, root.group.min_pods - 1
    if root.shape is None or root.fixed:
        return
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(engine, _reread(engine, record, replace(root.group, pods=middle, min_pods=middle))):
            low = middle
        else:
            high = middle - 1
    if low:
        yield f"would fit now with `pods: {low}`"


def _opened(engine: Engine, record: Record) -> Iterator[str]:
    """Try each closed node as if it were ready and open, then all of them."""
    closed = [index for index, node in enumerate(engine.state.nodes) if not node.ready or node.unschedulable]
    if not closed:
        return
    empty = engine.verdict.empty.pristine()
    if not _fits(engine, _reread(engine, record, record.demand.root.group, empty), empty):
        return
    names = [engine.state.nodes[index].name for index in closed]
    if len(names) == 1:
        yield f"fits an empty cluster once {names[0]} is ready and open again"
        return
    yield f"fits an empty cluster once the {len(names)} closed nodes are ready and open again ({', '.join(names[:8])})"


def _unselected(engine: Engine, record: Record) -> Iterator[str]:
    """Try without a node selector."""
    demand = _reread(engine, record, without_selection(record.demand.root.group))
    if _fits(engine, demand) and not engine.state.any_taint:
        yield "would fit now without its node selector"


def _never(engine: Engine, record: Record) -> Iterator[str]:
    """Say what the largest domain could hold, and which wider level could."""
    root = record.demand.root
    if root.shape is None or not record.demand.simple:
        for _, text, group in _wider_rules(engine, root):
            pristine = engine.verdict.empty.pristine()
            if _fits(engine, _reread(engine, record, without_selection(group), pristine), pristine):
                yield f"could fit an empty cluster with {text}"
                return
        return
    tree = engine.state.trees[root.tree].tree
    needs = root.group.min_pods
    level = root.required if root.required != NOT_GIVEN else -1
    has = engine.verdict.empty.room_in_best(root.shape, root.tree, level, needs)
    where = "whole cluster"
    if level >= 0:
        where = f"largest {(*tree.levels, 'node')[level]}"
    text = f"can never fit: needs room for {needs} pods, the {where} has room for {has}"
    for wider in range(level - 1, -2, -1):
        if engine.verdict.empty.room_in_best(root.shape, root.tree, wider, needs) >= needs:
            rule = f"`required: {tree.levels[wider]}`" if wider >= 0 else "no required level"
            yield f"{text}; {rule} could hold it"
            return
    yield text
