"""Saying on the pods why they wait: a condition that autoscalers and people read, and an event when the answer changes.

The condition's reason stays ``Unschedulable``, as autoscalers expect; code and figures stand in its message. Figures
change in every round of a busy cluster, the answer seldom: so a message with the same code is written anew only after a
while, and no more than a few writes are on their way at once. What the server did not take is said again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.client import Client
from railwise.kubeapi.pods import Outcome, PodName, set_conditions
from railwise.kubeapi.recorder import Recorder, Regarding
from railwise.kubeapi.resources import PODS
from railwise.model.reason import Code
from railwise.report.live_words import LIVE_WORDS

REFRESH = 30.0
"""Seconds after which a message with the same code is written again, if its figures have changed."""

MOST = 100_000
"""So many pods are remembered; of the one longest ago it is forgotten what was said."""

PAUSE = 1.0
"""Seconds before what the server did not take is tried again, and between two looks at what has become due."""

WRITERS = 8
LONGEST = 1024
"""Characters of a condition's message."""


class Word(NamedTuple):
    """What is said on a pod: a code and the text behind it."""

    code: str
    text: str

    def message(self) -> str:
        """Return both as one text."""
        whole = f"{self.code}: {self.text}"
        return whole if len(whole) <= LONGEST else whole[: LONGEST - 1] + "…"


_CODES = frozenset((*(code.value for code in Code), *LIVE_WORDS))


def is_ours(message: str) -> bool:
    """Return whether a condition's message is one of ours, not of another scheduler's."""
    return message.partition(":")[0] in _CODES


def on_the_pod(pod: LivePod) -> Regarding:
    """Return the pod itself as what a word is about."""
    return Regarding(PODS, *pod)


class Announcer:
    """Keeps the condition of waiting pods true."""

    def __init__(
        self,
        client: Client,
        recorder: Recorder,
        about: Callable[[LivePod], Regarding] = on_the_pod,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep who writes, and whom a word about a pod is told of: a pod that nobody has made yet cannot carry it."""
        self._client = client
        self._recorder = recorder
        self._about = about
        self._clock = clock
        self._said: dict[str, tuple[Word, float]] = {}
        self._next: dict[str, tuple[LivePod, Word]] = {}
        self._later: dict[str, tuple[LivePod, Word]] = {}
        self._some = asyncio.Event()

    def waits(self, pod: LivePod, word: Word) -> None:
        """Hear why a pod waits."""
        about = self._about(pod)
        said = self._said.get(about.uid)
        if said is not None and said[0].code == word.code:
            if said[0] == word:
                self._later.pop(about.uid, None)
                return
            if self._clock() - said[1] < REFRESH:
                self._later[about.uid] = pod, word
                return
        else:
            self._recorder.say(about, word.code, word.text, warning=True)
        self._write_soon(about, pod, word)

    def _write_soon(self, about: Regarding, pod: LivePod, word: Word) -> None:
        self._said.pop(about.uid, None)
        self._later.pop(about.uid, None)
        self._said[about.uid] = word, self._clock()
        if len(self._said) > MOST:
            del self._said[next(iter(self._said))]
        if about.resource == PODS:
            self._next[pod.uid] = pod, word
            self._some.set()

    def forget(self, pod: LivePod) -> None:
        """Hear that a pod waits no longer."""
        about = self._about(pod)
        self._said.pop(about.uid, None)
        self._later.pop(about.uid, None)
        self._next.pop(pod.uid, None)

    async def run(self) -> None:
        """Write what is to be said, for ever.

        Raises:
            DeposedError: this process may no longer lead.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self._refresh())
            for _ in range(WRITERS):
                group.create_task(self._write())

    async def _refresh(self) -> None:
        """Write figures that were too new to be written when they were heard."""
        while True:
            await asyncio.sleep(PAUSE)
            due = self._clock() - REFRESH
            for uid, (pod, word) in list(self._later.items()):
                said = self._said.get(uid)
                if said is None or said[1] <= due:
                    self._write_soon(self._about(pod), pod, word)

    async def _write(self) -> None:
        while True:
            while self._next:
                pod, word = self._next.pop(next(iter(self._next)))
                answer = await set_conditions(self._client, PodName(*pod), [condition(word)])
                if answer.outcome is Outcome.UNKNOWN:
                    await asyncio.sleep(PAUSE)
                    said = self._said.get(pod.uid)
                    if said is not None and said[0] == word:
                        self._next.setdefault(pod.uid, (pod, word))
            self._some.clear()
            await self._some.wait()


def condition(word: Word) -> dict[str, object]:
    """Return the condition of a pod that waits."""
    return {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": word.message(),
        "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
