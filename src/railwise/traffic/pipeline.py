"""Pipeline stages: activations go forward, their gradients come back, once per micro-batch.

With one-forward-one-backward schedules (PipeDream-Flush, Megatron-LM; GPipe has the same length) the first
micro-batch passes every border and back, and each further one costs another hand-over at the slowest border. What a
real system hides behind compute is not subtracted: the model compares places, and a hidden part is hidden everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.traffic.links import Cost


def hand_overs(borders: Sequence[Cost], slowest: Cost, micro_batches: int) -> list[Cost]:
    """Return what a step spends on hand-overs: 2 · (sum of all borders + (m - 1) · slowest one).

    Args:
        borders: one hand-over at each border between stages, one direction, alone on its links.
        slowest: one hand-over while all borders are busy in both directions.
        micro_batches: micro-batches per step, at least 1.
    """
    if not borders:
        return []
    filling = Cost(
        "fill and drain of the pipeline",
        max(borders, key=Cost.total).phases,
        sum(one.launch for one in borders),
        sum(one.latency for one in borders),
        sum(one.transfer for one in borders),
        sum(one.ramp for one in borders),
        times=2,
    )
    further = max(1, micro_batches) - 1
    return [filling, replace(slowest, times=2 * further)] if further else [filling]
