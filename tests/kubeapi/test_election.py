"""Who leads, and that whoever no longer does cannot write: on a clock that the tests turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from railwise.kubeapi import election
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.election import Election, ElectionTimes, Leadership, new_identity
from railwise.kubeapi.errors import DeposedError, ForbiddenError
from railwise.kubeapi.lease import LeaseStore, elapsed
from railwise.kubeapi.resources import CONFIG_MAPS
from tests.kubeapi.lease_keeper import LeaseKeeper
from tests.kubeapi.misbehaving import QUICK, answers, server, status, talking

TIMES = ElectionTimes(valid=15, renew=3.0, retry=2.0, margin=2.0)


class Clock:
    """A clock that only moves when it is told to, and lets whoever sleeps on it go on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        self._sleepers.append((self.now + seconds, woken))
        await woken.wait()

    async def forward(self, seconds: float, step: float = 0.5) -> None:
        """Let time pass in steps, with room for what happens in between."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + step, end)
            due = [woken for at, woken in self._sleepers if at <= self.now]
            self._sleepers = [one for one in self._sleepers if one[0] > self.now]
            for woken in due:
                woken.set()
            await settle()


async def settle() -> None:
    """Let requests on their way arrive and their answers come back."""
    for _ in range(3):
        await asyncio.sleep(0.004)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock of this test; the election sleeps by it."""
    one = Clock()

    class Asyncio:
        """The module as the election sees it."""

        sleep = staticmethod(one.sleep)

        def __getattr__(self, name: str) -> object:
            return getattr(asyncio, name)

    monkeypatch.setattr(election, "asyncio", Asyncio())
    return one


class Candidate:
    """One that stands for election until told to leave."""

    def __init__(self, client: Client, name: str, clock: Clock) -> None:
        self.client = client
        self.leadership: Leadership | None = None
        self._leave = asyncio.Event()
        self._election = Election(LeaseStore(client, "railwise", "scheduler"), name, TIMES, clock)
        self.task = asyncio.create_task(self._stand())

    async def _stand(self) -> None:
        async with self._election.held() as leadership:
            self.leadership = leadership
            await self._leave.wait()

    def leads(self) -> bool:
        try:
            return self.leadership is not None and self.leadership.guard() > 0
        except DeposedError:
            return False

    async def leave(self) -> None:
        self._leave.set()
        await self.task


Stand = Callable[[str], Awaitable[Candidate]]


@asynccontextmanager
async def hustings(clock: Clock) -> AsyncIterator[tuple[LeaseKeeper, Stand]]:
    """Yield who keeps the Lease, and a function by which candidates come."""
    keeper = LeaseKeeper()
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(server(keeper.step))
        candidates: list[Candidate] = []

        async def stand(name: str) -> Candidate:
            client = await stack.enter_async_context(connect(one.access(name), QUICK))
            candidates.append(Candidate(client, name, clock))
            await settle()
            return candidates[-1]

        yield keeper, stand
        for candidate in candidates:
            candidate.task.cancel()
        await asyncio.gather(*(candidate.task for candidate in candidates), return_exceptions=True)


