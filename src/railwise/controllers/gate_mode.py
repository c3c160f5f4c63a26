"""Gate mode: in front of the stock scheduler, which binds what is let through."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from railwise.controllers.binder import Binder
from railwise.controllers.cache import Binding, ClusterCache
from railwise.controllers.evictor import Evictor
from railwise.controllers.gate_cache import GateCache
from railwise.controllers.gate_release import Releaser
from railwise.controllers.gate_watch import ReleaseWatch
from railwise.controllers.modes import Mode, Said
from railwise.kubeapi.client import Client
from railwise.kubeapi.pods import Answer
from railwise.kubeapi.recorder import Recorder


class GateMode(Mode):
    """Pods are told their node and released."""

    def __init__(self, cache: GateCache) -> None:
        """Keep the cache of what is released."""
        self._cache = cache

    def binder(
        self,
        client: Client,
        cache: ClusterCache,
        done: Callable[[Binding], None],
        failed: Callable[[Binding, Answer], None],
    ) -> Binder:
        """Return who releases pods."""
        return Releaser(client, cache, done, failed)

    def placed(self, binding: Binding) -> Said:
        """Return what is said of a pod that was released."""
        pod = binding.pod
        return Said("Released", f"{pod.namespace}/{pod.name} may be bound to {binding.node}", "Releasing")

    def duties(self, evictor: Evictor, recorder: Recorder) -> Sequence[Coroutine[Any, Any, None]]:
        """Return the watch over released pods."""
        return (ReleaseWatch(self._cache, evictor, recorder).run(),)
