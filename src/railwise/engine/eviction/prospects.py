"""Whether anybody at all may have to go for a workload: most that wait can be told so without a search.

In its own queue somebody must be less important; in another one, the queue must hold more than its quota or its share
of something. Both are known per queue as long as nothing changes.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.engine.workloads import Workloads

MOST: Final = 1 << 62
"""A priority above all."""


class Prospects:
    """Per queue the least important work that may be stopped, and the queues that hold more than they are due."""

    def __init__(self, workloads: Workloads) -> None:
        """Read them off the books as they are now."""
        self.lowest: Final[dict[str, int]] = {}
        for (queue, priority), number in workloads.stoppable.items():
            if number:
                self.lowest[queue] = min(priority, self.lowest.get(queue, MOST))
        self.above: Final = {queue for queue in self.lowest if _above(queue, workloads.accounts)}

    def any_for(self, record: Record) -> bool:
        """Return whether somebody may have to go for a workload, as far as queues and priorities tell."""
        queue = record.workload.queue
        if self.lowest.get(queue, MOST) < record.workload.priority:
            return True
        return len(self.above) > (queue in self.above)


def _above(queue: str, accounts: Accounts) -> bool:
    tree = accounts.tree
    if not tree.declared or queue not in tree.sound:
        return False
    quota, share = accounts.quotas[queue], accounts.shares[queue]
    for resource, held in tree.held[queue].items():
        due = share.get(resource, 0)
        over = held > due or held > quota.get(resource, 0)
        if over and resource in tree.counted and tree.counts(queue, resource):
            return True
    return False
