"""A watch on a server that does everything wrong: the picture it gives must still be right."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.kubeapi.changes import Change, ChangeKind, Snapshot, Spoiled
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ForbiddenError, StatusError, UnreadableError
from railwise.kubeapi.lines import Lines
from railwise.kubeapi.objects import ObjectMeta
from railwise.kubeapi.resources import CONFIG_MAPS
from railwise.kubeapi.settings import Observer, Settings
from railwise.kubeapi.told import ToldTrouble
from tests.examples import examples
from tests.kubeapi.misbehaving import QUICK, Conversation, Step, answers, hangs_up, listing, status, talking, thing


class Thing(msgspec.Struct, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    value: int = 0


PAGES = Settings(
    streaming=False, retry=QUICK.retry, watch_backoff=QUICK.watch_backoff, silence=0.2, largest_object=9999
)


def told(event: Snapshot[Thing] | Change[Thing] | Spoiled) -> object:
    if isinstance(event, Snapshot):
        names = sorted(one.metadata.name for one in event.objects)
        return (names, [one.name for one in event.unreadable]) if event.unreadable else names
    if isinstance(event, Spoiled):
        return event.kind.name, event.object.name, "spoiled"
    return event.kind.name, event.object.metadata.name, event.object.value


async def first(client: Client, count: int) -> list[object]:
    found: list[object] = []
    async with aclosing(client.follow(CONFIG_MAPS, Thing)) as news, asyncio.timeout(20):
        async for event in news:
            found.append(told(event))
            if len(found) == count:
                break
    return found


def watch(*events: tuple[str, object], then: str = "end") -> Step:
    async def step(talk: Conversation) -> None:
        assert "watch=1" in talk.asked.path
        await talk.begin()
        for kind, value in events:
            await talk.event(kind, value)
        await {"end": talk.end, "hang up": talk.hang_up, "wait": talk.for_ever}[then]()

    return step


def versions(paths: list[str]) -> list[str]:
    """Return from which version each request watched; ``list`` for lists."""
    found = []
    for path in paths:
        query = dict(part.split("=") for part in path.partition("?")[2].split("&"))
        found.append(query.get("resourceVersion", "") if "watch" in query else "list")
    return found


def bookmark(version: int, **annotations: str) -> tuple[str, object]:
    return "BOOKMARK", {"metadata": {"resourceVersion": str(version), "annotations": annotations}}


LISTED = answers(200, listing(5, thing("a", 3)))
B7 = ("ADDED", thing("b", 7, value=1))
B8 = ("MODIFIED", thing("b", 8, value=2))


@pytest.mark.parametrize("then", ["end", "hang up"])
async def test_a_watch_goes_on_from_the_last_event(then: str) -> None:
    async with talking(LISTED, watch(B7, then=then), watch(B8, then="wait"), settings=PAGES) as (client, server):
        assert await first(client, 3) == [["a"], ("ADDED", "b", 1), ("MODIFIED", "b", 2)]
    assert versions([one.path for one in server.asked]) == ["list", "5", "7"]


async def test_bookmarks_move_the_place_to_go_on_from() -> None:
    async with talking(LISTED, watch(bookmark(70)), watch(B8, then="wait"), settings=PAGES) as (client, server):
        assert await first(client, 2) == [["a"], ("MODIFIED", "b", 2)]
    assert versions([one.path for one in server.asked]) == ["list", "5", "70"]


@pytest.mark.parametrize(
    "gone",
    [answers(410, status(410, "Expired")), watch(("ERROR", status(410, "Expired", "too old resource version")))],
)
async def test_a_forgotten_version_means_a_new_list(gone: Step) -> None:
    again = answers(200, listing(20, thing("b", 7), thing("c", 9)))
    async with talking(LISTED, gone, again, watch(B8, then="wait"), settings=PAGES) as (client, server):
        assert await first(client, 3) == [["a"], ["b", "c"], ("MODIFIED", "b", 2)]
    assert versions([one.path for one in server.asked]) == ["list", "5", "list", "20"]


async def test_a_truncated_event_is_read_again() -> None:
    async def cuts(talk: Conversation) -> None:
        await talk.begin()
        await talk.event(*B7)
        await talk.chunk(b'{"type": "MODIFIED", "object": {"meta')
        await talk.end()

    async with talking(LISTED, cuts, watch(B8, then="wait"), settings=PAGES) as (client, server):
        assert await first(client, 3) == [["a"], ("ADDED", "b", 1), ("MODIFIED", "b", 2)]
    assert versions([one.path for one in server.asked]) == ["list", "5", "7"]


@pytest.mark.parametrize(
    "line", [b"\xff\xfe\n", b"{}\n", b"[1, 2]\n", b'{"type": "NEWS", "object": {}}\n', b'"' + b"x" * 10_000]
)
async def test_garbage_means_a_new_list(line: bytes) -> None:
    async def garbage(talk: Conversation) -> None:
        await talk.begin()
        await talk.chunk(line)
        await talk.for_ever()

    again = answers(200, listing(9, thing("a", 3), thing("b", 8)))
    async with talking(LISTED, garbage, again, watch(then="wait"), settings=PAGES) as (client, _):
        assert await first(client, 2) == [["a"], ["a", "b"]]


async def test_silence_is_not_trusted() -> None:
    async with talking(LISTED, watch(B7, then="wait"), watch(B8, then="wait"), settings=PAGES) as (client, server):
        assert await first(client, 3) == [["a"], ("ADDED", "b", 1), ("MODIFIED", "b", 2)]
    assert versions([one.path for one in server.asked]) == ["list", "5", "7"]


async def test_an_object_that_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    spoiled = ("MODIFIED", thing("b", 8, value="two"))
    steps = [
        answers(200, listing(5, thing("a", 3), thing("z", 4, value=[]))),
        watch(B7, spoiled),
        watch(B8, then="wait"),
    ]
    async with talking(*steps, settings=PAGES) as (client, server):
        assert await first(client, 4) == [
            (["a"], ["z"]),
            ("ADDED", "b", 1),
            ("MODIFIED", "b", "spoiled"),
            ("MODIFIED", "b", 2),
        ]
    assert versions([one.path for one in server.asked])[-1] == "8"


async def test_null_is_as_good_as_absent() -> None:
    async with talking(LISTED, watch(("ADDED", thing("b", 7, value=None)), then="wait"), settings=PAGES) as (client, _):
        assert await first(client, 2) == [["a"], ("ADDED", "b", 0)]


async def test_a_server_that_is_away_for_a_while_is_waited_for() -> None:
    bad = [hangs_up, answers(503), answers(429, Retry_After="0"), answers(500)]
    async with talking(LISTED, *bad, watch(B8, then="wait"), settings=PAGES) as (client, _):
        assert await first(client, 2) == [["a"], ("MODIFIED", "b", 2)]


async def test_a_server_that_hangs_up_at_once_is_not_asked_in_a_circle() -> None:
    waits: list[int] = []

    async def counts(talk: Conversation) -> None:
        waits.append(1)
        await talk.begin()
        await talk.end()

    slow = Settings(streaming=False, watch_backoff=type(QUICK.watch_backoff)(0.05, 10.0))
    async with talking(LISTED, counts, settings=slow) as (client, _):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await first(client, 2)
    assert len(waits) <= 8


@pytest.mark.parametrize("code", [401, 403, 404, 405])
async def test_what_waiting_does_not_cure_is_an_error(code: int) -> None:
    async with talking(LISTED, answers(code, status(code, "Forbidden")), settings=PAGES) as (client, server):
        with pytest.raises(StatusError) as error:
            await first(client, 2)
        assert (error.value.code, isinstance(error.value, ForbiddenError)) == (code, code == 403)
    assert len(server.asked) == 2


INITIAL = {"k8s.io/initial-events-end": "true"}


async def test_a_streamed_list_and_its_watch_are_one_connection() -> None:
    begins = watch(
        ("ADDED", thing("a", 3)), ("ADDED", thing("z", 4, value="x")), bookmark(5, **INITIAL), B7, then="hang up"
    )
    async with talking(begins, watch(B8, then="wait")) as (client, server):
        assert await first(client, 3) == [(["a"], ["z"]), ("ADDED", "b", 1), ("MODIFIED", "b", 2)]
    assert "sendInitialEvents=true" in server.asked[0].path
    assert versions([one.path for one in server.asked]) == ["", "7"]


async def test_a_streamed_list_that_breaks_off_is_begun_anew() -> None:
    half = watch(("ADDED", thing("a", 3)), ("ADDED", thing("gone", 4)), then="hang up")
    whole = watch(("ADDED", thing("a", 3)), bookmark(5, **INITIAL), then="wait")
    async with talking(half, whole) as (client, _):
        assert await first(client, 1) == [["a"]]


async def test_a_stream_that_cannot_be_read_is_given_up_for_pages_and_told_of() -> None:
    async def garbage(talk: Conversation) -> None:
        await talk.begin()
        await talk.chunk(b"\x1f\x8b\x00 compressed, but not said to be\n")
        await talk.end()

    records: list[str] = []

    class Log(logging.Logger):
        def warning(self, msg: object, *args: object, **_more: Any) -> None:
            records.append(str(msg) % args)

    now = [0.0]
    told = ToldTrouble(Log("x"), lambda: now[0])
    async with talking(garbage, LISTED, garbage, LISTED, watch(B7, then="wait"), observer=told) as (client, server):
        assert await first(client, 3) == [["a"], ["a"], ("ADDED", "b", 1)]
    assert versions([one.path for one in server.asked]) == ["", "list", "5", "list", "5"]
    assert [line.partition(" sent")[0] for line in records] == ["watch of configmaps: a watch"]
    now[0] = 61.0
    told.trouble("configmaps", UnreadableError("again"))
    assert records[1:] == ["watch of configmaps: again"]


@pytest.mark.parametrize("code", [400, 422])
async def test_a_server_that_cannot_stream_lists_is_asked_for_pages(code: int) -> None:
    cannot = answers(code, status(code, "Invalid", "sendInitialEvents is forbidden"))
    async with talking(cannot, LISTED, watch(B7, then="wait")) as (client, server):
        assert await first(client, 2) == [["a"], ("ADDED", "b", 1)]
    assert versions([one.path for one in server.asked]) == ["", "list", "5"]


async def test_observers_hear_how_watches_end() -> None:
    heard: list[tuple[str, object]] = []

    class Listening(Observer):
        def listed(self, resource: str, objects: int) -> None:
            heard.append((f"listed {resource}", objects))

        def watched(self, resource: str, end: str) -> None:
            heard.append((f"watched {resource}", end))

        def unreadable(self, resource: str) -> None:
            heard.append(("unreadable", resource))

    steps = [LISTED, watch(("ADDED", thing("b", 7, value=[]))), watch(B8, then="wait")]
    async with talking(*steps, settings=PAGES, observer=Listening()) as (client, _):
        await first(client, 3)
    assert heard == [
        ("listed configmaps", 1),
        ("watched configmaps", "closed"),
        ("unreadable", "configmaps"),
        ("watched configmaps", "closed"),
    ]


async def test_a_slow_reader_holds_the_server_back() -> None:
    sent = 0

    async def floods(talk: Conversation) -> None:
        nonlocal sent
        await talk.begin()
        while True:
            await talk.event("MODIFIED", thing("b", sent, text="x" * 8000))
            sent += 1

    async with (
        talking(LISTED, floods, settings=PAGES) as (client, _),
        aclosing(client.follow(CONFIG_MAPS, Thing)) as news,
    ):
        await anext(news)
        await anext(news)
        before = -1
        while before != sent:
            before = sent
            await asyncio.sleep(0.1)
        assert sent * 8000 < 32 << 20


@given(st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\r", b" ")), max_size=8), st.data())
@examples(60)
def test_lines_do_not_depend_on_where_they_are_cut(parts: list[bytes], data: Any) -> None:
    whole = b"\n".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    lines, found = Lines(1000), []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += lines.feed(whole[start:end])
    assert found == [part for part in whole.split(b"\n")[:-1] if part.strip()]
    assert lines.unfinished() == len(whole.rpartition(b"\n")[2])


def test_a_line_without_end_is_refused() -> None:
    lines = Lines(10)
    assert lines.feed(b"12345\n1234567") == [b"12345"]
    with pytest.raises(UnreadableError):
        lines.feed(b"12345678")


def test_a_change_is_one_of_three() -> None:
    assert [kind.value for kind in ChangeKind] == ["ADDED", "MODIFIED", "DELETED"]
