"""Policy tests on a live cluster: nodes and pods on a real API server, and pods end up where the plan puts them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import pytest

from railwise.controllers.cache import ClusterCache
from railwise.controllers.scheduler import Scheduler
from railwise.formats.cases.reader import read_cases
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import ConflictError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import JOBS, NODES, PODS, PRIORITY_CLASSES
from railwise.kubeapi.watching import Scope
from railwise.report.live_words import SURPLUS
from tests.conftest import ROOT
from tests.control_plane import uid_of
from tests.controllers.live_cases import Live, chosen, in_turn, levels, maker, nodes, pods, priority_class
from tests.controllers.test_cluster_scheduler import Seen

PATIENCE = 10.0
LEAST = 60
"""So many cases have to be said at least."""

Answer = tuple[dict[tuple[str, int], str], dict[str, str]]
"""Nodes by workload and rank, and codes of workloads that wait."""


def every_case() -> list[Live]:
    """Return two of three cases that a live cluster can say; what they are is in ``live_cases.unsaid``."""
    found: list[Live] = []
    for path in sorted((ROOT / "cases").glob("*.yaml")):
        found += [live for case in read_cases(path.read_bytes(), path.name) if (live := chosen(case)) is not None]
    return [live for place, live in enumerate(found) if place % 3 != 2]


class Stage:
    """One case at a time on the whole cluster."""

    def __init__(self, client: Client, space: str, live: Live) -> None:
        self.client = client
        self.space = space
        self.live = live
        self.scheduler = f"railwise-{space}"
        self.names = {one.name: f"w{turn:02d}-{one.name}" for turn, one in enumerate(in_turn(live.scenario))}

    async def fill(self) -> None:
        """Create everything, what runs already on its nodes."""
        await _together(self.client.create(NODES, "", one) for one in nodes(self.live.scenario))
        for priority in {one.priority for one in self.live.scenario.workloads} - {0}:
            body = {"metadata": {"name": priority_class(priority)}, "value": priority}
            with contextlib.suppress(ConflictError):
                await self.client.create(PRIORITY_CLASSES, "", body)
        for workload in in_turn(self.live.scenario):
            name = self.names[workload.name]
            uid = uid_of(await self.client.create(JOBS, self.space, maker(name, workload)))
            owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
            await _together(
                self._pod(body, node, owner) for body, node in pods(name, workload, self.scheduler, self.live.scenario)
            )

    async def _pod(self, body: dict[str, Any], node: str, owner: dict[str, Any]) -> None:
        body["metadata"]["ownerReferences"] = [owner]
        uid = uid_of(await self.client.create(PODS, self.space, body))
        if node:
            await bind(self.client, PodName(self.space, body["metadata"]["name"], uid), node)

    async def answer(self) -> Answer:
        """Return what the API server shows: where pods are, and what is said of those that wait."""
        bound = (await self.client.list(PODS, Pod, Scope(self.space))).objects
        seen = (await self.client.list(PODS, Seen, Scope(self.space))).objects
        said = {one.metadata.name: one.status for one in seen}
        places: dict[tuple[str, int], str] = {}
        codes: dict[str, str] = {}
        workloads = {name: workload for workload, name in self.names.items()}
        for pod in bound:
            name, _, rank = pod.metadata.name.rpartition("-")
            if pod.spec.node_name:
                places[workloads[name], int(rank)] = pod.spec.node_name
            for one in said[pod.metadata.name].conditions if pod.metadata.name in said else ():
                if one.type == "PodScheduled" and one.status == "False":
                    code = one.message.partition(":")[0]
                    if code != SURPLUS:  # the gang runs without this pod, and a plan says no more
                        codes[workloads[name]] = code
        return places, codes

    async def decided(self) -> Answer:
        """Let the scheduler bind until the answer is the one expected, or has had its time; then look once more."""
        expected = self.live.places, self.live.codes
        scheduler = Scheduler(self.client, ClusterCache(self.scheduler, levels(self.live.scenario)))
        task = asyncio.create_task(scheduler.run())
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    while not task.done() and await self.answer() != expected:  # noqa: ASYNC110 -- others change it
                        await asyncio.sleep(0.03)
            await asyncio.sleep(0.02)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return await self.answer()

    async def clear(self) -> None:
        """Take everything away, but the namespace."""
        for kind, space in ((PODS, self.space), (JOBS, self.space), (NODES, "")):
            there = (await self.client.list(kind, PartialObject, Scope(space))).objects
            await _together(self.client.delete(kind, space, one.metadata.name, grace=0) for one in there)


async def _together(calls: Any) -> None:
    waiting: list[Coroutine[Any, Any, Any]] = list(calls)
    await asyncio.gather(*waiting)


def differences(live: Live, answer: Answer) -> list[str]:
    """Return what is not as expected."""
    places, codes = answer
    pods = sorted({*places, *live.places})
    found = [
        f"{live.case.name}: {name}-{rank} is on {places.get((name, rank))}, not on {live.places.get((name, rank))}"
        for name, rank in pods
        if places.get((name, rank)) != live.places.get((name, rank))
    ]
    waiting = sorted({*codes, *live.codes})
    return found + [
        f"{live.case.name}: {name} waits for {codes.get(name)}, not for {live.codes.get(name)}"
        for name in waiting
        if codes.get(name) != live.codes.get(name)
    ]


@pytest.mark.slow
def test_what_is_chosen_is_enough() -> None:
    cases = every_case()
    assert len(cases) >= LEAST
    assert sum(bool(live.codes) for live in cases) >= LEAST // 4
    assert len({live.case.source for live in cases}) >= 6


@pytest.mark.slow
@pytest.mark.cluster
async def test_pods_go_where_the_plan_puts_them(admin: Access, space: str) -> None:
    wrong: list[str] = []
    cases = every_case()
    async with connect(admin) as client:
        for live in cases:
            stage = Stage(client, space, live)
            try:
                await stage.fill()
                wrong += differences(live, await stage.decided())
            finally:
                await stage.clear()
    assert wrong == []
