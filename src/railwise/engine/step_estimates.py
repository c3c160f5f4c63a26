"""What one workload's step takes: where the plan puts it, and inside one domain of each level.

Between the quickest and the slowest level lies what placement can win or lose for this workload, whatever runs beside
it today.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.engine.search.link_time import LinkTime
from railwise.engine.search.shared_links import shared_steps, uplinks_of
from railwise.model.scenario import Scenario
from railwise.traffic.links import THOUSAND
from railwise.traffic.placement_time import Step


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
    """Return a step beside everybody on the same uplinks, each at its max-min fair rate, and their names."""
    wiring, loads = link_time.wirings[record.demand.root.tree], link_time.loads
    loads.refresh()
    step = loads.steps.get(record)
    if wiring is None or step is None:
        return None, ()
    uplinks = uplinks_of(record, step)
    users = {other.workload.name for uplink in uplinks for other in loads.users(uplink)}
    neighbours = [name for name in engine.records if name in users and name != record.workload.name]
    if not neighbours:
        return None, ()
    gets = shared_steps(loads, uplinks)[record]
    if gets.rate is None:
        return step, tuple(neighbours)
    levels = {uplink[1] for uplink in gets.crowded}
    rate = int(gets.rate) * THOUSAND // wiring.efficiency
    left = [min(bits, rate) if level in levels else bits for level, bits in enumerate(wiring.uplinks)]
    shared = replace(wiring, uplinks=tuple(left))
    return link_time.step(record.demand, link_time.places(record.demand, []), shared), tuple(neighbours)
