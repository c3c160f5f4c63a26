"""The cache of gate mode: pods are taken in without our marks, so that cache and engine are those of the scheduler.

What the engine takes for running is here *released*: told where to go, and not yet bound by the stock scheduler. Such
pods are kept as the API has them too, because whether they arrive has to be watched (``gate_watch.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from railwise.controllers.cache import ClusterCache
from railwise.controllers.clocks import LiveClock
from railwise.controllers.gate_marks import as_ours, released_to
from railwise.controllers.node_book import NodeBook
from railwise.controllers.pod_book import PodBook
from railwise.controllers.roles import ENDED
from railwise.formats.kubernetes.schema import Part, Pod, PodStatus

OURS = "railwise.dev/gate"
"""The scheduler that the cache believes our pods to name."""


class Condition(Part, frozen=True):
    """A condition of a pod with its reason and message."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class SeenStatus(PodStatus, frozen=True):
    """The state of a pod, with what the stock scheduler says of it."""

    conditions: tuple[Condition, ...] = ()

    def scheduled(self) -> Condition:
        """Return the condition ``PodScheduled``; an empty one if there is none."""
        return next((one for one in self.conditions if one.type == "PodScheduled"), Condition())


class SeenPod(Pod, frozen=True):
    """A pod, with what the stock scheduler says of it."""

    status: SeenStatus = SeenStatus()


class GatePods(PodBook):
    """Pods by uid, without our marks; ``released`` holds, as they are, those that are not bound yet."""

    kind = SeenPod

    def __init__(self, nodes: NodeBook, steady: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        super().__init__(OURS, nodes, steady)
        self.released: dict[str, SeenPod] = {}

    def put(self, pod: Pod) -> None:
        """Take in a pod as it is now."""
        going = pod.metadata.deletion_timestamp is not None or pod.status.phase in ENDED
        if isinstance(pod, SeenPod) and not going and not pod.spec.node_name and released_to(pod):
            self.released[pod.metadata.uid] = pod
        else:
            self.released.pop(pod.metadata.uid, None)
        super().put(as_ours(pod, OURS))

    def drop(self, uid: str) -> None:
        """Forget a pod that is gone."""
        self.released.pop(uid, None)
        super().drop(uid)


class GateCache(ClusterCache):
    """Nodes, pods and their makers, for the gate."""

    pods: GatePods

    def __init__(
        self, levels: str = "", clock: LiveClock | None = None, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """Start empty; ``steady`` gives seconds by which pods are waited for and held back."""
        super().__init__(OURS, levels, clock, steady)
        self.pods = GatePods(self.nodes, steady)
