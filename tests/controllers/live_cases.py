"""Policy tests as objects of an API server: which of them a live cluster can say, and how it says them.

A case is chosen by what its scenario holds, never by its name or its answer's details; ``unsaid`` is the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from railwise.devcluster.nodes import node_objects
from railwise.formats.cases.expectation import Outcome, judge
from railwise.formats.cases.model import RUN_PLAN, Case
from railwise.formats.cases.result import Result
from railwise.formats.scenario.workloads_writer import workload_document
from railwise.model.natural import natural_key
from railwise.model.node import MIG_NONE
from railwise.model.plan import Plan, State
from railwise.model.policy import Policy
from railwise.model.quantity import format_duration
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_NONE, CARDS_WHOLE, CardRule, Group, Workload

MOST_NODES = 40
MOST_PODS = 80
"""A case of more takes longer than it tells."""

UNITS = {"cpu": "m", "memory": "Mi", "ephemeral-storage": "Mi"}
FOREIGN = "somebody"
"""The scheduler of what may not be moved."""


class Live(NamedTuple):
    """A case with its answer: where pods go by workload and rank, and the codes of those that wait."""

    case: Case
    scenario: Scenario
    places: dict[tuple[str, int], str]
    codes: dict[str, str]


def chosen(case: Case) -> Live | None:
    """Return a case that a live cluster can say, with the answer of ``railwise test``; None for any other."""
    if case.run != RUN_PLAN or case.document is not None or case.file:
        return None
    result = Result(case)
    if result.faults or unsaid(result.scenario):
        return None
    plan = result.plan
    if _changes(plan) or judge(case).outcome is not Outcome.PASSED:
        return None
    pods = {(one.name, pod.rank): pod.node for one in plan.workloads for pod in one.pods}
    codes = {one.name: one.reason.code.value for one in plan.workloads if one.reason is not None}
    return Live(case, result.scenario, pods, codes)


def _changes(plan: Plan) -> bool:
    """Return whether the plan takes pods away: what follows then depends on how long they take to go."""
    moved = plan.evictions or plan.moves or plan.reservations
    return bool(moved) or any(one.state in {State.EVICTED, State.MOVED} for one in plan.workloads)


def unsaid(scenario: Scenario) -> str:
    """Return what of a scenario has no form on a live cluster, or is none of its nodes and pods; empty: nothing."""
    if scenario.queues or scenario.changes or scenario.fabric or scenario.policy != Policy():
        return "queues, events, a fabric, or a policy of its own"
    if len(scenario.topologies) > 1 or any(level.uplink for one in scenario.topologies for level in one.levels):
        return "several topologies, or uplinks"
    if not 0 < len(scenario.nodes) <= MOST_NODES:
        return "no nodes, or too many"
    if not scenario.topologies and any(node.places for node in scenario.nodes):
        return "places without a topology"
    for node in scenario.nodes:
        odd = any(run.mig != MIG_NONE or run.time_slices > 1 for run in node.cards)
        if len(set(node.cards)) > 1 or odd or not node.ready:
            return "cards that are cut, shared or mixed, or a node that is not ready"
        if node.unhealthy or not node.cards or node.dead_rails:
            return "sick cards or rails, or no cards"
    names = [node.name for node in scenario.nodes]
    if names != sorted(names, key=natural_key):
        return "nodes in another order than that of their names"
    if sum(workload.root.pods for workload in scenario.workloads) > MOST_PODS:
        return "too many pods"
    running = {node for one in scenario.workloads if one.root.running for node in one.root.running.nodes}
    if not running <= {*names, None}:
        return "pods on nodes that are gone"
    return next(filter(None, (_unsaid_of(workload) for workload in scenario.workloads)), "")


def _unsaid_of(workload: Workload) -> str:
    root, known = workload.root, set(workload_document(workload))
    if (
        known
        - {"name", "submit", "priority", "pods", "minPods", "request", "topology", "segment", "running"}
        - {
            *("nodeSelector", "nodeAffinity", "tolerations", "kind", "duration", "preemptible"),
        }
    ):
        return "groups, alternatives, traffic, or another thing that annotations do not say"
    if workload.queue != "default" or workload.root.card_rule != CardRule():
        return "a queue, or a wish for cards"
    whole = root.request.cards.kind in {CARDS_NONE, CARDS_WHOLE}
    if not whole or root.topology.distinct or root.topology.balance != "pack":
        return "parts of cards, or an even spread"
    if root.running is not None and (None in root.running.nodes or root.running.cards):
        return "a gang that runs in part, or on certain cards"
    if root.running is not None and len(root.running.nodes) != root.pods:
        return "a gang that runs in part"
    return "work that may not be moved and does not run" if not workload.preemptible and root.running is None else ""


def levels(scenario: Scenario) -> str:
    """Return the option that names the levels of a scenario's only topology."""
    return ",".join(
        f"{level.name}={level.label or f'{topology.name}.railwise.dev/{level.name}'}"
        for topology in scenario.topologies
        for level in topology.levels
    )


