"""Scenarios as documents: what a snapshot records and what a plan carried out leaves behind.

Reading what is written gives the same scenario again. What has its default is not written, and neighbours that differ
only in name and place become one entry with a hostlist, so that people can read a cluster of a thousand nodes.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.document_writer import document_text
from railwise.formats.scenario.failures import failure_document
from railwise.formats.scenario.nodes_writer import amounts_document, nodes_document, number, values_document
from railwise.formats.scenario.policy import AT_EVERY_DECISION, MOST_GPU_SECONDS
from railwise.formats.scenario.workloads_writer import workload_document
from railwise.model.policy import Change, MixPod, Policy
from railwise.model.quantity import format_bandwidth, format_duration
from railwise.model.queue import LinkPart, Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import NODE_LEVEL, Level, Topology

API_VERSION = "railwise.dev/v1alpha1"


def scenario_document(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario as plain values, in the order in which they are written; warnings are left out."""
    document: dict[str, Any] = {"apiVersion": API_VERSION, "kind": "Scenario"}
    if scenario.name:
        document["metadata"] = {"name": scenario.name}
    spec: dict[str, Any] = {
        "seed": scenario.seed,
        "topologies": [_topology(topology) for topology in scenario.topologies],
        "nodes": nodes_document(scenario.nodes, scenario.topologies),
        "queues": [_queue(queue) for queue in scenario.queues],
        "workloads": [workload_document(one) for one in sorted(scenario.workloads, key=lambda one: one.order)],
        "policy": _policy(scenario.policy),
        "events": [_event(change) for change in scenario.changes],
        "failures": [failure_document(one) for one in scenario.failures],
        "fabric": scenario.fabric,
    }
    document["spec"] = {key: value for key, value in spec.items() if value}
    return document


def scenario_text(scenario: Scenario, form: str = "yaml") -> str:
    """Return the scenario as ``yaml`` or ``json`` text."""
    return document_text(scenario_document(scenario), form)


def _topology(topology: Topology) -> dict[str, Any]:
    levels: list[str | dict[str, Any]] = [_level(level) for level in topology.levels]
    if topology.node_uplink:
        levels.append({"name": NODE_LEVEL, "uplink": format_bandwidth(topology.node_uplink)})
    return {"name": topology.name, "levels": levels}


def _level(level: Level) -> str | dict[str, Any]:
    if not level.label and not level.uplink:
        return level.name
    document = {"name": level.name}
    if level.label:
        document["label"] = level.label
    if level.uplink:
        document["uplink"] = format_bandwidth(level.uplink)
    return document


def _queue(queue: Queue) -> dict[str, Any]:
    document: dict[str, Any] = {"name": queue.name}
    if queue.parent:
        document["parent"] = queue.parent
    for key, amounts in (("quota", queue.quota), ("limit", queue.limit)):
        if amounts:
            document[key] = amounts_document(amounts)
    if queue.lend is not None:
        document["lend"] = amounts_document(queue.lend)
    if queue.weight != Queue.weight:
        document["weight"] = number(queue.weight)
    if queue.priority:
        document["priority"] = queue.priority
    if queue.stopped:
        document["stopped"] = True
    for key, time in (
        ("preemptMinRuntime", queue.preempt_min_runtime),
        ("reclaimMinRuntime", queue.reclaim_min_runtime),
    ):
        if time:
            document[key] = format_duration(time)
    if queue.guarantee:
        document["guarantee"] = dict(queue.guarantee)
    if queue.bandwidth:
        document["bandwidth"] = {level: _link_part(part) for level, part in queue.bandwidth.items()}
    return document


def _link_part(part: LinkPart) -> str:
    if part.megabits or not part.thousandths:
        return format_bandwidth(part.megabits)
    return f"{number(part.thousandths * 100)}%"


def _policy(policy: Policy) -> dict[str, Any]:
    default = Policy()
    plain = (
        ("backfill", policy.backfill, default.backfill),
        ("reservations", policy.reservations, default.reservations),
        ("largestGang", policy.largest_gang, default.largest_gang),
    )
    document: dict[str, Any] = {key: value for key, value, usual in plain if value != usual}
    for key, time, usual_time in (
        ("reserveAfter", policy.reserve_after, default.reserve_after),
        ("victimWait", policy.victim_wait, default.victim_wait),
        ("nodeGrace", policy.node_grace, default.node_grace),
        ("repairWait", policy.repair_wait, default.repair_wait),
        ("usageHalfLife", policy.usage_half_life, default.usage_half_life),
    ):
        if time != usual_time:
            document[key] = format_duration(time)
    if policy.sizes:
        document["sizes"] = {str(size): weight for size, weight in policy.sizes}
    if policy.mix:
        document["mix"] = mix_document(policy.mix)
    if policy.defrag_every:
        document["defrag"] = _defrag(policy)
    return document


def mix_document(mix: tuple[MixPod, ...]) -> list[dict[str, Any]]:
    """Return the pods of a mix as people write them."""
    documents: list[dict[str, Any]] = []
    for pod in mix:
        document: dict[str, Any] = {"weight": pod.weight}
        if pod.gpu:
            document["gpu"] = number(pod.gpu)
        if pod.cpu:
            document["cpu"] = number(pod.cpu)
        if pod.models:
            document["model"] = list(pod.models)
        documents.append(document)
    return documents


def _defrag(policy: Policy) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if policy.defrag_every != AT_EVERY_DECISION:
        document["every"] = format_duration(policy.defrag_every)
    document["maxMoves"] = policy.defrag_max_moves
    if policy.defrag_max_lost != MOST_GPU_SECONDS:
        document["maxLostGpuSeconds"] = policy.defrag_max_lost
    return document


def _event(change: Change) -> dict[str, Any]:
    target: object = list(change.names) if change.target == "cable" else change.names[0]
    return {"at": format_duration(change.at), change.target: target, "set": values_document(change.values)}
