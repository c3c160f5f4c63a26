"""Equal pods put and removed together: the same as one by one, with less to count.

The pods of a gang change their nodes alike, so that what changes in kinds of room and in domains is counted once for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railwise.engine.cluster.ledger import NOTHING, Grant
from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import KIND_NONE, Shape
from railwise.engine.cluster.state import ClusterState


def put_all(state: ClusterState, shape: Shape, nodes: Sequence[int]) -> list[Grant]:
    """Put pods of one shape on nodes, one for each entry, as ``put`` does one by one; stop where one does not fit.

    The result holds the cards of those that were put. Pods that change their nodes alike are counted together.
    """
    mask = state.allowed(shape)
    room_of, ledgers = state.room_of, state.ledgers
    grants: list[Grant] = []
    alike: list[int] = []
    before: Room | None = None
    after: Room | None = None
    for node in nodes:
        if mask is not None and not mask[node]:
            break
        room = room_of[node]
        if room is not before:
            state.count_over(alike, before, after)
            alike, before, after = [], room, state.rooms.fits(shape, room)
        if after is None:
            break
        grant = NOTHING
        if shape.kind != KIND_NONE:
            grant = ledgers[node].choose(shape, room)
            ledgers[node].take(grant)
        grants.append(grant)
        alike.append(node)
        room_of[node] = after
    state.count_over(alike, before, after)
    return grants


def take_away_all(state: ClusterState, shape: Shape, pods: Iterable[tuple[int, Grant]]) -> None:
    """Remove pods of one shape, given as (node, cards), as ``take_away`` does one by one."""
    room_of = state.room_of
    alike: list[int] = []
    before: Room | None = None
    after: Room | None = None
    for node, grant in pods:
        state.ledgers[node].give_back(grant)
        room, left = room_of[node], state.rebooked(node, shape, 1)
        if room is not before or left is not after:
            state.count_over(alike, before, after)
            alike, before, after = [], room, left
        alike.append(node)
        room_of[node] = left
    state.count_over(alike, before, after)
    state.mark_freed()
