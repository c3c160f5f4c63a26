"""What loads with a warning: odd facts that a live cluster may well contain, each of which loses only its own branch.

A snapshot must always open, so none of this is an error; but each is named, because a rule that quietly stops to hold
is how a cluster drifts away from what people believe of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from railwise.formats.faults import Faults
from railwise.model.node import Node
from railwise.model.quantity import format_bandwidth, format_cpu, format_memory, format_thousandths
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import NO_LEVEL, NODE_LEVEL, Topology
from railwise.model.workload import Group, Workload

MOST_NAMED = 8
"""So many names stand in one warning."""


def warn(scenario: Scenario, faults: Faults) -> None:
    """Note all warnings about a scenario that has no fault."""
    domains = _warn_of_domains(scenario.topologies, scenario.nodes, faults)
    _warn_of_queues(scenario.queues, faults)
    _warn_of_guarantees(scenario.queues, domains, faults)
    _warn_of_bandwidth(scenario.queues, scenario.topologies, faults)
    nodes = {node.name: node for node in scenario.nodes}
    _warn_of_workloads(scenario.workloads, scenario.topologies, nodes, faults)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else shown


def _warn_of_domains(topologies: Sequence[Topology], nodes: Sequence[Node], faults: Faults) -> dict[str, int]:
    """Name domains of one name under several parents; return the number of domains per level of the first topology."""
    counts = {NODE_LEVEL: len(nodes)}
    for topology in topologies:
        levels = topology.level_names()
        paths: dict[str, dict[tuple[str, ...], None]] = {level: {} for level in levels}
        seen: set[int] = set()
        for node in nodes:
            place = node.places.get(topology.name)
            if place is None or id(place) in seen:
                continue
            seen.add(id(place))
            path: tuple[str, ...] = ()
            for level in levels:
                name = place.get(level, "")
                path = (*path, name)
                if name:
                    paths[level][path] = None
        for level in levels:
            if topology is topologies[0]:
                counts[level] = len(paths[level])
            _warn_of_parents(topology.name, level, paths[level], faults)
    return counts


def _warn_of_parents(topology: str, level: str, paths: Mapping[tuple[str, ...], None], faults: Faults) -> None:
    parents: dict[str, list[str]] = {}
    for path in paths:
        parents.setdefault(path[-1], []).append("/".join(part or "?" for part in path[:-1]))
    several = [name for name, found in parents.items() if len(found) > 1]
    if several:
        first = several[0]
        faults.warn(
            "",
            f"topology '{topology}': the {level} name{'s' if len(several) > 1 else ''} {_named(several)} "
            f"occur{'' if len(several) > 1 else 's'} under several parents ({first}: {_named(parents[first])}); "
            "they are different domains",
        )


def _warn_of_queues(queues: Sequence[Queue], faults: Faults) -> None:
    by_name = {queue.name: queue for queue in queues}
    for queue in queues:
        if queue.parent and queue.parent not in by_name:
            faults.warn("", f"queue '{queue.name}': there is no parent '{queue.parent}', so it takes no work")
        for resource, limit in queue.limit.items():
            quota = queue.quota.get(resource, 0)
            if limit < quota:
                figures = f"{_amount(resource, limit)} {resource} is below its quota of {_amount(resource, quota)}"
                faults.warn("", f"queue '{queue.name}': the limit of {figures}; the limit wins")
    for cycle in _cycles(by_name):
        faults.warn("", f"queues {_named(cycle)}: each is above the next in a circle, so they take no work")


def _amount(resource: str, amount: int) -> str:
    if resource == "gpu":
        return format_thousandths(amount)
    if resource == "cpu":
        return format_cpu(amount)
    return format_memory(amount) if resource in {"memory", "ephemeral-storage"} else str(amount)


def _cycles(by_name: Mapping[str, Queue]) -> list[list[str]]:
    """Return each circle of parents once, in document order of its first queue."""
    cycles = []
    done: set[str] = set()
    for name in by_name:
        way: dict[str, None] = {}
        current = name
        while current in by_name and current not in done and current not in way:
            way[current] = None
            current = by_name[current].parent
        if current in way:
            names = list(way)
            cycles.append(names[names.index(current) :])
        done.update(way)
    return cycles


def _warn_of_guarantees(queues: Sequence[Queue], domains: Mapping[str, int], faults: Faults) -> None:
    """Name the promises that go beyond what there is, in document order: those listed first are kept."""
    promised: dict[str, int] = {}
    children: dict[str, list[Queue]] = {}
    for queue in queues:
        children.setdefault(queue.parent, []).append(queue)
    for queue in queues:
        below = children.get(queue.name, [])
        for level, count in queue.guarantee.items():
            if level not in domains:
                faults.warn("", f"queue '{queue.name}': its guarantee names '{level}', which is no level")
                continue
            own = max(0, count - sum(child.guarantee.get(level, 0) for child in below))
            promised[level] = promised.get(level, 0) + own
            if own and promised[level] > domains[level]:
                faults.warn(
                    "",
                    f"queue '{queue.name}': its guarantee of {count} {level} cannot be kept, "
                    f"{promised[level]} are promised and there are {domains[level]}",
                )


def _warn_of_bandwidth(queues: Sequence[Queue], topologies: Sequence[Topology], faults: Faults) -> None:
    """Name parts of uplinks that nobody can keep: of levels without a known uplink, and beyond the whole of one."""
    uplinks = {level.name: level.uplink for level in topologies[0].levels} if topologies else {}
    nics = topologies[0].node_uplink if topologies else 0
    promised: dict[str, int] = {}
    parents = {queue.name: queue.parent for queue in queues}
    above = {queue.name: set(queue.bandwidth) for queue in queues}
    for queue in queues:
        for level, part in queue.bandwidth.items():
            cannot = f"queue '{queue.name}': its bandwidth on {level} uplinks cannot be kept, "
            if level not in uplinks:
                faults.warn("", f"{cannot}the first topology has no level '{level}'")
            elif not uplinks[level]:
                faults.warn("", f"{cannot}the level says nothing of its uplink")
            elif not nics:
                faults.warn("", f"{cannot}the topology says nothing of the uplink of a node")
            elif level not in above.get(parents[queue.name], ()):
                whole = uplinks[level] * 1_000_000
                before = promised.get(level, 0)
                promised[level] = before + part.of(whole)
                if promised[level] > whole:
                    left = format_bandwidth(max(whole - before, 0) // 1_000_000)
                    faults.warn("", f"{cannot}promises before it leave {left}")


def _warn_of_workloads(
    workloads: Sequence[Workload], topologies: Sequence[Topology], nodes: Mapping[str, Node], faults: Faults
) -> None:
    levels = {topology.name: {*topology.level_names(), NODE_LEVEL, NO_LEVEL} for topology in topologies}
    default = topologies[0].name if topologies else ""
    checked: set[int] = set()
    for workload in workloads:
        roots = [workload.root, *(alternative.root for alternative in workload.alternatives)]
        for root in roots:
            if id(root) in checked:
                continue
            checked.add(id(root))
            for group, topology in _walk(root, default):
                known = levels.get(topology, {NODE_LEVEL, NO_LEVEL} if not topology else None)
                if known is not None:
                    _warn_of_preference(workload.name, group, known, faults)
                _warn_of_running(workload.name, group, nodes, faults)


def _walk(group: Group, topology: str) -> Iterator[tuple[Group, str]]:
    topology = group.topology.name or topology
    yield group, topology
    for child in group.groups:
        yield from _walk(child, topology)


def _warn_of_preference(workload: str, group: Group, known: set[str], faults: Faults) -> None:
    preferred = [group.topology.preferred, group.segment.preferred if group.segment is not None else ""]
    for level in preferred:
        if level and level not in known:
            of_group = f", group '{group.name}'" if group.name else ""
            faults.warn(
                "", f"workload '{workload}'{of_group}: the preferred level '{level}' does not exist and is ignored"
            )


def _warn_of_running(workload: str, group: Group, nodes: Mapping[str, Node], faults: Faults) -> None:
    if group.running is None:
        return
    missing = list(dict.fromkeys(name for name in group.running.nodes if name is not None and name not in nodes))
    if missing:
        faults.warn("", f"workload '{workload}': pods run on nodes that do not exist: {_named(missing)}")
    if len(group.running.nodes) > group.pods:
        faults.warn("", f"workload '{workload}': {len(group.running.nodes)} pods run, {group.pods} are wanted")
    for name, cards in zip(group.running.nodes, group.running.cards, strict=False):
        node = nodes.get(name) if name is not None else None
        if node is not None and any(int(card.partition("@")[0]) >= node.card_count() for card in cards):
            faults.warn(
                "", f"workload '{workload}': a pod runs on card {', '.join(cards)} of {name}, which has none such"
            )
