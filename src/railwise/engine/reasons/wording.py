"""The sentences of a reason: a headline with the figures that matter, and one next step."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE, Shape
from railwise.engine.gangs.demand import NOT_GIVEN, Demand, Part
from railwise.model.reason import Code, LevelCount

NEXT: Final[dict[Code, str]] = {
    Code.INVALID_REQUEST: "correct the request and submit it again",
    Code.UNKNOWN_QUEUE: "name a queue that exists, or have it created",
    Code.UNKNOWN_TOPOLOGY: "name a topology that exists",
    Code.UNKNOWN_LEVEL: "name a level of the topology",
    Code.SUSPENDED: "resume the workload",
    Code.QUEUE_STOPPED: "wait until the queue is opened again",
    Code.NEVER_FITS: "ask for less, or for a wider required level",
    Code.NODES_EXCLUDED: "repair or open nodes, or loosen the selector",
    Code.NOT_ENOUGH_FREE: "wait for running workloads to end",
    Code.TOO_FRAGMENTED: "wait for room in one domain, or ask for a wider required level",
    Code.RESERVED: "wait; a `duration` that ends before the reserved start, or `preemptible: true`, may help",
    Code.BEHIND_OTHERS: "wait for those before it",
    Code.UNPROVEN: "wait; the search is repeated at every change",
    Code.UNSUPPORTED: "ask for whole cards or shares of a card",
}


BESIDE: Final = "wait for the pods that stand in the way, or loosen the rules between pods"
"""What to do where rules between pods keep a workload from nodes."""


def beside_others(leaf: Part, kept: int, total: int) -> str:
    """Return one line that says how many nodes rules between pods keep from the pods of a leaf."""
    pods = max(leaf.group.min_pods, 1)
    what = demand_text(leaf.shape, pods) if leaf.shape is not None else f"{pods} pods"
    if not kept:
        return f"no place was found for {what} that keeps the rules between them"
    if kept == total:
        return f"rules between pods keep {what} off all {total} nodes"
    return f"rules between pods keep {what} off {kept} of {total} nodes, and the others have no room"


def next_step(code: Code) -> str:
    """Return what to do about a code when nothing better is known."""
    return NEXT.get(code, "wait")


def demand_text(shape: Shape, pods: int) -> str:
    """Return ``16 pods of 8 GPUs``."""
    what = ""
    if shape.kind == KIND_WHOLE:
        what = f" of {shape.cards} GPU{'s' if shape.cards != 1 else ''}"
    elif shape.kind == KIND_SHARE:
        what = f" with {shape.cards} shared GPU{'s' if shape.cards != 1 else ''}"
    return f"{pods} pod{'s' if pods != 1 else ''}{what}"


def headline(
    code: Code, demand: Demand, leaf: Part, levels: tuple[LevelCount, ...], counts: dict[str, int], total: int
) -> str:
    """Return one line that says why, with the figures that matter."""
    shape = leaf.shape
    if shape is None:
        return code.value
    pods = max(leaf.group.min_pods, 1)
    what = demand_text(shape, pods) + (f" (group {leaf.path})" if leaf.path else "")
    fits = counts.get("fits", 0)
    if code == Code.NEVER_FITS:
        return f"{what} can never fit{_where(demand, leaf)}, not even in an empty cluster"
    if code == Code.NODES_EXCLUDED:
        shut = ", ".join(f"{number} {name}" for name, number in counts.items() if name in _SHUT)
        return f"{what} would fit but for excluded nodes ({shut or 'sick cards'})"
    if code == Code.NOT_ENOUGH_FREE:
        return f"not enough is free for {what}: {fits} of {total} nodes can take a pod now"
    if code == Code.TOO_FRAGMENTED:
        best = _best(demand, leaf, levels)
        return f"enough is free for {what}, but not{_where(demand, leaf) or ' on single nodes'}{best}"
    if code == Code.UNPROVEN:
        return f"the bounded search found no place for {what}{_where(demand, leaf)}, and no proof that there is none"
    return f"{what}: {code.value}"


_SHUT: Final = ("notReady", "cordoned", "taint", "selector", "model")


def _where(demand: Demand, leaf: Part) -> str:
    part: Part | None = leaf
    while part is not None:
        if part.required != NOT_GIVEN:
            return f" inside one {part.group.topology.required}"
        if part.segment_required != NOT_GIVEN and part.group.segment is not None:
            return f" in runs of {part.segment_size} inside one {part.group.segment.required}"
        part = part.parent
    del demand
    return ""


def _best(demand: Demand, leaf: Part, levels: tuple[LevelCount, ...]) -> str:
    wanted = leaf.group.topology.required or demand.root.group.topology.required
    for count in levels:
        if count.level == wanted:
            return f" (best {count.level} {count.best} has room for {count.has} of {count.needs})"
    return ""
