"""Gate mode: in front of the stock scheduler, which binds what is let through."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from railwise.controllers.announcer import on_the_pod
from railwise.controllers.binder import Binder
from railwise.controllers.cache import Binding, ClusterCache, Stop
from railwise.controllers.evictor import Evictor
from railwise.controllers.gate_cache import GateCache
from railwise.controllers.gate_evictor import GateEvictor
from railwise.controllers.gate_release import Releaser
from railwise.controllers.gate_watch import ReleaseWatch
from railwise.controllers.modes import Mode, Said
from railwise.formats.kubernetes.gate_jobs import BETWEEN, is_placeholder
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.client import Client
from railwise.kubeapi.pods import Answer
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.kubeapi.resources import JOBS


class GateMode(Mode):
    """Pods are told their node and released; Jobs that are held as a whole are let through and stopped as a whole."""

    deed = "release"
    controller = "railwise.dev/gate"

    def __init__(self, cache: GateCache) -> None:
        """Keep the cache of what is held and released."""
        self._cache = cache

    def binder(
        self,
        client: Client,
        cache: ClusterCache,
        done: Callable[[Binding], None],
        failed: Callable[[Binding, Answer], None],
    ) -> Binder:
        """Return who releases pods."""
        del cache
        return Releaser(client, self._cache, done, failed)

    def evictor(self, client: Client, cache: ClusterCache, stays: Callable[[Stop, Answer], None]) -> Evictor:
        """Return who makes room."""
        del cache
        return GateEvictor(client, self._cache, stays)

    def about(self, pod: LivePod) -> Regarding:
        """Return a pod, or the Job whose pod it will be."""
        if not is_placeholder(pod.uid):
            return on_the_pod(pod)
        return Regarding(JOBS, pod.namespace, pod.name.rpartition("-")[0], pod.uid.partition(BETWEEN)[0])

    def placed(self, binding: Binding) -> Said | None:
        """Return what is said of a pod that was released; of a Job it is said once."""
        pod = binding.pod
        if not is_placeholder(pod.uid):
            return Said("Released", f"{pod.namespace}/{pod.name} may be bound to {binding.node}", "Releasing")
        first = pod.uid.endswith(f"{BETWEEN}0")
        return Said("Released", "all of its pods have a place; it may begin", "Releasing") if first else None

    def duties(self, evictor: Evictor, recorder: Recorder) -> Sequence[Coroutine[Any, Any, None]]:
        """Return the watch over released pods."""
        return (ReleaseWatch(self._cache, evictor, recorder).run(),)
