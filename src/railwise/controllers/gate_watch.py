"""Watching whether released pods arrive: what the stock scheduler could not place as told is planned again.

Between a plan and the bind somebody else may take the room: a pod that never passed the gate, or one whose node was
cordoned a moment ago. The stock scheduler then says ``Unschedulable``, and the pod, pinned to its node, would wait for
ever. It cannot be held again, since Kubernetes allows gates only at creation. So it is replaced: evicted, so that its
owner makes a new one, which comes to the gate and is placed with everybody else. A pod that nobody would make again
keeps its pin and its claim to the room, and waits for the room to return.

To try the same again at once would only repeat the race. So the patience with the pods of one gang doubles each time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from railwise.controllers.announcer import is_ours
from railwise.controllers.cache import Stop
from railwise.controllers.evictor import Evictor
from railwise.controllers.gate_cache import GateCache, SeenPod
from railwise.formats.kubernetes.annotations import PREFIX
from railwise.formats.kubernetes.gangs import key_of, namespace
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import PodName, set_conditions
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.kubeapi.resources import JOBS, PODS

log = logging.getLogger("railwise.gate")

TICK = 0.5
"""Seconds between two looks at the pods that are released and not bound."""

PATIENCE = 5.0
LONGEST = 300.0
"""Seconds after which a pod that is refused is replaced: doubled for its gang each time."""

SILENCE = 60.0
"""Seconds without a word of the stock scheduler after which people are told."""

TAKEN = f"{PREFIX}RoomTaken"
"""The condition of a pod without an owner whose room somebody else has taken."""

CALM = 3600.0
"""Seconds after which it is forgotten how often pods of a gang had to be replaced."""


@dataclass
class _Case:
    """A released pod: since when it is known, since when it is refused (None: it is not).

    ``told`` says that its room is taken was said on it, ``asked`` that nobody says anything was.
    """

    since: float
    refused: float | None = None
    told: bool = False
    asked: bool = False


@dataclass
class _Record:
    """How often pods of a gang had to be replaced, and when the last try was given up."""

    times: int = 0
    at: float = float("-inf")


class ReleaseWatch:
    """Looks after the released pods of one cache."""

    def __init__(
        self,
        cache: GateCache,
        evictor: Evictor,
        recorder: Recorder,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep who replaces pods and who speaks."""
        self._cache = cache
        self._evictor = evictor
        self._recorder = recorder
        self._clock = clock
        self._cases: dict[str, _Case] = {}
        self._refusals: set[str] = set()
        self._records: dict[ObjectName, _Record] = {}

    async def run(self) -> None:
        """Look again and again, for ever."""
        while True:
            self.look()
            await asyncio.sleep(TICK)

    def look(self) -> None:
        """Look at every pod that is released and not bound, once."""
        now, pods = self._clock(), self._cache.pods
        for uid in [uid for uid in self._cases if uid not in pods.released]:
            case, pod_there = self._cases.pop(uid), pods.pods.get(uid)
            if case.told and pod_there is not None:
                self._mark(_live(pod_there), "False", "Bound", "the room has returned")
        self._records = {key: one for key, one in self._records.items() if one.times and now - one.at <= CALM}
        stops = []
        for uid, pod in pods.released.items():
            case = self._cases.setdefault(uid, _Case(now))
            if uid in pods.leaving:
                continue
            word = pod.status.scheduled()
            refused = (word.status, word.reason) == ("False", "Unschedulable") and not is_ours(word.message)
            if not refused:  # before it is looked at, it still says why it waited at the gate
                case.refused = None
                self._silent(pod, case, now)
                continue
            case.refused = now if case.refused is None else case.refused
            if pod.metadata.controller() is None:
                self._bare(pod, case, word.message)
                continue
            record = self._records.setdefault(key_of(pod.metadata, pod.spec), _Record())
            if now - case.refused >= self._patience(record, case.refused):
                stops.append(self._replaced(pod, record, case.refused, now))
        if stops:
            self._evictor.add(stops)
        self._refuse()

    def _refuse(self) -> None:
        """Say on Jobs that cannot be held as a whole why they wait, once each."""
        refused = {job.metadata.uid: (job, text) for job, text in self._cache.pods.refused.values()}
        for uid in refused.keys() - self._refusals:
            job, text = refused[uid]
            about = Regarding(JOBS, namespace(job.metadata), job.metadata.name, uid)
            self._recorder.say(about, "Unsupported", text, warning=True)
        self._refusals = set(refused)

    def _patience(self, record: _Record, refused: float) -> float:
        """Return how long a pod that is refused since then may stay: those of one try have the same patience."""
        times = record.times - (refused < record.at)
        return float(min(PATIENCE * 2.0 ** min(times, 16), LONGEST))

    def _replaced(self, pod: SeenPod, record: _Record, refused: float, now: float) -> Stop:
        if refused >= record.at:
            record.times += 1
            record.at = now
        key, message = key_of(pod.metadata, pod.spec), pod.status.scheduled().message
        gang = self._cache.pods.gangs.get(key)
        name = gang.name if gang is not None else ""
        live, node = _live(pod), self._cache.pods.pods[pod.metadata.uid].spec.node_name
        log.warning("%s/%s cannot be bound to %s and is replaced: %s", live.namespace, live.name, node, message)
        note = f"{node} was planned and cannot be used; it is evicted, to be planned again when its owner replaces it"
        self._recorder.say(Regarding(PODS, *live), "RoomTaken", note, action="Replacing", warning=True)
        return Stop(live, node, name, "")

    def _bare(self, pod: SeenPod, case: _Case, message: str) -> None:
        if case.told:
            return
        case.told = True
        live, node = _live(pod), self._cache.pods.pods[pod.metadata.uid].spec.node_name
        log.warning("%s/%s waits for its room on %s: %s", live.namespace, live.name, node, message)
        note = (
            f"waits for its room on {node} to return; it has no owner that would replace it: delete it to plan it anew"
        )
        self._recorder.say(Regarding(PODS, *live), "RoomTaken", note, action="Waiting", warning=True)
        self._mark(live, "True", "RoomTaken", note)

    def _mark(self, pod: LivePod, status: str, reason: str, message: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        condition = {"type": TAKEN, "status": status, "reason": reason, "message": message, "lastTransitionTime": stamp}
        self._evictor.work(self._write(PodName(*pod), condition))

    async def _write(self, pod: PodName, condition: Mapping[str, str]) -> None:
        try:
            await set_conditions(self._evictor.client, pod, [condition])
        except DeposedError:
            self._evictor.deposed.set()

    def _silent(self, pod: SeenPod, case: _Case, now: float) -> None:
        if case.asked or now - case.since < SILENCE:
            return
        case.asked = True
        live, node = _live(pod), self._cache.pods.pods[pod.metadata.uid].spec.node_name
        note = f"may be bound to {node} for {SILENCE:.0f} s now; does the default scheduler run?"
        self._recorder.say(Regarding(PODS, *live), "NotBound", note, action="Waiting", warning=True)


def _live(pod: Pod) -> LivePod:
    return LivePod(namespace(pod.metadata), pod.metadata.name, pod.metadata.uid)