def nodes(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the Node objects."""
    return node_objects(scenario)


def in_turn(scenario: Scenario) -> list[Workload]:
    """Return the workloads in the order in which they were submitted."""
    return sorted(scenario.workloads, key=lambda one: (one.submit, one.order))


def maker(name: str, workload: Workload) -> dict[str, Any]:
    """Return the Job that would make the pods."""
    root = workload.root
    template = {"metadata": {}, "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}}
    spec = {"parallelism": root.pods, "completions": root.pods, "template": template}
    return {"metadata": {"name": name}, "spec": spec}


def pods(name: str, workload: Workload, scheduler: str, scenario: Scenario) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each pod with the node that it runs on already (empty: none)."""
    root = workload.root
    limits = {key: f"{amount}{UNITS.get(key, '')}" for key, amount in root.request.resources}
    if root.request.cards.count:
        limits["nvidia.com/gpu"] = str(root.request.cards.count)
    container = {"name": "main", "image": "none", "resources": {"limits": limits, "requests": limits}}
    spec: dict[str, Any] = {
        "schedulerName": scheduler if workload.preemptible else FOREIGN,
        "restartPolicy": "Never",
        "containers": [container],
        **_selection(workload),
    }
    if workload.priority:
        spec["priorityClassName"] = priority_class(workload.priority)
    notes = {f"railwise.dev/{key}": value for key, value in _notes(workload, scenario).items() if value}
    for rank in range(root.pods):
        meta = {"name": f"{name}-{rank}", "annotations": notes}
        yield {"metadata": meta, "spec": spec}, root.running.nodes[rank] or "" if root.running is not None else ""


def priority_class(priority: int) -> str:
    """Return the name of the class of a priority."""
    return f"case-{'minus-' if priority < 0 else ''}{abs(priority)}"


def _selection(workload: Workload) -> dict[str, Any]:
    document = workload_document(workload)
    found: dict[str, Any] = {key: document[key] for key in ("nodeSelector", "tolerations") if key in document}
    if "nodeAffinity" in document:
        found["affinity"] = {"nodeAffinity": document["nodeAffinity"]}
    return found


def _notes(workload: Workload, scenario: Scenario) -> dict[str, str]:
    root: Group = workload.root
    rule, segment = root.topology, root.segment
    known = {"", *(topology.name for topology in scenario.topologies)}
    return {
        "topology": "" if rule.name in known else rule.name,
        "required": rule.required,
        "preferred": rule.preferred,
        "segment-size": str(segment.size) if segment is not None else "",
        "segment-required": segment.required if segment is not None else "",
        "segment-preferred": segment.preferred if segment is not None else "",
        "min-pods": str(root.min_pods) if root.min_pods != root.pods else "",
        "kind": workload.kind,
        "duration": format_duration(workload.duration) if workload.duration else "",
    }
