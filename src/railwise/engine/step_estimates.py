"""What one workload's step takes: where the plan puts it, and inside one domain of each level.

Between the quickest and the slowest level lies what placement can win or lose for this workload, whatever runs beside
it today.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.engine.search.link_time import LinkTime
from railwise.model.scenario import Scenario
from railwise.traffic.contention import Flow, fair_bits
from railwise.traffic.placement_time import Step
from railwise.traffic.wiring import Wiring


@dataclass(frozen=True)
class StepEstimate:
    """Predicted steps of a workload.

    ``here`` is where it runs after the plan, on ``nodes`` in rank order (None: it waits); ``beside`` the same while
    ``neighbours``, who cross an uplink that it crosses, speak at the same time (None: there are none). ``levels`` holds
    each level's name, narrowest first, with the step inside the largest empty domain of it, spread as wide as that is
    (None: it does not fit there). ``speaks`` is False where nothing can be predicted: ``linked`` then tells whether
    links are known.
    """

    name: str
    pattern: str
    linked: bool
    speaks: bool
    here: Step | None
    nodes: tuple[str, ...]
    levels: tuple[tuple[str, Step | None], ...]
    beside: Step | None = None
    neighbours: tuple[str, ...] = ()


def estimate_steps(scenario: Scenario, name: str) -> StepEstimate:
    """Return the predicted steps of a workload after one plan; KeyError where the document has no such workload."""
    engine = Engine(scenario)
    engine.cycle(())
    record = engine.records[name]
    link_time = engine.link_time
    demand = record.demand
    tree = engine.state.trees[demand.root.tree].tree
    wired = link_time is not None and link_time.wirings[demand.root.tree] is not None
    if link_time is None or not wired or not link_time.tells(demand):
        pattern = link_time.sizes(record.workload).pattern if link_time is not None else ""
        return StepEstimate(name, pattern, wired, speaks=False, here=None, nodes=(), levels=())
    placed = [pod.node for pod in record.placements(engine.state)]
    names = (*tree.levels, "node")
    levels = [(names[level], link_time.step_inside(demand, level)) for level in range(tree.depth, -1, -1)]
    beside, neighbours = _beside(engine, record, link_time)
    return StepEstimate(
        name,
        link_time.sizes(record.workload).pattern,
        linked=True,
        speaks=True,
        here=link_time.step_here(demand),
        nodes=tuple(dict.fromkeys(placed)),
        levels=tuple(levels),
        beside=beside,
        neighbours=neighbours,
    )


def _beside(engine: Engine, record: Record, link_time: LinkTime) -> tuple[Step | None, tuple[str, ...]]:
    """Return a step while everybody on the same uplinks speaks too, each at its max-min fair rate, and their names."""
    demand = record.demand
    wiring = link_time.wirings[demand.root.tree]
    if wiring is None or not record.pods:
        return None, ()
    flows = [
        Flow(other.workload.name, links)
        for other in engine.records.values()
        if other.demand.root.tree == demand.root.tree and link_time.tells(other.demand)
        for links in [_crossed(engine, other, wiring)]
        if links
    ]
    mine = next((flow for flow in flows if flow.name == record.workload.name), None)
    if mine is None:
        return None, ()
    neighbours = [flow.name for flow in flows if flow is not mine and set(flow.links) & set(mine.links)]
    if not neighbours:
        return None, ()
    capacity = {link: wiring.uplinks[int(link.split("/")[0])] for flow in flows for link in flow.links}
    rate = fair_bits(capacity, flows)[flows.index(mine)]
    levels = {int(link.split("/")[0]) for link in mine.links}
    left = [min(bits, rate) if level in levels else bits for level, bits in enumerate(wiring.uplinks)]
    shared = replace(wiring, uplinks=tuple(left))
    return link_time.step(demand, link_time.places(demand, []), shared), tuple(neighbours)


def _crossed(engine: Engine, record: Record, wiring: Wiring) -> tuple[str, ...]:
    """Return the known uplinks that a workload's pods speak over, as ``level/domain``."""
    tree = engine.state.trees[record.demand.root.tree].tree
    nodes = {node for node, _ in record.pods.values()}
    found: list[str] = []
    for level, bits in enumerate(wiring.uplinks):
        used = sorted({tree.domain_of[level][node] for node in nodes})
        if bits and len(used) > 1:
            found += [f"{level}/{domain}" for domain in used]
    return tuple(found)
