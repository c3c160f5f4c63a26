"""Nodes and workloads as tables and as plain data for machines: the same facts in both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from railwise.engine.outcome import after
from railwise.formats.hostlist import fold
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from railwise.report.occupancy import NodeUse, Occupancy
from railwise.report.table import BAD, DIM, GOOD, STRONG, WARN, Cell, Column, Table, row, table
from railwise.report.wording import cards_text, demand_text, leaves, pods_wanted

STATES = {"ready": Cell("ready", GOOD), "notReady": Cell("not ready", BAD), "cordoned": Cell("cordoned", WARN)}


def node_place(scenario: Scenario, use: NodeUse) -> str:
    """Return the node's place in the default topology as a path, ``-`` for a level at which it names none."""
    if not scenario.topologies:
        return ""
    topology = scenario.topologies[0]
    places = use.node.places.get(topology.name, {})
    return "/".join(places.get(level, "-") for level in topology.level_names()) if places else ""


def nodes_table(moment: Occupancy, *, wide: bool) -> Table:
    """Return the nodes: in a wide table each on its own row, else neighbours that look the same on one."""
    scenario = moment.scenario
    rows = []
    for number, group in groupby(
        enumerate(moment.uses), key=lambda pair: (pair[0] if wide else -1, _alike(scenario, pair[1]))
    ):
        del number
        uses = [use for _, use in group]
        rows.append(_node_row(scenario, uses))
    return table(
        [
            "NODE",
            "STATE",
            "PLACE",
            Column("GPUS", right=True),
            Column("FREE", right=True),
            Column("MODEL", wide=True),
            Column("TAINTS", wide=True),
            "WORKLOADS",
        ],
        rows,
    )


def _alike(scenario: Scenario, use: NodeUse) -> tuple[object, ...]:
    node = use.node
    return (
        use.state,
        node_place(scenario, use),
        node.cards,
        use.free,
        use.pods,
        len(node.unhealthy),
        node.taints,
        use.kept_for,
    )


def _node_row(scenario: Scenario, uses: Sequence[NodeUse]) -> tuple[Cell, ...]:
    use = uses[0]
    words = [name + (f" ×{count}" if count > 1 else "") for name, count in use.pods]
    words += [f"{len(use.node.unhealthy)} sick"] if use.node.unhealthy else []
    words += [f"kept for {use.kept_for}"] if use.kept_for else []
    taints = [f"{taint.key}={taint.value}:{taint.effect}".replace("=:", ":") for taint in use.node.taints]
    whole = bool(use.cards) and use.free == len(use.cards)
    return row(
        Cell(fold([one.node.name for one in uses]), STRONG),
        STATES[use.state],
        node_place(scenario, use),
        str(len(use.cards)),
        Cell(str(use.free), GOOD if whole else DIM if not use.free else ""),
        ", ".join(dict.fromkeys(cards.model for cards in use.node.cards if cards.model)),
        ", ".join(taints),
        ", ".join(words),
    )


def node_items(moment: Occupancy) -> list[dict[str, object]]:
    """Return the nodes as plain data."""
    return [
        {
            "name": use.node.name,
            "state": use.state,
            "places": {name: dict(places) for name, places in use.node.places.items()},
            "gpus": len(use.cards),
            "freeSlots": use.free,
            "unhealthy": sorted(use.node.unhealthy),
            "pods": dict(use.pods),
            "keptFor": use.kept_for or None,
        }
        for use in moment.uses
    ]


def as_running(moment: Occupancy) -> Scenario:
    """Return the scenario of a moment: as it is, or with the plan carried out."""
    return after(moment.scenario, moment.plan) if moment.plan else moment.scenario


def running_pods(group: Group) -> int:
    """Return how many pods of a workload or group run."""
    return sum(
        sum(1 for node in leaf.running.nodes if node is not None)
        for _, leaf in leaves(group)
        if leaf.running is not None
    )


def workload_state(workload: Workload) -> str:
    """Return ``running``, ``part`` (some of its pods run), ``waiting`` or ``suspended``."""
    running = running_pods(workload.root)
    if running:
        return "running" if running >= pods_wanted(workload.root) else "part"
    return "suspended" if workload.suspend else "waiting"


def rule_text(group: Group) -> str:
    """Return the topology rule in short: ``one superpod, rack preferred, runs of 4 in one rack``."""
    rule = group.topology
    parts = [f"one {rule.required}"] * bool(rule.required) + [f"{rule.preferred} preferred"] * bool(rule.preferred)
    parts += [f"each in another {rule.distinct}"] * bool(rule.distinct) + ["even"] * (rule.balance == "even")
    if group.segment:
        level = group.segment.required or group.segment.preferred
        parts.append(f"runs of {group.segment.size} in one {level}" if level else f"runs of {group.segment.size}")
    return ", ".join(parts)


def workloads_table(scenario: Scenario) -> Table:
    """Return the workloads in document order."""
    tones = {"running": GOOD, "part": WARN, "waiting": "", "suspended": DIM}
    return table(
        [
            "WORKLOAD",
            "QUEUE",
            "STATE",
            Column("PODS", right=True),
            "EACH",
            "RULE",
            Column("PRIORITY", right=True),
            Column("KIND", wide=True),
            Column("TRAFFIC", wide=True),
        ],
        [
            row(
                Cell(workload.name, STRONG),
                workload.queue,
                Cell(workload_state(workload), tones[workload_state(workload)]),
                f"{running_pods(workload.root)}/{pods_wanted(workload.root)}",
                _each(workload.root),
                rule_text(workload.root),
                str(workload.priority),
                workload.kind,
                workload.traffic.pattern if workload.traffic else "",
            )
            for workload in scenario.workloads
        ],
    )


def _each(root: Group) -> str:
    kinds = list(dict.fromkeys(cards_text(leaf.request.cards) or "no GPU" for _, leaf in leaves(root)))
    return kinds[0] if len(kinds) == 1 else "mixed"


def workload_items(scenario: Scenario) -> list[dict[str, object]]:
    """Return the workloads as plain data."""
    return [
        {
            "name": workload.name,
            "queue": workload.queue,
            "state": workload_state(workload),
            "pods": pods_wanted(workload.root),
            "running": running_pods(workload.root),
            "asks": demand_text(workload.root),
            "rule": rule_text(workload.root),
            "priority": workload.priority,
            "kind": workload.kind,
            "traffic": workload.traffic.pattern if workload.traffic else None,
        }
        for workload in scenario.workloads
    ]
