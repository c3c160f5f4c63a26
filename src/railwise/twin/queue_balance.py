"""What every queue holds and what is due to it at a moment, whoever decides: the ground of the measure of fairness.

A baseline may know no queues at all, and is measured by the same rule all the same: what the tree of queues promises
and weighs is shared out over what the queues ask for just then, and compared with what they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.charges import GPU, Amounts
from railwise.engine.queues.promised import with_quotas
from railwise.engine.queues.queue_shares import capacity_of, capacity_with, queue_shares
from railwise.engine.queues.queue_tree import QueueTree
from railwise.model.queue import Queue

Held = tuple[str, int]
"""A queue, and GPUs in thousandths."""


class QueueBalance:
    """The queues of one scenario; ``names`` are those that workloads may go to, empty where none is declared."""

    def __init__(self, queues: Sequence[Queue], state: ClusterState) -> None:
        """Read the tree of queues."""
        self.state: Final = state
        self.tree: Final = QueueTree(with_quotas(tuple(queues), state))
        leaves = [name for name in self.tree.by_name if name in self.tree.sound and not self.tree.children.get(name)]
        self.names: Final = tuple(leaves) if self.tree.declared else ()

    def now(self, holding: Iterable[Held], asking: Iterable[Held]) -> tuple[tuple[int, int], ...]:
        """Return (held, due) per queue, in thousandths of a GPU.

        Args:
            holding: what each running workload holds.
            asking: what each waiting workload asks for.
        """
        if not self.names:
            return ()
        held: dict[str, int] = {}
        for queue, gpus in holding:
            held[queue] = held.get(queue, 0) + gpus
        wanted = dict(held)
        for queue, gpus in asking:
            wanted[queue] = wanted.get(queue, 0) + gpus
        demand: dict[str, Amounts] = {queue: {GPU: gpus} for queue, gpus in wanted.items() if queue in self.tree.sound}
        shares, _ = queue_shares(self.tree, demand, capacity_with(capacity_of(self.state), ()))
        return tuple((held.get(name, 0), int(shares[name].get(GPU, 0))) for name in self.names)
