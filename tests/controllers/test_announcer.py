"""What is said on pods that wait reaches them, also past a server that fails, and figures catch up."""

from __future__ import annotations

import asyncio

import pytest

from railwise.controllers import announcer
from railwise.controllers.announcer import REFRESH, Announcer, Word
from railwise.formats.kubernetes.workloads import LivePod
from railwise.kubeapi.recorder import Recorder
from tests.controllers.world import Clock
from tests.kubeapi.misbehaving import Step, answers, talking

POD = LivePod("a", "p", "u-p")


async def said(*steps: Step, words: list[tuple[float, Word]], wanted: int) -> list[str]:
    """Return the messages that were sent, after words at times."""
    clock = Clock()
    async with talking(*steps) as (client, server):
        one = Announcer(client, Recorder(client), clock=clock)
        working = asyncio.create_task(one.run())
        for moment, word in words:
            clock.now = moment
            one.waits(POD, word)
            await asyncio.sleep(0)
        clock.now += REFRESH
        async with asyncio.timeout(5.0):
            while len(server.asked) < wanted:  # noqa: ASYNC110 -- what is waited for happens on the other side
                await asyncio.sleep(0.01)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return [asked.json()["status"]["conditions"][0]["message"] for asked in server.asked]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcer, "PAUSE", 0.01)


async def test_what_the_server_did_not_take_is_said_again() -> None:
    steps = [answers(503)] * 4 + [answers(200)]
    assert await said(*steps, words=[(0.0, Word("NeverFits", "3 of 4"))], wanted=5) == ["NeverFits: 3 of 4"] * 5


async def test_a_newer_word_takes_the_place_of_one_that_was_not_taken() -> None:
    steps = [answers(503)] * 4 + [answers(200)]
    words = [(0.0, Word("NeverFits", "old")), (1.0, Word("NotEnoughFree", "new"))]
    assert (await said(*steps, words=words, wanted=5))[-1] == "NotEnoughFree: new"


async def test_figures_that_came_too_soon_are_said_later_though_nothing_is_heard_any_more() -> None:
    words = [(0.0, Word("NotEnoughFree", "3 of 4")), (1.0, Word("NotEnoughFree", "2 of 4"))]
    found = await said(answers(200), answers(200), words=words, wanted=2)
    assert found == ["NotEnoughFree: 3 of 4", "NotEnoughFree: 2 of 4"]


async def test_figures_that_are_as_before_again_are_not_said() -> None:
    words = [(0.0, Word("NotEnoughFree", text)) for text in ("3 of 4", "2 of 4", "3 of 4")]
    words += [(2 * REFRESH, Word("NeverFits", "end"))]
    found = await said(answers(200), answers(200), words=words, wanted=2)
    assert found == ["NotEnoughFree: 3 of 4", "NeverFits: end"]
