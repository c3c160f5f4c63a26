"""Pipeline stages: activations go forward, their gradients come back, once per micro-batch.

With one-forward-one-backward schedules (PipeDream-Flush, Megatron-LM; GPipe has the same length) the first
micro-batch passes every border and back, and each further one costs another hand-over at the slowest border. What a
real system hides behind compute is not subtracted: the model compares places, and a hidden part is hidden everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence


def exposed_time(borders: Sequence[int], micro_batches: int) -> int:
    """Return the ns a step spends on hand-overs: 2 · (sum of all borders + (m - 1) · slowest border).

    Args:
        borders: ns of one hand-over at each border between stages, one direction.
        micro_batches: micro-batches per step, at least 1.
    """
    if not borders:
        return 0
    return 2 * (sum(borders) + (max(1, micro_batches) - 1) * max(borders))
