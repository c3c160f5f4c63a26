"""Arrivals and departures in virtual time: what one reclaim does to shares and quotas, and that nobody flaps.

Each making of room is watched from outside: the books before it, and what they are once the victims have gone and the
claimant has its place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import railwise
from railwise.engine.cycle import Engine
from railwise.engine.events import Finish, Submit
from railwise.engine.eviction.evictor import Evictor, Room
from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, Workload
from tests.engine.eviction.scenes import CARD, FABRIC, MINUTE, nodes

EVENTS = 200
ROUNDS = 6
INTERPRETED = pytest.mark.skipif(railwise.build_kind() == "compiled", reason="watches calls inside the engine")


def cluster(random: Random) -> Scenario:
    """Return an empty cluster with queues in one or two levels."""
    tops = [Queue(name, quota={"gpu": CARD * random.choice([0, 4, 8, 12])}) for name in "abc"]
    below = [Queue(f"a{n}", parent="a", weight=random.choice([1000, 2000])) for n in (0, 1)]
    queues = (*tops, *(below if random.random() < 0.5 else []))
    return Scenario("history", 0, (FABRIC,), tuple(nodes(4, 4)), queues)


def arrival(random: Random, number: int, leaves: list[str]) -> Workload:
    """Return a workload that comes."""
    pods = random.choice([1, 1, 2, 3])
    least = random.choice([pods, 1])
    asks = Request(CardRequest(CARDS_WHOLE, random.choice([1, 2, 2, 4])))
    return Workload(
        f"w{number}",
        Group(pods=pods, min_pods=least, request=asks),
        random.choice(leaves),
        priority=random.choice([0, 0, 5, 10]),
        order=number,
        kind=random.choice(["batch", "batch", "training", "inference"]),
        elastic=random.random() < 0.5,
    )


class Watch:
    """Looks at every making of room of an engine."""

    def __init__(self, made: Engine) -> None:
        """Start with nothing seen."""
        self.accounts: Accounts = made.accounts
        self.seen: Counter[str] = Counter()

    def around(self, evictor: Evictor, record: Record, make_room: Any) -> Room | None:
        """Make room, and check what it does to the books."""
        before = self._held()
        room: Room | None = make_room(evictor, record, [record.current])
        if room is None:
            assert self._held() == before
            return None
        after = self._held()
        for name in self._path(record):
            after[name] += record.ask.get("gpu", 0)
        others = [one for one in room.gone if one.record.workload.queue != record.workload.queue]
        kinds = {"share" if "fair share" in one.why else "quota" for one in others}
        for one in others:
            self._lost_by_right(one.record, record, before)
        if kinds == {"share"}:
            self._shares_fall(record, [one.record for one in others], before, after)
        if kinds == {"quota"}:
            mine = [name for name in self._path(record) if name not in self._path(others[0].record)]
            assert all(after[name] <= self.accounts.quotas[name].get("gpu", 0) for name in mine)
            assert all(after[name] > before[name] for name in mine[:1]) or any(
                one.record.workload.queue == record.workload.queue for one in room.gone
            )
        self.seen.update(kinds or {"preempt"})
        return room

    def _held(self) -> Counter[str]:
        return Counter({name: amounts.get("gpu", 0) for name, amounts in self.accounts.tree.held.items()})

    def _path(self, record: Record) -> list[str]:
        return [queue.name for queue in self.accounts.tree.chain(record.workload.queue)]

    def _lost_by_right(self, victim: Record, claimant: Record, before: Counter[str]) -> None:
        assert victim.workload.preemptible
        for name in self._path(victim):
            if name not in self._path(claimant):
                limits = (self.accounts.quotas[name].get("gpu", 0), self.accounts.shares[name].get("gpu", 0))
                assert before[name] > min(limits), f"{name} was within what it is due"

    def _shares_fall(self, claimant: Record, victims: list[Record], before: Counter[str], after: Counter[str]) -> None:
        """The sorted shares of the siblings at which claimant and victims part fall, the largest first."""
        for victim in victims:
            mine = [name for name in self._path(claimant) if name not in self._path(victim)]
            parent = self.accounts.tree.by_name[mine[-1]].parent
            siblings = self.accounts.tree.children[parent]
            assert self._sorted(siblings, after) < self._sorted(siblings, before)

    def _sorted(self, names: list[str], held: Counter[str]) -> list[tuple[bool, Fraction]]:
        shares = []
        for name in names:
            due = self.accounts.shares[name].get("gpu", Fraction(0))
            shares.append((due == 0 and held[name] > 0, Fraction(held[name]) / (due or 1)))
        return sorted(shares, reverse=True)


def live(seed: int, events: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Live through so many arrivals and departures, each followed by rounds until all is quiet."""
    random = Random(seed)
    scenario = cluster(random)
    made = Engine(scenario)
    watch = Watch(made)
    make_room = Evictor.make_room
    monkeypatch.setattr(Evictor, "make_room", lambda self, record, _: watch.around(self, record, make_room))
    leaves = [queue.name for queue in scenario.queues if queue.name not in {one.parent for one in scenario.queues}]
    alive: list[str] = []
    for number in range(events):
        now = number * MINUTE
        event = Submit(replace(arrival(random, number, leaves), submit=now))
        if len(alive) > 12 or (alive and random.random() < 0.35):
            made.cycle([Finish(alive.pop(random.randrange(len(alive))))], now)
        else:
            alive.append(event.workload.name)
            made.cycle([event], now)
        _settle(made, now + 1)
    return watch.seen


def _settle(made: Engine, now: int) -> None:
    """Nothing happens any more: nobody is evicted twice for the same queue, and soon nobody is evicted at all."""
    seen: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        plan = made.cycle((), now)
        if not plan.evictions and not plan.moves:
            return
        for one in plan.evictions:
            taker = made.records[one.beneficiary].workload.queue
            if made.records[one.workload].workload.queue != taker:
                assert seen.isdisjoint((pod, taker) for pod in one.pods)
                seen.update((pod, taker) for pod in one.pods)
    raise AssertionError("still evicting")


@INTERPRETED
def test_shares_fall_quotas_fill_and_nobody_flaps(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = live(1, 60, monkeypatch)
    assert seen["preempt"] > 1
    assert seen["quota"] + seen["share"] > 1


@INTERPRETED
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_shares_fall_quotas_fill_and_nobody_flaps_in_many_histories(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    live(seed, EVENTS, monkeypatch)
