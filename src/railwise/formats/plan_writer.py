"""Plans as documents (``kind: Plan``): what other programs read, so members are only ever added.

Amounts are whole numbers, times µs; a card is its number, or ``"0@4"`` for the MIG slice that starts at memory slice 4.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.document_writer import document_text
from railwise.model.plan import Eviction, Move, Plan, PodPlacement, Reservation, WorkloadPlan
from railwise.model.reason import Reason

API_VERSION = "railwise.dev/v1alpha1"


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return the plan as plain values, in the order in which they are written."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "scenario": plan.scenario,
        "time": plan.time,
        "workloads": [_workload(workload) for workload in plan.workloads],
        "evictions": [_eviction(eviction) for eviction in plan.evictions],
        "moves": [_move(move) for move in plan.moves],
        "reservations": [_reservation(reservation) for reservation in plan.reservations],
        "warnings": list(plan.warnings),
        "metrics": {"decisions": plan.decisions, "slotsLeft": _slots(plan)},
    }


def plan_text(plan: Plan, form: str) -> str:
    """Return the plan as ``json`` or ``yaml`` text, ending in a line feed."""
    return document_text(plan_document(plan), form)


def _slots(plan: Plan) -> dict[str, dict[str, int]]:
    return {level: {str(size): count for size, count in sizes.items()} for level, sizes in plan.slots_left.items()}


def _workload(workload: WorkloadPlan) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": workload.name,
        "queue": workload.queue,
        "state": workload.state.value,
        "pods": [_pod(pod) for pod in workload.pods],
        "domains": {level: list(names) for level, names in workload.domains.items()},
        "preferredMet": workload.preferred_met,
        "traffic": {"secondsPerStep": workload.seconds_per_step, "best": workload.best_seconds},
        "victims": list(workload.victims),
        "reason": _reason(workload.reason) if workload.reason is not None else None,
        "exact": workload.exact,
    }
    if workload.alternative >= 0:
        document["alternative"] = workload.alternative
    return document


def _pod(pod: PodPlacement) -> dict[str, Any]:
    return {"name": pod.name, "rank": pod.rank, "group": pod.group, "node": pod.node, "cards": _cards(pod.cards)}


def _cards(cards: tuple[str, ...]) -> list[int | str]:
    return [int(card) if card.isdigit() else card for card in cards]


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "code": reason.code.value,
        "summary": reason.summary,
        "act": reason.act.value,
        "next": reason.next,
        "nodes": {"total": reason.total, **reason.nodes},
        "levels": [
            {"level": level.level, "best": level.best, "has": level.has, "needs": level.needs}
            for level in reason.levels
        ],
    }


def _eviction(eviction: Eviction) -> dict[str, Any]:
    return {
        "workload": eviction.workload,
        "pods": list(eviction.pods),
        "for": eviction.beneficiary,
        "lostGpuSeconds": eviction.lost,
        "why": eviction.why,
    }


def _move(move: Move) -> dict[str, Any]:
    pods = [{"name": pod.name, "from": pod.source, "to": pod.target, "cards": _cards(pod.cards)} for pod in move.pods]
    return {"workload": move.workload, "pods": pods, "for": move.beneficiary, "lostGpuSeconds": move.lost}


def _reservation(reservation: Reservation) -> dict[str, Any]:
    return {
        "workload": reservation.workload,
        "domain": reservation.domain,
        "nodes": list(reservation.nodes),
        "start": reservation.start,
    }
