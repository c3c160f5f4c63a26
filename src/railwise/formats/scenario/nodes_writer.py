"""Nodes as entries of a document; neighbours that differ only in number and place share one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from railwise.formats.hostlist import fold
from railwise.formats.scenario.pod_rules import host_ports_document, taken_ports, without_ports
from railwise.model.card_models import find_model
from railwise.model.node import MIG_DYNAMIC, MIG_NONE, Cards, Node, Taint
from railwise.model.quantity import format_cpu, format_memory, format_thousandths
from railwise.model.topology import Topology

_NUMBERED = re.compile(r"(.*?)[0-9]+", re.DOTALL)

LARGEST_EXACT = 10**12
"""Thousandths below this are written as a number; a float holds them exactly enough to be read back the same."""


def number(thousandths: int) -> int | float | str:
    """Return thousandths as a number, or as text where a float would not read back the same."""
    if thousandths % 1000 == 0:
        return thousandths // 1000
    return float(format_thousandths(thousandths)) if thousandths < LARGEST_EXACT else format_thousandths(thousandths)


def amounts_document(amounts: Mapping[str, int]) -> dict[str, Any]:
    """Return amounts per resource (base units) as people write them."""
    return {resource: _amount(resource, amount) for resource, amount in amounts.items()}


def _amount(resource: str, amount: int) -> int | float | str:
    if resource == "gpu":
        return number(amount)
    if resource == "cpu":
        return format_cpu(amount)
    return format_memory(amount) if resource in {"memory", "ephemeral-storage"} else amount


def taints_document(taints: Sequence[Taint]) -> list[dict[str, str]]:
    """Return taints, defaults left out."""
    documents = []
    for taint in taints:
        document = {"key": taint.key}
        if taint.value:
            document["value"] = taint.value
        documents.append(document | {"effect": taint.effect})
    return documents


def values_document(values: Mapping[str, object]) -> dict[str, Any]:
    """Return facts that change (in model form) as an event's ``set``."""
    document: dict[str, Any] = {}
    for key, value in values.items():
        if key == "taints" and isinstance(value, tuple):
            document[key] = taints_document(value)
        elif key == "resources" and isinstance(value, dict):
            document[key] = amounts_document(value)
        elif isinstance(value, frozenset):
            document[key] = sorted(value)
        else:
            document[key] = value
    return document


def nodes_document(nodes: Sequence[Node], topologies: Sequence[Topology]) -> list[dict[str, Any]]:
    """Return the entries of the nodes in their order."""
    return [_entry(part, topologies) for run in _runs(nodes) for part in _regular(run)]


def _runs(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """Yield neighbours with equal names but for the number, and equal in all but their place."""
    run: list[Node] = []
    prefix: str | None = None
    for node in nodes:
        match = _NUMBERED.fullmatch(node.name)
        mine = match[1] if match is not None else None
        if run and mine is not None and mine == prefix and _alike(run[0], node):
            run.append(node)
            continue
        if run:
            yield run
        run, prefix = [node], mine
    if run:
        yield run


def _regular(run: list[Node]) -> Iterator[list[Node]]:
    """Yield parts of a run in which each domain of a level holds as many nodes as the next one."""
    for topology, places in run[0].places.items():
        for level in places:
            names = [node.places[topology][level] for node in run]
            starts = [0, *(place for place in range(1, len(names)) if names[place] != names[place - 1]), len(names)]
            sizes = [end - start for start, end in pairwise(starts)]
            cuts = [start for start, (size, before) in zip(starts[1:], pairwise(sizes), strict=False) if size != before]
            if cuts:
                for first, last in pairwise([0, *cuts, len(run)]):
                    yield from _regular(run[first:last])
                return
    yield run


def _alike(one: Node, other: Node) -> bool:
    """Return whether two nodes differ in name and place only, and stand in the same levels."""
    return (
        one.cards == other.cards
        and one.labels == other.labels
        and one.resources == other.resources
        and one.taints == other.taints
        and one.unhealthy == other.unhealthy
        and one.ready == other.ready
        and one.unschedulable == other.unschedulable
        and (one.dead_rails, one.rails) == (other.dead_rails, other.rails)
        and (one.places is other.places or _levels(one) == _levels(other))
    )


def _levels(node: Node) -> dict[str, list[str]]:
    return {topology: sorted(places) for topology, places in node.places.items()}


def _entry(run: Sequence[Node], topologies: Sequence[Topology]) -> dict[str, Any]:
    node = run[0]
    document: dict[str, Any] = {"name": fold(one.name for one in run)}
    at: dict[str, dict[str, str]] = {}
    for index, topology in enumerate(topologies):
        places = {
            level: _column([one.places[topology.name][level] for one in run])
            for level in topology.level_names()
            if level in node.places.get(topology.name, {})
        }
        if places and index == 0:
            document["in"] = places
        elif topology.name in node.places and index > 0:
            at[topology.name] = places
    if at:
        document["at"] = at
    document |= _cards(node)
    resources = without_ports(node.resources)
    if resources:
        document["resources"] = amounts_document(resources)
    document |= host_ports_document(taken_ports(node.resources))
    if node.labels:
        document["labels"] = dict(node.labels)
    if node.taints:
        document["taints"] = taints_document(node.taints)
    if not node.ready:
        document["ready"] = False
    if node.unschedulable:
        document["unschedulable"] = True
    if node.rails or node.dead_rails:
        document["rails"] = {"count": node.rails} if node.rails else {}
        if node.dead_rails:
            document["rails"]["down"] = sorted(node.dead_rails)
    return document


def _column(names: list[str]) -> str:
    """Return the names that stand for these in equal consecutive runs, as a hostlist."""
    first = next((place for place in range(1, len(names)) if names[place] != names[0]), len(names))
    return fold(names[::first])


def _cards(node: Node) -> dict[str, Any]:
    if not node.cards:
        return {}
    if len(node.cards) == 1 and node.cards[0] == Cards(node.cards[0].count) and not node.unhealthy:
        return {"gpus": node.cards[0].count}
    runs = []
    first = 0
    for cards in node.cards:
        sick = sorted(card for card in node.unhealthy if first <= card < first + cards.count)
        runs.append(_run_of_cards(cards, sick))
        first += cards.count
    return {"gpu": runs[0] if len(runs) == 1 else runs}


def _run_of_cards(cards: Cards, sick: list[int]) -> dict[str, Any]:
    document: dict[str, Any] = {"count": cards.count}
    known = find_model(cards.model) if cards.model else None
    if cards.model:
        document["model"] = cards.model
    if cards.memory != (known.memory if known is not None else 0):
        document["memory"] = format_memory(cards.memory)
    if cards.reserve:
        document["reserve"] = format_memory(cards.reserve)
    if cards.mig != MIG_NONE:
        document["mig"] = "dynamic" if cards.mig == MIG_DYNAMIC else list(cards.mig)
    if cards.time_slices:
        document["timeSlices"] = cards.time_slices
    if cards.islands != 1:
        document["islands"] = cards.islands
    if sick:
        document["unhealthy"] = sick
    return document
