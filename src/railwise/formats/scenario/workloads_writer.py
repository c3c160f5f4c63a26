"""Workloads as entries of a document, defaults left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from railwise.formats.contradictions import contradiction
from railwise.formats.hostlist import fold
from railwise.formats.scenario.nodes_writer import amounts_document, number
from railwise.formats.scenario.pod_rules import host_ports_document, pod_rules_document, without_ports
from railwise.model.quantity import format_duration, format_memory
from railwise.model.requirement import Requirement
from railwise.model.workload import (
    CARDS_MIG,
    CARDS_SHARE,
    CARDS_TIME_SLICE,
    CARDS_WHOLE,
    Alternative,
    CardRequest,
    Group,
    Request,
    Running,
    Selection,
    Toleration,
    TopologyRule,
    Traffic,
    Workload,
)

FOLD_FROM = 5
"""From so many nodes on, the nodes of running pods are written as hostlists."""


def workload_document(workload: Workload) -> dict[str, Any]:
    """Return the entry of a workload."""
    document: dict[str, Any] = {"name": workload.name}
    if workload.queue != Workload.queue:
        document["queue"] = workload.queue
    if workload.priority:
        document["priority"] = workload.priority
    if workload.submit:
        document["submit"] = format_duration(workload.submit)
    if workload.alternatives:
        document |= _alternatives(workload)
    else:
        document |= _group(workload.root)
    document |= _traffic(workload.traffic)
    if workload.kind != Workload.kind:
        document["kind"] = workload.kind
    for key, value, usual in (
        ("elastic", workload.elastic, False),
        ("preemptible", workload.preemptible, True),
        ("suspend", workload.suspend, False),
    ):
        if value is not usual:
            document[key] = value
    if not workload.preempts:
        document["preemptionPolicy"] = "Never"
    if workload.duration:
        document["duration"] = format_duration(workload.duration)
    if workload.checkpoint is not None:
        document["checkpoint"] = {"every": format_duration(workload.checkpoint.every)}
        if workload.checkpoint.restore:
            document["checkpoint"]["restore"] = format_duration(workload.checkpoint.restore)
    found = contradiction((workload.root, *(one.root for one in workload.alternatives)))
    if workload.invalid and workload.invalid != found:
        document["invalid"] = workload.invalid
    if workload.unsupported:
        document["unsupported"] = workload.unsupported
    return document


def _alternatives(workload: Workload) -> dict[str, Any]:
    entries = []
    taken = 0
    bare = replace(workload.root, running=None)
    for index, alternative in enumerate(workload.alternatives):
        entry = _group(alternative.root)
        if alternative.slowdown != Alternative.slowdown:
            entry["slowdown"] = number(alternative.slowdown)
        entries.append(entry)
        if alternative.root == bare and workload.alternatives[taken].root != bare:
            taken = index
    document: dict[str, Any] = {"alternatives": entries}
    if workload.root.running is not None:
        document["running"] = _running(workload.root.running)
        if taken:
            document["running"]["alternative"] = taken
    return document


def _traffic(traffic: Traffic | None) -> dict[str, Any]:
    if traffic is None:
        return {}
    return {"traffic": {"pattern": traffic.pattern, **traffic.sizes} if traffic.sizes else traffic.pattern}


def _group(group: Group) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if group.groups:
        if group.min_groups != len(group.groups):
            document["minGroups"] = group.min_groups
        document |= _rule(group.topology)
        document["groups"] = [{"name": child.name, **_group(child)} for child in group.groups]
        return document
    if group.pods != 1:
        document["pods"] = group.pods
    if group.min_pods != group.pods:
        document["minPods"] = group.min_pods
    request = _request(group.request)
    if request:
        document["request"] = request
    document |= _card_rule(group)
    document |= _rule(group.topology)
    segment = group.segment
    if segment is not None:
        document["segment"] = {"size": segment.size}
        if segment.required:
            document["segment"]["required"] = segment.required
        if segment.preferred:
            document["segment"]["preferred"] = segment.preferred
    document |= _selection(group.selection) | host_ports_document(dict(group.request.resources))
    document |= pod_rules_document(group.pod_rules)
    if group.running is not None:
        document["running"] = _running(group.running)
    return document


def _request(request: Request) -> dict[str, Any]:
    return _cards(request.cards) | amounts_document(without_ports(dict(request.resources)))


def _cards(cards: CardRequest) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if cards.kind == CARDS_WHOLE:
        document["gpu"] = cards.count
    elif cards.kind == CARDS_MIG:
        document |= {f"mig-{profile}": count for profile, count in cards.slices}
    elif cards.kind == CARDS_TIME_SLICE:
        document["gpu-shared"] = cards.count
    elif cards.kind == CARDS_SHARE and cards.fraction:
        document["gpu"] = number(cards.fraction)
    elif cards.kind == CARDS_SHARE and cards.count != 1:
        document["gpu"] = cards.count
    if cards.memory:
        document["gpu-memory"] = format_memory(cards.memory)
    if cards.memory_percent:
        document["gpu-memory"] = f"{cards.memory_percent}%"
    if cards.compute:
        document["gpu-compute"] = f"{cards.compute}%"
    return document


def _card_rule(group: Group) -> dict[str, Any]:
    rule = group.card_rule
    document: dict[str, Any] = {}
    if rule.models:
        document["model"] = list(rule.models)
    if rule.memory:
        document["memory"] = format_memory(rule.memory)
    if rule.island:
        document["island"] = "required"
    return {"gpu": document} if document else {}


def _rule(rule: TopologyRule) -> dict[str, Any]:
    given = {
        "name": rule.name,
        "required": rule.required,
        "preferred": rule.preferred,
        "distinct": rule.distinct,
        "balance": rule.balance if rule.balance != TopologyRule.balance else "",
    }
    document = {key: value for key, value in given.items() if value}
    return {"topology": document} if document else {}


def _selection(selection: Selection) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if selection.labels:
        document["nodeSelector"] = dict(selection.labels)
    if selection.terms:
        terms = [_term(term) for term in selection.terms]
        document["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    if selection.tolerations:
        document["tolerations"] = [_toleration(toleration) for toleration in selection.tolerations]
    return document


def _term(term: tuple[Requirement, ...]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for requirement in term:
        expression: dict[str, Any] = {"key": requirement.key, "operator": requirement.operator}
        if requirement.values:
            expression["values"] = list(requirement.values)
        document.setdefault("matchFields" if requirement.of_field else "matchExpressions", []).append(expression)
    return document


def _toleration(toleration: Toleration) -> dict[str, Any]:
    given = {
        "key": toleration.key,
        "operator": toleration.operator if toleration.operator != Toleration.operator else "",
        "value": toleration.value,
        "effect": toleration.effect,
    }
    return {key: value for key, value in given.items() if value}


def _running(running: Running) -> dict[str, Any]:
    document: dict[str, Any] = {"nodes": _running_nodes(running.nodes)}
    if running.since:
        document["since"] = format_duration(running.since)
    if running.cards:
        cards = [[int(card) if card.isdigit() else card for card in of_pod] for of_pod in running.cards]
        document["cards"] = cards
    return document


def _running_nodes(nodes: tuple[str | None, ...]) -> list[str | None]:
    if len(nodes) < FOLD_FROM:
        return list(nodes)
    items: list[str | None] = []
    run: list[str] = []
    for node in (*nodes, None):
        if node is not None:
            run.append(node)
            continue
        if run:
            items.append(fold(run))
            run = []
        items.append(None)
    return items[:-1]
