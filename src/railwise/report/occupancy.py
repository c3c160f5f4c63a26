"""Who sits on which card of which node, now or after a plan: the one picture that tables, trees and drawings share.

A document says which nodes its running pods use, not always which cards; the engine books them by its rules. Every face
needs the same answer per node (whose cards, what is free, is it fit for use), so it is asked of the engine once, here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from railwise.engine.outcome import after
from railwise.engine.slots import slots_left
from railwise.engine.views import booked
from railwise.model.node import Node
from railwise.model.plan import Plan, PodPlacement
from railwise.model.scenario import Scenario


class CardUse(NamedTuple):
    """One card: the workloads on it in order of arrival (none: free), and whether it is healthy."""

    tenants: tuple[str, ...]
    healthy: bool


@dataclass(frozen=True)
class NodeUse:
    """One node in use. ``free`` are its free card-slots, ``pods`` pairs of workload and number of pods.

    ``state`` is ``ready``, ``notReady`` or ``cordoned``; ``kept_for`` names the workload it is reserved for.
    """

    node: Node
    free: int
    state: str
    cards: tuple[CardUse, ...]
    pods: tuple[tuple[str, int], ...]
    kept_for: str = ""

    def runs(self) -> tuple[tuple[str, int, int], ...]:
        """Return runs of equal cards as (label, first card, count).

        The label is the workload, ``""`` for free cards, ``"!"`` for sick ones, ``"+"`` for cards that several share.
        A node without cards is one run of one, as if it were a card.
        """
        if not self.cards:
            return (("+" if len(self.pods) > 1 else "".join(name for name, _ in self.pods), 0, 1),)
        found: list[tuple[str, int, int]] = []
        for index, card in enumerate(self.cards):
            label = "!" if not card.healthy else "+" if len(card.tenants) > 1 else "".join(card.tenants)
            if found and found[-1][0] == label:
                found[-1] = (label, found[-1][1], found[-1][2] + 1)
            else:
                found.append((label, index, 1))
        return tuple(found)


@dataclass(frozen=True)
class Occupancy:
    """A cluster at one moment: its nodes in document order, the slots left per level and size in whole nodes."""

    scenario: Scenario
    uses: tuple[NodeUse, ...]
    slots: dict[str, dict[int, int]]
    plan: Plan | None = None


def occupancy(scenario: Scenario, plan: Plan | None = None) -> Occupancy:
    """Return who runs where: as the document says, or once the plan is carried out."""
    running = after(scenario, plan) if plan else scenario
    state, records = booked(running)
    on_node: dict[str, list[tuple[str, PodPlacement]]] = {}
    for record in records:
        for pod in record.placements(state) if record.pods else ():
            on_node.setdefault(pod.node, []).append((record.workload.name, pod))
    kept = {name: entry.workload for entry in reversed(plan.reservations) for name in entry.nodes} if plan else {}
    uses = tuple(
        node_use(node, on_node.get(node.name, []), room.slots, kept.get(node.name, ""))
        for node, room in zip(running.nodes, state.room_of, strict=True)
    )
    return Occupancy(scenario, uses, slots_left(state), plan)


def empty_slots(scenario: Scenario) -> dict[str, dict[int, int]]:
    """Return the slots that the cluster would have if nothing ran on it."""
    return occupancy(replace(scenario, workloads=())).slots


def node_state(node: Node) -> str:
    """Return ``notReady``, ``cordoned`` or ``ready``."""
    if not node.ready:
        return "notReady"
    return "cordoned" if node.unschedulable else "ready"


def node_use(node: Node, pods: Sequence[tuple[str, PodPlacement]], free: int, kept_for: str = "") -> NodeUse:
    """Return one node with the pods on it, given as pairs of workload and placement."""
    tenants: list[list[str]] = [[] for _ in range(node.card_count())]
    counts: dict[str, int] = {}
    for workload, pod in pods:
        counts[workload] = counts.get(workload, 0) + 1
        for card in {int(name.split("@", 1)[0]) for name in pod.cards}:
            if card < len(tenants) and workload not in tenants[card]:
                tenants[card].append(workload)
    cards = tuple(CardUse(tuple(names), card not in node.unhealthy) for card, names in enumerate(tenants))
    return NodeUse(node, free, node_state(node), cards, tuple(counts.items()), kept_for)
