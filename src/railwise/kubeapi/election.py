"""One of several replicas leads, and one that no longer does cannot write any more.

The election is Kubernetes' own, by a Lease: who holds it renews it; who wants it takes it when it has not changed for
as long as it says it is valid. That alone does not protect the cluster from a leader that was paused, by a long garbage
collection or a frozen machine, and wakes up after its successor was elected. So leadership is also a *fence*: a time,
counted from just before the last renewal was sent, after which no write leaves this process, whatever the rest of the
program believes. Others wait at least from when the server had that renewal, which is later; ``margin`` covers what a
write takes on its way.

Use::

    async with Election(LeaseStore(client, "railwise", "scheduler"), identity).held() as leadership:  # waits
        await schedule(client.fenced(leadership.guard), until=leadership.lost)
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from railwise.kubeapi.errors import ApiError, DeposedError, ForbiddenError, NotFoundError, UnauthorizedError
from railwise.kubeapi.lease import Lease, LeaseSpec, LeaseStore, elapsed, timestamp

Clock = Callable[[], float]


@dataclass(frozen=True)
class ElectionTimes:
    """Seconds: how long a Lease is valid, how often it is renewed or tried, how long before its end writes stop."""

    valid: int = 15
    renew: float = 3.0
    retry: float = 2.0
    margin: float = 2.0

    def __post_init__(self) -> None:
        """Refuse times by which nobody could lead.

        Raises:
            ValueError: the margin and a renewal do not fit into the validity.
        """
        if not 0 < self.renew < self.valid - self.margin:
            message = "a lease must be renewed at least once before its margin begins"
            raise ValueError(message)


def times_for(valid: int) -> ElectionTimes:
    """Return the times that go with a validity, as the usual ones go with 15 seconds."""
    usual = ElectionTimes()
    share = valid / usual.valid
    return ElectionTimes(valid, usual.renew * share, usual.retry * share, usual.margin * share)


class Leadership:
    """The right to write, for as long as the Lease is ours."""

    def __init__(self, identity: str, clock: Clock) -> None:
        """Start without it."""
        self.identity = identity
        self.lost = asyncio.Event()
        self.transitions = 0
        self._clock = clock
        self._until = float("-inf")

    def guard(self) -> float:
        """Return the seconds that are left for a write.

        Raises:
            DeposedError: there are none.
        """
        left = self._until - self._clock()
        if self.lost.is_set() or left <= 0:
            raise DeposedError(f"{self.identity} may no longer lead, so this was not written")
        return left

    def extend(self, until: float) -> None:
        """Allow writes up to a time on the clock."""
        self._until = until

    def end(self) -> None:
        """Allow no more writes, for good."""
        self._until = float("-inf")
        self.lost.set()


def new_identity() -> str:
    """Return a name for this process that no other process has, nor this one after a restart."""
    return f"{socket.gethostname()}_{os.getpid()}_{secrets.token_hex(4)}"


class Election:
    """A candidate for one Lease."""

    def __init__(
        self,
        store: LeaseStore,
        identity: str = "",
        times: ElectionTimes | None = None,
        clock: Clock = elapsed,
        chance: random.Random | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Keep which Lease and who we are; ``tell`` hears in words what keeps us from leading, when that changes."""
        self._tell = tell
        self._told = ""
        self._store = store
        self._identity = identity or new_identity()
        self._times = times or ElectionTimes()
        self._clock = clock
        self._chance = chance or random.Random()
        self._seen: Lease | None = None
        self._seen_at = float("-inf")

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Leadership]:
        """Wait until elected, then yield the leadership; renew it meanwhile and give the Lease back afterwards.

        ``lost`` of what is yielded is set when the Lease could not be renewed in time, or is another's.

        Raises:
            ApiError: the Lease may not be read or written by us, or its namespace does not exist.
        """
        leadership = await self._elected()
        renewing = asyncio.create_task(self._keep(leadership), name="renew the lease")
        try:
            yield leadership
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            leadership.end()
            await self._give_back()

    async def _elected(self) -> Leadership:
        leadership = Leadership(self._identity, self._clock)
        while True:
            try:
                if await self._try(leadership):
                    return leadership
                held = self._seen.spec.holder_identity if self._seen is not None else ""
                self._say(f"{held} leads" if held else "another replica was quicker")
            except (ForbiddenError, UnauthorizedError, NotFoundError):
                raise
            except ApiError as error:
                self._say(str(error))  # the server is away; whoever leads has the same trouble
            await asyncio.sleep(self._times.retry * (0.75 + self._chance.random() / 2))

    def _say(self, what: str) -> None:
        if self._tell is not None and what != self._told:
            self._tell(what)
        self._told = what

    async def _try(self, leadership: Leadership) -> bool:
        """Take the Lease, or renew it; return whether it is ours."""
        held = self._seen
        if held is None or held.spec.holder_identity != self._identity:
            held = self._look(await self._store.read())
            if held is not None and not self._free(held):
                return False
        sent = self._clock()
        async with asyncio.timeout(self._times.valid):
            written = await self._store.write(held.metadata.resource_version if held else "", self._spec(held))
        if written is None:
            self._seen = None
            return False
        self._look(written)
        leadership.transitions = written.spec.lease_transitions
        leadership.extend(sent + self._times.valid - self._times.margin)
        return True

    def _look(self, lease: Lease | None) -> Lease | None:
        """Remember a Lease, and when it was first seen in this version."""
        before = self._seen
        if lease is not None and (
            before is None or before.metadata.resource_version != lease.metadata.resource_version
        ):
            self._seen_at = self._clock()
        self._seen = lease
        return lease

    def _free(self, lease: Lease) -> bool:
        """Return whether a Lease may be taken: nobody's, ours, or unchanged for as long as it was valid."""
        spec = lease.spec
        if spec.holder_identity in ("", self._identity):
            return True
        return self._clock() - self._seen_at >= max(spec.lease_duration_seconds, 1)

    def _spec(self, held: Lease | None) -> LeaseSpec:
        now = timestamp()
        ours = held is not None and held.spec.holder_identity == self._identity
        return LeaseSpec(
            holder_identity=self._identity,
            lease_duration_seconds=self._times.valid,
            acquire_time=held.spec.acquire_time if held is not None and ours else now,
            renew_time=now,
            lease_transitions=0 if held is None else held.spec.lease_transitions + (not ours),
        )

    async def _keep(self, leadership: Leadership) -> None:
        """Renew until it cannot be done in time; then the leadership is lost."""
        pause = self._times.renew
        try:
            while True:
                await asyncio.sleep(pause)
                left = leadership.guard()
                try:
                    async with asyncio.timeout(left):
                        ours = await self._try(leadership)
                    # A conflict may be somebody's label on the Lease: look again, and leave only to another holder.
                    if not ours and self._seen is not None and self._seen.spec.holder_identity != self._identity:
                        return
                    pause = self._times.renew if ours else 0.1
                except (ApiError, TimeoutError):
                    pause = min(self._times.renew, 1.0)
        except DeposedError:
            return
        finally:
            leadership.end()

    async def _give_back(self) -> None:
        """Let the next one begin at once, if the Lease is still ours; if that fails, it will have to wait."""
        seen = self._seen
        if seen is None or seen.spec.holder_identity != self._identity:
            return
        spec = LeaseSpec(
            lease_duration_seconds=1, renew_time=timestamp(), lease_transitions=seen.spec.lease_transitions
        )
        try:
            async with asyncio.timeout(self._times.retry):
                await self._store.write(seen.metadata.resource_version, spec)
        except (ApiError, TimeoutError):
            return
