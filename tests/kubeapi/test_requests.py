"""One request and everything that can become of it."""

from __future__ import annotations

import asyncio
import random
import time

import msgspec
import pytest

from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.credentials import FixedCredentials
from railwise.kubeapi.errors import (
    ApiError,
    ConflictError,
    DeposedError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    ServerError,
    StatusError,
    ThrottledError,
    UnauthorizedError,
    UnreachableError,
    UnreadableError,
)
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import CONFIG_MAPS, NODES, PODS, Resource, with_query
from railwise.kubeapi.retry import Backoff, RetryPolicy, may_repeat
from railwise.kubeapi.settings import Observer, Settings
from railwise.kubeapi.watching import Scope
from tests.kubeapi.misbehaving import (
    QUICK,
    Conversation,
    answers,
    hangs_up,
    listing,
    says_nothing,
    status,
    talking,
    thing,
)

CREATED = {"metadata": {"name": "c"}}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, StatusError),
        (401, UnauthorizedError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (409, ConflictError),
        (410, GoneError),
        (422, StatusError),
        (429, ThrottledError),
        (500, ServerError),
        (503, ServerError),
    ],
)
async def test_each_code_has_its_class(code: int, kind: type[StatusError]) -> None:
    async with talking(answers(code, status(code, "Why", "what happened"))) as (client, _):
        with pytest.raises(kind) as error:
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")
    assert type(error.value) is kind
    assert (error.value.code, error.value.reason) == (code, "Why")
    assert str(error.value) == f"GET /api/v1/namespaces/a/configmaps/c: {code} Why: what happened"


async def test_an_answer_of_a_proxy_is_told_as_text() -> None:
    async with talking(answers(404, b"<html>\n  nobody here\x00\xff</html>")) as (client, _):
        with pytest.raises(NotFoundError, match="404: <html> nobody here"):
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")


async def test_a_long_message_is_cut() -> None:
    async with talking(answers(400, status(400, "Bad", "x" * 100_000))) as (client, _):
        with pytest.raises(StatusError) as error:
            await client.create(CONFIG_MAPS, "a", CREATED)
    assert len(str(error.value)) < 800


@pytest.mark.parametrize(
    ("verb", "steps", "requests"),
    [
        ("GET", [answers(500), answers(503), hangs_up, answers(200, thing("c", 1))], 4),
        ("GET", [answers(429, Retry_After="0"), answers(200, thing("c", 1))], 2),
        ("POST", [answers(429), answers(201, thing("c", 1))], 2),
        ("POST", [answers(503, Retry_After="0"), answers(201, thing("c", 1))], 2),
    ],
)
async def test_what_may_be_repeated_is(verb: str, steps: list, requests: int) -> None:  # type: ignore[type-arg]
    async with talking(*steps) as (client, server):
        if verb == "GET":
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")
        else:
            await client.create(CONFIG_MAPS, "a", CREATED)
    assert len(server.asked) == requests


@pytest.mark.parametrize("step", [answers(500), answers(503), hangs_up, answers(409), answers(422)])
async def test_what_may_have_been_done_is_not_done_again(step: object) -> None:
    async with talking(step) as (client, server):  # type: ignore[arg-type]
        with pytest.raises(ApiError):
            await client.create(CONFIG_MAPS, "a", CREATED)
    assert len(server.asked) == 1


async def test_patience_has_an_end() -> None:
    async with talking(answers(500, status(500, "InternalError", "etcd is ill"))) as (client, server):
        with pytest.raises(ServerError, match="etcd is ill"):
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")
    assert len(server.asked) == QUICK.retry.attempts


async def test_a_server_may_ask_for_a_pause_but_not_for_an_hour() -> None:
    async with talking(answers(429, Retry_After="3600")) as (client, server):
        with pytest.raises(ThrottledError) as error:
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")
    assert (error.value.retry_after, len(server.asked)) == (3600.0, 1)


