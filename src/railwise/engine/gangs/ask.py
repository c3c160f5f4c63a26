"""What a demand asks for, as a key: demands with equal keys get the same answer from the same cluster.

Thousands of workloads wait for the same thing. What was found out for one of them holds for all, whatever their names,
queues and priorities, as long as nothing of them runs.
"""

from __future__ import annotations

from railwise.engine.gangs.demand import Demand, Part

Ask = int
"""Compare and hash only; keys of different engines have nothing to do with each other."""


def ask_of(demand: Demand) -> Ask | None:
    """Return the key of what a demand asks for, None where some of it runs: then it asks for what only it can."""
    for leaf in demand.leaves:
        if leaf.fixed:
            return None
    if demand.ask < 0:
        numbers = demand.shapes.asks
        demand.ask = numbers.setdefault(_key_of(demand), len(numbers))
    return demand.ask


def _key_of(demand: Demand) -> tuple[object, ...]:
    traffic = demand.workload.traffic
    spoken = () if traffic is None else (traffic.pattern, *sorted(traffic.sizes.items()))
    return (demand.preferred, *_of_part(demand.root), *spoken)


def _of_part(part: Part) -> tuple[object, ...]:
    group, shape = part.group, part.shape
    rules = (part.tree, part.required, part.preferred, part.distinct, part.even)
    if shape is not None:
        segment = (part.segment_size, part.segment_required, part.segment_preferred)
        return (part.path, *rules, *segment, shape.index, group.pods, group.min_pods, group.pod_rules)
    return (part.path, *rules, group.min_groups, tuple([_of_part(child) for child in part.children]))
