"""How a plan is carried out: the seam between one engine and the two ways in which Railwise may run.

In place of the default scheduler pods are bound and victims evicted; in front of it (``gate_mode.py``) pods are told
where to go and let through, and the stock scheduler binds. Cache, engine and rounds are the same, so a plan is too.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

from railwise.controllers.announcer import on_the_pod
from railwise.controllers.binder import Binder
from railwise.controllers.cache import Binding, ClusterCache, Stop
from railwise.controllers.evictor import Evictor
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.client import Client
from railwise.kubeapi.pods import Answer
from railwise.kubeapi.recorder import CONTROLLER, Recorder, Regarding


class Said(NamedTuple):
    """An event: its reason, its text, and the action it tells of."""

    reason: str
    note: str
    action: str


class Mode:
    """In place of the default scheduler: pods are bound.

    ``deed`` is what is done with a pod, and ``controller`` who says so in events.
    """

    deed = "bind"
    controller = CONTROLLER

    def binder(
        self,
        client: Client,
        cache: ClusterCache,
        done: Callable[[Binding], None],
        failed: Callable[[Binding, Answer], None],
    ) -> Binder:
        """Return who carries bindings out."""
        return Binder(client, cache, done, failed)

    def evictor(self, client: Client, cache: ClusterCache, stays: Callable[[Stop, Answer], None]) -> Evictor:
        """Return who makes room."""
        return Evictor(client, cache, stays)

    def about(self, pod: LivePod) -> Regarding:
        """Return the object on which people look for words about a pod."""
        return on_the_pod(pod)

    def placed(self, binding: Binding) -> Said | None:
        """Return what is said of a binding that was carried out, None: nothing."""
        pod = binding.pod
        return Said("Scheduled", f"{pod.namespace}/{pod.name} is bound to {binding.node}", "Binding")

    def duties(self, evictor: Evictor, recorder: Recorder) -> Sequence[Coroutine[Any, Any, None]]:
        """Return what else has to go on as long as the scheduler runs."""
        del evictor, recorder
        return ()