async def test_a_silent_server_is_left() -> None:
    settings = Settings(timeout=0.05, retry=RetryPolicy(attempts=1))
    async with talking(says_nothing, settings=settings) as (client, _):
        with pytest.raises(UnreachableError, match="no answer within") as error:
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")
    assert error.value.sent


async def test_an_answer_by_the_byte_is_left_too() -> None:
    async def drips(talk: Conversation) -> None:
        await talk.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            await talk.raw(b" ")
            await asyncio.sleep(0.01)

    async with talking(drips, settings=Settings(timeout=0.1, retry=RetryPolicy(attempts=1))) as (client, _):
        with pytest.raises(UnreachableError, match="no answer within"):
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")


async def test_nobody_listens() -> None:
    access = Access("http://127.0.0.1:1", FixedCredentials())
    async with connect(access, QUICK) as client:
        with pytest.raises(UnreachableError, match=r"cannot connect to http://127\.0\.0\.1:1") as error:
            await client.create(CONFIG_MAPS, "a", CREATED)
    assert not error.value.sent
    assert "railwise dev cluster status" in error.value.hint


async def test_a_truncated_answer_is_no_answer() -> None:
    async def cuts(talk: Conversation) -> None:
        await talk.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"metadata":')
        await talk.hang_up()

    async with talking(cuts, answers(200, thing("c", 1))) as (client, server):
        assert (await client.get(CONFIG_MAPS, PartialObject, "a", "c")).metadata.name == "c"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "body", [b"", b"not json", b'{"metadata": 1}', b"[]", b"\xff\xfe", b'{"metadata": {"name": []}}']
)
async def test_garbage_is_named_as_such(body: bytes) -> None:
    async with talking(answers(200, body)) as (client, _):
        with pytest.raises(UnreadableError, match="/configmaps/c"):
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")


async def test_an_endless_answer_is_cut() -> None:
    async def floods(talk: Conversation) -> None:
        await talk.begin()
        while True:
            await talk.chunk(b"x" * 65536)

    async with talking(floods, settings=Settings(largest_answer=1 << 20)) as (client, _):
        with pytest.raises(UnreadableError, match="larger than 1048576 bytes"):
            await client.get(CONFIG_MAPS, PartialObject, "a", "c")


async def test_lists_come_page_by_page_and_begin_anew_when_a_page_has_expired() -> None:
    steps = [
        answers(200, listing(7, thing("a", 1), more="x")),
        answers(410, status(410, "Expired")),
        answers(200, listing(9, thing("a", 1), more="y")),
        answers(200, listing(9, thing("b", 2))),
    ]
    async with talking(*steps, settings=Settings(page=1)) as (client, server):
        found = await client.list(CONFIG_MAPS, PartialObject, Scope("a", labels="k=v"))
    assert ([one.metadata.name for one in found.objects], found.version) == (["a", "b"], "9")
    assert [one.path.partition("?")[2] for one in server.asked] == [
        "labelSelector=k%3Dv&limit=1",
        "labelSelector=k%3Dv&limit=1&continue=x",
        "labelSelector=k%3Dv&limit=1",
        "labelSelector=k%3Dv&limit=1&continue=y",
    ]


async def test_a_list_that_always_expires_is_asked_for_in_one_piece() -> None:
    async def expires(talk: Conversation) -> None:
        if "limit" in talk.asked.path:
            await talk.reply(410, status(410, "Expired"))
        else:
            await talk.reply(200, listing(1, thing("a", 1)))

    async with talking(expires) as (client, _):
        assert len((await client.list(CONFIG_MAPS, PartialObject)).objects) == 1


async def test_a_broken_object_is_lost_alone() -> None:
    broken = {"metadata": {"name": "b", "namespace": "a", "uid": "u", "resourceVersion": {}}}
    body = listing(3, thing("a", 1), broken, {"metadata": None}, thing("c", 2))
    async with talking(answers(200, body)) as (client, _):
        found = await client.list(CONFIG_MAPS, PartialObject)
    assert [one.metadata.name for one in found.objects] == ["a", "", "c"]
    assert [one[:3] for one in found.unreadable] == [("a", "b", "u")]
    assert "resourceVersion" in found.unreadable[0].message


