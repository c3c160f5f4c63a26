"""What becomes of a bind or an eviction when its answer is lost, late or odd."""

from __future__ import annotations

import pytest

from railwise.kubeapi.errors import DeposedError
from railwise.kubeapi.pods import Outcome, PodName, bind, evict, set_conditions
from tests.kubeapi.misbehaving import Conversation, Step, answers, hangs_up, says_nothing, status, talking, thing

POD = PodName("a", "p", "u-p")
CONFLICT = answers(409, status(409, "Conflict", "pod p is already assigned"))
WAITS = answers(200, thing("p", 1, spec={}))
BOUND = answers(200, thing("p", 1, spec={"nodeName": "n-1"}))
ELSEWHERE = answers(200, thing("p", 1, spec={"nodeName": "n-2"}))
ANOTHER = answers(200, thing("p", 1, spec={"nodeName": "n-1"}) | {"metadata": {"name": "p", "uid": "u-other"}})


@pytest.mark.parametrize(
    ("steps", "outcome", "requests"),
    [
        ([answers(201, status(0))], Outcome.DONE, 1),
        ([answers(201, b"")], Outcome.DONE, 1),
        ([answers(200, b"\x00 not json")], Outcome.DONE, 1),
        ([answers(404, status(404, "NotFound"))], Outcome.GONE, 1),
        ([hangs_up, BOUND], Outcome.DONE, 2),
        ([hangs_up, WAITS, answers(201)], Outcome.DONE, 3),
        ([hangs_up, ELSEWHERE], Outcome.ELSEWHERE, 2),
        ([hangs_up, ANOTHER], Outcome.GONE, 2),
        ([hangs_up, answers(404)], Outcome.GONE, 2),
        ([answers(500), BOUND], Outcome.DONE, 2),
        ([CONFLICT, ELSEWHERE], Outcome.ELSEWHERE, 2),
        ([CONFLICT, BOUND], Outcome.DONE, 2),
        ([CONFLICT, WAITS, CONFLICT, WAITS, CONFLICT, WAITS], Outcome.UNKNOWN, 6),
        ([answers(429, Retry_After="0"), answers(201)], Outcome.DONE, 2),
        ([answers(403, status(403, "Forbidden"))], Outcome.REFUSED, 1),
        ([answers(422, status(422, "Invalid"))], Outcome.REFUSED, 1),
        ([answers(500), answers(403)], Outcome.UNKNOWN, 2),
    ],
)
async def test_a_bind_ends_in_what_is_so(steps: list[Step], outcome: Outcome, requests: int) -> None:
    async with talking(*steps) as (client, server):
        found = await bind(client, POD, "n-1")
    assert (found.outcome, len(server.asked)) == (outcome, requests)
    assert found.node == {Outcome.DONE: "n-1", Outcome.ELSEWHERE: "n-2"}.get(outcome, "")
    body = server.asked[0].json()
    assert body["metadata"] == {"name": "p", "namespace": "a", "uid": "u-p"}
    assert body["target"]["name"] == "n-1"


BUDGET = status(
    429, "TooManyRequests", "would violate the budget", causes=[{"reason": "DisruptionBudget"}], retryAfterSeconds=10
)


@pytest.mark.parametrize(
    ("steps", "outcome", "requests"),
    [
        ([answers(201)], Outcome.DONE, 1),
        ([answers(200, status(0))], Outcome.DONE, 1),
        ([answers(429, BUDGET)], Outcome.BLOCKED, 1),
        ([answers(429, b"Too many requests, please try again later.", Retry_After="0"), answers(201)], Outcome.DONE, 2),
        (
            [answers(500, status(500, "InternalError", "This pod has more than one PodDisruptionBudget"))],
            Outcome.BLOCKED,
            1,
        ),
        ([answers(404)], Outcome.GONE, 1),
        (
            [answers(409, status(409, "Conflict", "the UID in the precondition does not match")), ANOTHER],
            Outcome.GONE,
            2,
        ),
        ([CONFLICT, answers(404)], Outcome.GONE, 2),
        ([CONFLICT, BOUND, answers(201)], Outcome.DONE, 3),
        ([CONFLICT, BOUND, CONFLICT, BOUND, CONFLICT, BOUND], Outcome.UNKNOWN, 6),
        ([answers(403)], Outcome.REFUSED, 1),
        ([hangs_up], Outcome.UNKNOWN, 1),
    ],
)
async def test_an_eviction_ends_in_what_is_so(steps: list[Step], outcome: Outcome, requests: int) -> None:
    async with talking(*steps) as (client, server):
        found = await evict(client, POD, grace=5)
    assert (found.outcome, len(server.asked)) == (outcome, requests)
    assert found.retry_after == (10.0 if "violate the budget" in found.message else 0.0)
    options = server.asked[0].json()["deleteOptions"]
    assert options == {"preconditions": {"uid": "u-p"}, "gracePeriodSeconds": 5}


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        ([answers(200)], Outcome.DONE),
        ([answers(404)], Outcome.GONE),
        ([answers(409), ANOTHER], Outcome.GONE),
        ([answers(409), WAITS], Outcome.UNKNOWN),
        ([answers(422, status(422, "Invalid", details={}))], Outcome.REFUSED),
        ([answers(503)], Outcome.UNKNOWN),
        ([hangs_up], Outcome.UNKNOWN),
    ],
)
async def test_a_condition_ends_in_what_is_so(steps: list[Step], outcome: Outcome) -> None:
    async with talking(*steps) as (client, server):
        assert (await set_conditions(client, POD, [{"type": "X", "status": "True"}])).outcome == outcome
    assert server.asked[0].headers["content-type"] == "application/strategic-merge-patch+json"
    assert server.asked[0].json()["metadata"] == {"uid": "u-p"}


async def test_nothing_is_sent_by_a_deposed_leader() -> None:
    def guard() -> float:
        raise DeposedError("no longer")

    async with talking(says_nothing) as (client, server):
        fenced = client.fenced(guard)
        for doing in (bind(fenced, POD, "n"), evict(fenced, POD), set_conditions(fenced, POD, [])):
            with pytest.raises(DeposedError):
                await doing
        assert server.asked == []


async def test_a_leader_deposed_while_an_answer_is_lost_does_not_bind_again() -> None:
    leads = True

    def guard() -> float:
        if not leads:
            raise DeposedError("no longer")
        return 5.0

    async def loses(talk: Conversation) -> None:
        nonlocal leads
        leads = False
        await talk.hang_up()

    async with talking(loses, WAITS, answers(201)) as (client, server):
        with pytest.raises(DeposedError):
            await bind(client.fenced(guard), POD, "n-1")
    assert [one.verb for one in server.asked] == ["POST", "GET"]