@pytest.mark.slow
async def test_the_first_one_leads_and_stays(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a, b = await stand("a"), await stand("b")
        for _ in range(30):
            await clock.forward(2)
            assert (a.leads(), b.leads()) == (True, False)
        assert set(keeper.holders) == {"a"}
        assert keeper.lease is not None
        assert keeper.lease["spec"]["leaseDurationSeconds"] == 15


async def test_who_leaves_hands_over_at_once(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a, b = await stand("a"), await stand("b")
        await a.leave()
        assert not a.leads()
        await clock.forward(3)
        assert b.leads()
        assert keeper.holders[-2:] == ["", "b"]


@pytest.mark.slow
async def test_a_leader_that_is_cut_off_stops_writing_before_another_leads(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a, b = await stand("a"), await stand("b")
        keeper.cut_off.add("a")
        moments: dict[str, float] = {}
        while "b leads" not in moments:
            await clock.forward(0.5)
            assert not (a.leads() and b.leads())
            if not a.leads():
                moments.setdefault("a is fenced", clock.now)
            if b.leads():
                moments["b leads"] = clock.now
        assert moments["b leads"] - moments["a is fenced"] >= TIMES.margin - 0.5
        assert moments["b leads"] <= 1000 + TIMES.valid + 2 * TIMES.retry + TIMES.renew


async def test_a_leader_that_wakes_up_late_is_fenced_before_it_knows(clock: Clock) -> None:
    async with hustings(clock) as (_, stand):
        a, b = await stand("a"), await stand("b")
        clock.now += TIMES.valid + 1  # the clock moved, but a's loop did not run: a frozen process
        assert a.leadership is not None
        assert not a.leadership.lost.is_set()
        fenced = a.client.fenced(a.leadership.guard)
        with pytest.raises(DeposedError, match="a may no longer lead"):
            await fenced.create(CONFIG_MAPS, "x", {})
        await clock.forward(20)
        assert [a.leads(), b.leads()].count(True) <= 1


async def test_without_the_server_leadership_ends_by_itself(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a = await stand("a")
        keeper.down = True
        await clock.forward(TIMES.valid - TIMES.margin - 1)
        assert a.leads()
        await clock.forward(2)
        assert not a.leads()
        assert a.leadership is not None
        assert a.leadership.lost.is_set()


@pytest.mark.slow
async def test_a_short_absence_of_the_server_costs_nothing(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a, b = await stand("a"), await stand("b")
        for _ in range(4):
            keeper.down = True
            await clock.forward(8)
            keeper.down = False
            await clock.forward(4)
            assert (a.leads(), b.leads()) == (True, False)


@pytest.mark.slow
async def test_a_lost_answer_is_no_lost_leadership(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a = await stand("a")
        for _ in range(5):
            keeper.lose = 1
            await clock.forward(6)
            assert a.leads()
        assert set(keeper.holders) == {"a"}


async def test_someone_who_writes_on_the_lease_does_not_depose(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a = await stand("a")
        keeper.version += 1
        assert keeper.lease is not None
        keeper.lease["metadata"]["resourceVersion"] = str(keeper.version)
        await clock.forward(5)
        assert a.leads()


async def test_another_holder_deposes_at_once(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a = await stand("a")
        assert keeper.lease is not None
        keeper.version += 1
        keeper.lease["metadata"]["resourceVersion"] = str(keeper.version)
        keeper.lease["spec"]["holderIdentity"] = "thief"
        await clock.forward(4)
        assert not a.leads()


async def test_a_dead_leader_is_followed_after_its_lease(clock: Clock) -> None:
    async with hustings(clock) as (keeper, stand):
        a = await stand("a")
        a.task.cancel()
        keeper.lose = 1  # it dies without giving anything back
        await settle()
        assert keeper.lease is not None
        keeper.lease["spec"] |= {"holderIdentity": "a", "leaseDurationSeconds": 15}
        b = await stand("b")
        await clock.forward(14)
        assert not b.leads()
        await clock.forward(5)
        assert b.leads()
        assert keeper.lease["spec"]["leaseTransitions"] >= 1


async def test_a_lease_that_may_not_be_read_is_an_error() -> None:
    async with talking(answers(403, status(403, "Forbidden", "no leases for you"))) as (client, _):
        with pytest.raises(ForbiddenError, match="no leases for you"):
            async with Election(LeaseStore(client, "a", "b")).held():
                pass


def test_times_that_leave_no_room_for_a_renewal_are_refused() -> None:
    with pytest.raises(ValueError, match="renewed at least once"):
        ElectionTimes(valid=5, renew=4.0, margin=2.0)


def test_identities_differ_and_the_clock_goes_forward() -> None:
    assert new_identity() != new_identity()
    assert elapsed() <= elapsed()
