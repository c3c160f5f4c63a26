"""Odd facts that only show once what runs is booked."""

from __future__ import annotations

from railwise.engine.cluster.state import ClusterState


def overfull(state: ClusterState) -> list[str]:
    """Return a warning per node on which more runs than it has; it takes no more until there is room again."""
    found: list[str] = []
    for node, room, ledger in zip(state.nodes, state.room_of, state.ledgers, strict=True):
        lacking = [name for name, free in (("cpu", room.cpu), ("memory", room.memory), ("pods", room.pods)) if free < 0]
        lacking += [name for name, free in room.others if free < 0]
        if ledger.debt > 0:
            lacking.insert(0, "gpu")
        if lacking:
            found.append(f"node {node.name} is overfull: more {', '.join(lacking)} in use than it has")
    return found
