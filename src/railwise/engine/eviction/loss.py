"""What stopping pods costs: the work they have done and not saved, in card-time.

A gang that is told to stop loses what it did since its last checkpoint (or since it started), and its restart takes as
long as a restore. Pods of a batch are on their own; a replica of a service loses nothing but its cold start; a rank
less of a training gang stops all of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.shapes import KIND_WHOLE
from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU, of_pod
from railwise.engine.gangs.record import PodKey, Record

CARD_SECOND: Final = 1000 * 1_000_000
"""One GPU-second in thousandths of a card times µs, the unit of lost work."""


def cards_of(record: Record, key: PodKey, state: ClusterState) -> int:
    """Return the cards of a running pod in thousandths."""
    shape = record.demand.leaves[key[0]].shape
    if shape is None:
        return 0
    if shape.kind == KIND_WHOLE:
        return 1000 * shape.cards
    node, grant = record.pods[key]
    return of_pod(shape, node, grant, state).get(GPU, 0)


def unsaved(record: Record, since: int, now: int) -> int:
    """Return the µs that work which runs since then loses when it stops now."""
    elapsed = max(now - since, 0)
    checkpoint = record.workload.checkpoint
    if checkpoint is None:
        return elapsed
    return (elapsed % checkpoint.every if checkpoint.every else elapsed) + checkpoint.restore


def loss_of_gang(record: Record, state: ClusterState, now: int) -> int:
    """Return the work lost when all pods of a workload stop, in thousandths of a card times µs."""
    if record.workload.kind == "training" or not record.later:
        cards = sum([cards_of(record, key, state) for key in record.pods])
        return cards * unsaved(record, record.began, now)
    return sum([cards_of(record, key, state) * unsaved(record, record.since(key), now) for key in record.pods])


def loss_of_surplus(record: Record, keys: Iterable[PodKey], state: ClusterState, now: int) -> int:
    """Return the work lost when surplus pods stop and the rest of the workload runs on."""
    kind = record.workload.kind
    if kind == "training":
        return loss_of_gang(record, state, now)
    if kind == "inference":
        checkpoint = record.workload.checkpoint
        restore = checkpoint.restore if checkpoint is not None else 0
        return sum([cards_of(record, key, state) * restore for key in keys])
    return sum([cards_of(record, key, state) * unsaved(record, record.since(key), now) for key in keys])
