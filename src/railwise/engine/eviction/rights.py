"""Who may take from whom: preemption inside a queue, reclaim between queues.

Inside its queue a workload may stop work of strictly lower priority. Between queues it needs one of two rights: (a) it
ends within its quota and the other is above its own, or (b) it ends within its fair share, the other is above its own,
and the larger share of the two falls. Both are asked at every level below the queue that the two have in common, for
what the claimant asks and the victim holds, just before each victim goes. Under (a) what runs inside quotas only grows,
under (b) the sorted shares fall, so no two queues can take from each other for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from railwise.engine.gangs.charges import Amounts, add
from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.queue_shares import Shares

Held = dict[str, Amounts]
"""What queues hold, by name."""

Victim = tuple[str, Amounts]
"""Somebody who goes: the queue, and what it holds there."""

Level = tuple[bool, Fraction]
"""A share, comparable: (nothing is due, share); where nothing is due, what is held."""


class Rights:
    """The rights of one claimant that asks for certain amounts, on the books before anybody goes."""

    def __init__(self, record: Record, ask: Amounts, accounts: Accounts, now: int) -> None:
        """Note what is held now."""
        self.record: Final = record
        self.accounts: Final = accounts
        self.tree: Final = accounts.tree
        self.now: Final = now
        self.ask: Final = ask
        asked = tuple(resource for resource in self.tree.counted if ask.get(resource, 0))
        self.resources: Final = asked or self.tree.counted
        self.queue: Final = record.workload.queue
        self.chain: Final = [queue.name for queue in self.tree.chain(self.queue)]
        self._open: Final[dict[str, bool]] = {}
        self._branches: Final[dict[str, tuple[list[str], list[str]]]] = {}

    def may_take(self, other: Record) -> bool:
        """Return whether a running workload may have to go for the claimant, as far as can be told of it alone."""
        workload = other.workload
        if not other.started or not other.pods or other is self.record:
            return False
        if not self.may_take_from(workload.queue, workload.priority, preemptible=workload.preemptible):
            return False
        return self._grown_up(other, reclaim=workload.queue != self.queue)

    def may_take_from(self, queue: str, priority: int, *, preemptible: bool) -> bool:
        """Return whether workloads of a queue and priority may have to go, however long they run."""
        if not preemptible:
            return False
        if queue == self.queue:
            return priority < self.record.workload.priority
        open_queue = self._open.get(queue)
        if open_queue is None:
            open_queue = self._may_reclaim_from(queue)
            self._open[queue] = open_queue
        return open_queue

    def youth_counts(self, name: str) -> bool:
        """Return whether a queue protects workloads that have not run for long."""
        return any(queue.reclaim_min_runtime or queue.preempt_min_runtime for queue in self.tree.chain(name))

    def _grown_up(self, other: Record, *, reclaim: bool) -> bool:
        for queue in self.tree.chain(other.workload.queue):
            least = queue.reclaim_min_runtime if reclaim else queue.preempt_min_runtime
            if least:
                return self.now - other.began >= least
        return True

    def _may_reclaim_from(self, name: str) -> bool:
        """Return whether a queue is above quota or share at every level, and the claimant can end within its own.

        Victims beside the claimant lower what its own queues hold, but never by work that is not preemptible.
        """
        if not self.tree.declared or name not in self.tree.sound or self.queue not in self.tree.sound:
            return False
        mine, theirs = self._below_common(name)
        held = self.tree.held
        least = {queue: dict(self.tree.firm[queue]) for queue in mine}
        for amounts in least.values():
            add(amounts, self.ask)
        return any(
            self._within(mine, least, limits)
            and any(self._above(theirs, held, limits, resource) for resource in self.resources)
            for limits in (self.accounts.quotas, self.accounts.shares)
        )

    def _below_common(self, name: str) -> tuple[list[str], list[str]]:
        """Return the queues of the claimant and of another queue below the lowest one that they have in common."""
        known = self._branches.get(name)
        if known is None:
            theirs = [queue.name for queue in self.tree.chain(name)]
            common = next((queue for queue in self.chain if queue in theirs), "")
            mine = self.chain[: self.chain.index(common)] if common else self.chain
            known = (mine, theirs[: theirs.index(common)] if common else theirs)
            self._branches[name] = known
        return known

    def _within(self, queues: list[str], held: Held, limits: Shares) -> bool:
        return all(
            held[queue].get(resource, 0) <= limits[queue].get(resource, 0)
            for queue in queues
            for resource in self.resources
            if self.tree.counts(queue, resource)
        )

    def _above(self, queues: list[str], held: Held, limits: Shares, resource: str) -> bool:
        return all(
            self.tree.counts(queue, resource) and held[queue].get(resource, 0) > limits[queue].get(resource, 0)
            for queue in queues
        )

    def is_near(self, name: str) -> bool:
        """Return whether another queue hangs below one of the claimant's."""
        return any(queue.name in self.chain for queue in self.tree.chain(name))

    def valid(self, victims: Iterable[Victim], before: Held, stay: Iterable[Victim] = ()) -> bool:
        """Return whether all victims may go for the claimant, in some order; ``before``: what queues held with them.

        Each pod or group that goes by itself is a victim of its own. Those of them who ``stay`` run on elsewhere.
        """
        final = {queue: dict(amounts) for queue, amounts in before.items()}
        for queue in self.chain:
            add(final[queue], self.ask)
        others: list[Victim] = []
        for name, amounts in victims:
            self._charge(final, name, amounts, -1)
            if name != self.queue:
                others.append((name, amounts))
        for name, amounts in stay:
            self._charge(final, name, amounts, 1)
        return self._in_some_order(others, before, final, final)

    def conceivable(self, victims: Iterable[Victim], before: Held, relief: Held) -> bool:
        """Return whether these may go if others help: ``relief`` is what may leave the claimant's own queues at most.

        What is refused here stays refused however many more go.
        """
        best = {queue: dict(before[queue]) for queue in self.chain}
        for queue in self.chain:
            add(best[queue], self.ask)
            add(best[queue], relief.get(queue, {}), -1)
        return self._in_some_order([one for one in victims if one[0] != self.queue], before, best, None)

    def _in_some_order(self, victims: list[Victim], before: Held, mine: Held, final: Held | None) -> bool:
        """Return whether an order exists in which each victim may go just then.

        The fewer have gone, the more may go: so whoever may go after all the others can be the last, and the rest are
        asked again without it.
        """
        if not victims:
            return True
        held = {queue: dict(amounts) for queue, amounts in before.items()}
        for name, amounts in victims:
            self._charge(held, name, amounts, -1)
        rights = {name: self._rights(name, before, mine, final) for name in {name for name, _ in victims}}
        left = self._in_doubt(victims, held, rights)
        left.sort(key=lambda victim: [victim[1].get(resource, 0) for resource in self.resources])
        while left:
            for index in range(len(left) - 1, -1, -1):
                name, amounts = left[index]
                self._charge(held, name, amounts, 1)
                if self._above_some(name, amounts, held, rights[name]):
                    del left[index]
                    break
                self._charge(held, name, amounts, -1)
            else:
                return False
        return True

    def _in_doubt(self, victims: list[Victim], held: Held, rights: dict[str, list[Shares]]) -> list[Victim]:
        """Return those whose queue is no longer above its limits once all have gone; the others may go at any time."""
        sure: dict[tuple[str, tuple[str, ...]], bool] = {}
        left: list[Victim] = []
        for name, amounts in victims:
            key = (name, tuple([resource for resource in self.resources if amounts.get(resource, 0)]))
            if key not in sure:
                sure[key] = self._above_some(name, amounts, held, rights[name])
            if not sure[key]:
                left.append((name, amounts))
        return left

    def relief(self, victims: Iterable[Victim]) -> Held:
        """Return what leaves each of the claimant's own queues when all of these go."""
        total: Held = {queue: {} for queue in self.chain}
        for name, amounts in victims:
            self._charge(total, name, amounts, 1)
        return total

    def _charge(self, held: Held, name: str, amounts: Amounts, times: int) -> None:
        for queue in self.tree.chain(name):
            if queue.name in held:
                add(held[queue.name], amounts, times)

    def _rights(self, name: str, before: Held, mine: Held, final: Held | None) -> list[Shares]:
        """Return the limits above which another queue must be, one per right that the claimant's side has."""
        own, theirs = self._below_common(name)
        quotas, shares = self.accounts.quotas, self.accounts.shares
        found: list[Shares] = []
        if self._within(own, mine, quotas):
            found.append(quotas)
        if self._within(own, mine, shares) and (final is None or self._falls(own[-1], theirs[-1], before, final)):
            found.append(shares)
        return found

    def _falls(self, own: str, theirs: str, before: Held, final: Held) -> bool:
        return max(self.share(own, final), self.share(theirs, final)) < max(
            self.share(own, before), self.share(theirs, before)
        )

    def _above_some(self, name: str, amounts: Amounts, held: Held, limits: list[Shares]) -> bool:
        theirs = self._below_common(name)[1]
        matter = [resource for resource in self.resources if amounts.get(resource, 0)] or self.resources
        return any(self._above(theirs, held, limit, resource) for limit in limits for resource in matter)

    def ends(self) -> Held:
        """Return what the claimant's queues hold when it has its place beside those who run now."""
        held = {queue: dict(self.tree.held[queue]) for queue in self.chain}
        for amounts in held.values():
            add(amounts, self.ask)
        return held

    def why(self, other: Record, before: Held, ends: Held) -> str:
        """Return by which right a victim goes, for people; ``ends``: what the claimant's queues hold in the end."""
        if other is self.record:
            return "surplus of its own makes up for what it lost"
        queue = other.workload.queue
        if queue == self.queue:
            low, high = other.workload.priority, self.record.workload.priority
            return f"preempted: priority {low} is below {high} in queue '{queue}'"
        mine, theirs = self._below_common(queue)
        quotas = self.accounts.quotas
        if self._within(mine, ends, quotas) and any(self._above(theirs, before, quotas, one) for one in self.resources):
            return f"reclaimed: queue '{theirs[-1]}' is above its quota, '{mine[-1]}' asks for what is within its own"
        return f"reclaimed: queue '{theirs[-1]}' is above its fair share, '{mine[-1]}' stays within its own"

    def share(self, name: str, held: Held) -> Level:
        """Return a queue's share of its dominant resource."""
        worst: Level = (False, Fraction(0))
        for resource in self.tree.counted:
            amount = held[name].get(resource, 0)
            due = self.accounts.shares[name].get(resource, 0)
            if amount and self.tree.counts(name, resource):
                worst = max(worst, (due == 0, Fraction(amount) if due == 0 else Fraction(amount) / due))
        return worst

    def standing(self, name: str) -> list[tuple[bool, Level, int, str]]:
        """Return the place of a queue in the order of turns, from the top down; a greater one is served later."""
        held, quota = self.tree.held, self.tree.quota
        return [
            (
                any(
                    held[queue.name].get(resource, 0) > quota[queue.name].get(resource, 0)
                    for resource in self.tree.counted
                    if self.tree.counts(queue.name, resource)
                ),
                self.share(queue.name, held),
                -queue.priority,
                queue.name,
            )
            for queue in reversed(self.tree.chain(name))
        ]


def books(accounts: Accounts) -> Held:
    """Return a copy of what every queue holds."""
    return {queue: dict(amounts) for queue, amounts in accounts.tree.held.items()}
