"""What would hurt about queues: promises that nobody can keep, and queues to which nothing is promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.report.audit import ADVICE, PROBLEM, Finding
from railwise.report.wording import thousandths

GPU = "gpu"


def of_queues(scenario: Scenario) -> Iterator[Finding]:
    """Yield what is found about the GPUs that queues are promised."""
    queues = scenario.queues
    have = 1000 * sum(node.card_count() for node in scenario.nodes)
    promised = sum(_promised(queue, queues) for queue in queues if not queue.parent)
    if promised > have:
        what = f"promise {thousandths(promised)} GPUs, and there are {thousandths(have)}"
        step = "lower them: who is owed more than there is cannot be paid by taking back"
        yield Finding("over-promised", PROBLEM, "quotas", what, step)
    for queue in queues:
        own, below = queue.quota.get(GPU), sum(_promised(one, queues) for one in queues if one.parent == queue.name)
        if own is not None and below > own:
            what = f"has a quota of {thousandths(own)} GPUs, and those below it {thousandths(below)}"
            yield Finding("over-promised", ADVICE, f"queue {queue.name}", what, "raise its quota, or lower theirs")
    parents = {queue.parent for queue in queues}
    bare = [queue.name for queue in queues if not queue.quota and queue.name not in parents]
    if bare and any(GPU in queue.quota for queue in queues):
        about = f"queue {bare[0]}" + (f" and {len(bare) - 1} more" if bare[1:] else "")
        what = "has no quota while others have: all that it gets is borrowed, and can be taken back"
        yield Finding("no-quota", ADVICE, about, what, "give it a quota, or leave it for guests")


def _promised(queue: Queue, queues: Sequence[Queue], depth: int = 0) -> int:
    """Return the GPUs promised to a queue in thousandths: its own quota, else the sum of those below it."""
    own = queue.quota.get(GPU)
    if own is not None or depth > len(queues):
        return own or 0
    return sum(_promised(one, queues, depth + 1) for one in queues if one.parent == queue.name)
