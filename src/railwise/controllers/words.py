"""What is said to pods after each round: why they wait, what is lacking, and what of their wishes means nothing.

Every pod that waits is told why, also where the engine has no reason to give: who waits beside a gang that runs with
fewer pods, and who waits for the rest of a gang. An annotation that does not exist would be ignored in silence, since
nobody reads the scheduler's log: its owner gets an event.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from railwise.controllers.announcer import Announcer, Word
from railwise.controllers.cache import ClusterCache
from railwise.engine.cycle import Engine
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.model.plan import WorkloadPlan
from railwise.model.reason import Code
from railwise.report.live_words import INCOMPLETE, SURPLUS

log = logging.getLogger("railwise.scheduler")

IGNORED = "Ignored"
"""The reason of the event about a wish that means nothing."""


class Words:
    """Finds the words, and the pods that they are for."""

    def __init__(
        self, cache: ClusterCache, announcer: Announcer, recorder: Recorder, about: Callable[[LivePod], Regarding]
    ) -> None:
        """Keep where pods are looked up, and who tells them."""
        self._cache = cache
        self._announcer = announcer
        self._recorder = recorder
        self._about = about

    def reason(self, entry: WorkloadPlan) -> None:
        """Say the engine's reason."""
        reason = entry.reason
        if reason is not None:
            text = reason.summary + (f"; {reason.next}" if reason.next else "")
            self._tell(entry.name, Word(reason.code.value, text))

    def clearing(self, clearing: Mapping[str, int]) -> None:
        """Tell those who have a place that others must leave first; the number of these by workload."""
        for name, victims in clearing.items():
            text = f"its place is being cleared: {victims} pod{'' if victims == 1 else 's'} must go first"
            self._tell(name, Word(Code.WAITING_FOR_VICTIMS.value, text), seated=True)

    def surplus(self, engine: Engine) -> None:
        """Tell pods beyond those that run, where enough of their gang run."""
        for record in engine.workloads.waiting.values():
            there = len(record.pods)
            if not there or record.workload.invalid or record.short():
                continue
            text = f"{there} of {record.demand.pods} pods run or will, which is enough; the rest waits for room"
            self._tell(record.workload.name, Word(SURPLUS, text))

    def incomplete(self) -> None:
        """Tell the pods of gangs that are not all there."""
        for name, lack in self._cache.incomplete():
            needed = f" of {lack.needed}" if lack.needed else ""
            text = f"waits for the rest of its gang: {lack.there}{needed} pods are there"
            self._tell(name, Word(INCOMPLETE, text))

    def ignored(self) -> None:
        """Tell one pod of each gang what of its wishes is ignored."""
        found = self._cache.ignored
        while found:
            pod, warning = found.pop(0)
            log.warning("%s", warning)
            self._recorder.say(self._about(_live(pod)), IGNORED, warning, warning=True, action="Reading")

    def _tell(self, workload: str, word: Word, *, seated: bool = False) -> None:
        """Tell all pods that wait; ``seated``: also those that have a place by now."""
        for pod in self._cache.members_of(workload):
            if not pod.spec.node_name and (seated or pod.metadata.uid not in self._cache.pods.assumed):
                self._announcer.waits(_live(pod), word)


def _live(pod: Pod) -> LivePod:
    return LivePod(pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)
