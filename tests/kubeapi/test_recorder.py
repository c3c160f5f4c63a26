"""Events for people: few, counted, bounded, and never lost by one failure."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from railwise.kubeapi.recorder import Bucket, EventRates, Recorder, Regarding
from railwise.kubeapi.resources import NODES, PODS
from railwise.kubeapi.settings import Observer
from tests.kubeapi.misbehaving import QUICK, Conversation, Server, answers, status, talking

POD = Regarding(PODS, "a", "p", "u-p")
PLENTY = EventRates(rate=1e6, burst=1000)


class Dropped(Observer):
    """Counts what was dropped, and why."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def dropped_event(self, reason: str) -> None:
        self.reasons.append(reason)


def bodies(server: Server) -> list[tuple[str, Any]]:
    return [(one.verb, one.json()) for one in server.asked]


async def test_an_event_says_who_what_and_why() -> None:
    async with talking(answers(201)) as (client, server):
        recorder = Recorder(client, "me", PLENTY)
        assert recorder.say(POD, "TooFragmented", "needs one rack", warning=True)
        recorder.say(Regarding(NODES, "", "n"), "Seen", "hello", action="Looking")
        await recorder.drain(5)
    (_, first), (_, second) = bodies(server)
    assert server.asked[0].path == "/apis/events.k8s.io/v1/namespaces/a/events"
    assert first["regarding"] == {"apiVersion": "v1", "kind": "Pod", "name": "p", "namespace": "a", "uid": "u-p"}
    assert (first["reason"], first["note"], first["type"]) == ("TooFragmented", "needs one rack", "Warning")
    assert (first["reportingInstance"], first["action"], "series" in first) == ("me", "Scheduling", False)
    assert server.asked[1].path == "/apis/events.k8s.io/v1/namespaces/default/events"
    assert (second["regarding"]["kind"], second["action"], second["type"]) == ("Node", "Looking", "Normal")


async def test_what_is_said_again_becomes_a_count() -> None:
    async with talking(answers(201)) as (client, server):
        recorder = Recorder(client, "me", PLENTY)
        for _ in range(3):
            recorder.say(POD, "Waits", "x")
        await recorder.drain(5)
        recorder.say(POD, "Waits", "x")
        recorder.say(POD, "Waits", "y")
        await recorder.drain(5)
    found = bodies(server)
    assert [verb for verb, _ in found] == ["POST", "PATCH", "POST"]
    assert [body.get("series", {}).get("count", 1) for _, body in found] == [3, 4, 1]
    assert server.asked[1].path.endswith(found[0][1]["metadata"]["name"])


async def test_an_event_that_has_expired_is_said_anew() -> None:
    async with talking(answers(201), answers(404, status(404, "NotFound")), answers(201)) as (client, server):
        recorder = Recorder(client, "me", PLENTY)
        for _ in range(2):
            recorder.say(POD, "Waits", "x")
            await recorder.drain(5)
    found = bodies(server)
    assert [verb for verb, _ in found] == ["POST", "PATCH", "POST"]
    assert found[0][1]["metadata"]["name"] != found[2][1]["metadata"]["name"]
    assert found[2][1]["series"]["count"] == 2


async def test_one_object_cannot_say_everything() -> None:
    now = [0.0]
    dropped = Dropped()
    async with talking(answers(201), observer=dropped) as (client, server):
        recorder = Recorder(client, "me", EventRates(rate=1e6, burst=1000, allowance=3, refill=60), lambda: now[0])
        said = [recorder.say(POD, "Waits", f"for {number}") for number in range(10)]
        assert recorder.say(POD._replace(name="other"), "Waits", "x")
        now[0] = 61.0
        assert recorder.say(POD, "Waits", "again")
        assert not recorder.say(POD, "Waits", "and again")
        await recorder.drain(5)
    assert said == [True] * 3 + [False] * 7
    assert (len(server.asked), set(dropped.reasons)) == (5, {"rate"})


async def test_the_queue_has_an_end() -> None:
    dropped = Dropped()
    async with talking(answers(201), observer=dropped) as (client, _):
        recorder = Recorder(client, "me", EventRates(queue=5))
        said = [recorder.say(POD._replace(name=f"p-{number}"), "Waits", "x") for number in range(8)]
    assert (said, dropped.reasons) == ([True] * 5 + [False] * 3, ["queue"] * 3)


async def test_they_are_written_no_faster_than_the_rate() -> None:
    arrived = asyncio.Event()
    count = 0

    async def counts(talk: Conversation) -> None:
        nonlocal count
        count += 1
        arrived.set()
        await talk.reply(201, {})

    async with talking(counts) as (client, _):
        recorder = Recorder(client, "me", EventRates(rate=0.001, burst=2))
        running = asyncio.create_task(recorder.run())
        for number in range(5):
            recorder.say(POD._replace(name=f"p-{number}"), "Waits", "x")
        while count < 2:
            arrived.clear()
            await arrived.wait()
        await asyncio.sleep(0.05)
        assert count == 2
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("code", [403, 404, 500])
async def test_what_the_server_does_not_take_is_lost_alone(code: int) -> None:
    steps = [answers(code, status(code, "No"))] * QUICK.retry.attempts
    async with talking(*(steps if code == 500 else steps[:1]), answers(201)) as (client, server):
        recorder = Recorder(client, "me", PLENTY)
        recorder.say(POD, "Waits", "x")
        recorder.say(POD._replace(name="q"), "Waits", "x")
        await recorder.drain(5)
        recorder.say(POD, "Waits", "x")
        await recorder.drain(5)
    assert [verb for verb, _ in bodies(server)][-1] == "POST"
    assert json.loads(server.asked[-1].body)["regarding"]["name"] in ("p", "q")


async def test_a_long_note_is_cut_to_what_the_api_takes() -> None:
    async with talking(answers(201)) as (client, server):
        recorder = Recorder(client, "me", PLENTY)
        recorder.say(POD._replace(name="n" * 253), "Waits", "é" * 5000)
        await recorder.drain(5)
    _, body = bodies(server)[0]
    assert len(body["note"].encode()) <= 1024
    assert len(body["metadata"]["name"]) <= 253


def test_a_bucket_fills_up_again_but_not_over() -> None:
    bucket = Bucket(2, 0.5, 0.0)
    assert [bucket.take(0.0) for _ in range(3)] == [True, True, False]
    assert bucket.wait(0.0) == 2.0
    assert bucket.take(2.0)
    assert [bucket.take(1000.0) for _ in range(3)] == [True, True, False]