async def test_a_thousand_requests_share_the_connections() -> None:
    most = now = 0

    async def slow(talk: Conversation) -> None:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.002)
        now -= 1
        await talk.reply(201, {})

    async with talking(slow, settings=Settings(connections=8, timeout=2.0)) as (client, server):
        await asyncio.gather(*(client.create(CONFIG_MAPS, "a", CREATED) for _ in range(400)))
    assert (len(server.asked), most) == (400, 8)


async def test_a_guard_is_asked_before_each_try() -> None:
    left = [2.0, 1.0]

    def guard() -> float:
        if not left:
            raise DeposedError("no longer")
        return left.pop()

    async with talking(answers(429)) as (client, server):
        with pytest.raises(DeposedError):
            await client.fenced(guard).create(CONFIG_MAPS, "a", CREATED)
        assert len(server.asked) == 2


async def test_a_guard_limits_how_long_a_write_may_take() -> None:
    async with talking(says_nothing) as (client, _):
        started = time.monotonic()
        with pytest.raises(UnreachableError, match=r"within 0\.1 s"):
            await client.fenced(lambda: 0.05).create(CONFIG_MAPS, "a", CREATED)
        assert time.monotonic() - started < QUICK.timeout


async def test_observers_hear_of_everything() -> None:
    heard: list[tuple[object, ...]] = []

    class Listening(Observer):
        def request(self, verb: str, resource: str, code: int, seconds: float) -> None:
            heard.append((verb, resource, code, seconds >= 0))

        def repeated(self, verb: str, resource: str, wait: float) -> None:
            heard.append((verb, resource, wait > 0))

    async with talking(answers(500), answers(200, thing("c", 1)), observer=Listening()) as (client, _):
        await client.get(NODES, PartialObject, "", "c")
    assert heard == [("GET", "nodes", 500, True), ("GET", "nodes", True), ("GET", "nodes", 200, True)]


def test_names_cannot_leave_their_place_in_a_path() -> None:
    assert PODS.path("a/../b", "c?d#e", "binding") == "/api/v1/namespaces/a%2F..%2Fb/pods/c%3Fd%23e/binding"
    assert NODES.path("ignored", "n") == "/api/v1/nodes/n"
    assert Resource("g.io", "v1", "things", "Thing").label() == "things.g.io"
    assert with_query("/x", {"a": "1 2", "b": ""}) == "/x?a=1+2"


def test_waiting_times_grow_and_are_spread() -> None:
    backoff = Backoff(1.0, 8.0)
    for failures, full in enumerate([1.0, 2.0, 4.0, 8.0, 8.0], 1):
        drawn = [backoff.seconds(failures, random.Random(seed)) for seed in range(50)]
        assert full / 2 <= min(drawn) < max(drawn) <= full
    assert backoff.seconds(10_000, random.Random(1)) <= 8.0


def test_only_what_did_not_happen_or_may_happen_twice_is_repeated() -> None:
    lost, unsent = UnreachableError("x", sent=True), UnreachableError("x", sent=False)
    assert [may_repeat("POST", error) for error in (lost, unsent)] == [False, True]
    assert [may_repeat(verb, lost) for verb in ("GET", "PUT", "PATCH", "DELETE")] == [True] * 4
    assert not may_repeat("GET", ConflictError("x", 409))
    assert not may_repeat("GET", UnreadableError("x"))


async def test_what_is_deleted_may_be_gone_already() -> None:
    async with talking(answers(404, status(404, "NotFound")), answers(200, {})) as (client, server):
        assert not await client.delete(PODS, "a", "p")
        assert await client.delete(PODS, "a", "p", uid="u", grace=3)
    body = msgspec.json.decode(server.asked[1].body)
    assert (body["preconditions"], body["gracePeriodSeconds"]) == ({"uid": "u"}, 3)
