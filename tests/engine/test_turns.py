"""Turns follow what changed: whoever is next is the one whom judging every queue anew names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cluster.masks import Masks
from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.order import Turns, in_order
from railwise.engine.queues.queue_tree import TOP
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Selection
from tests.engine.small import flat, gang, request, shape_of, state_of

CARDS = 8


def _queues(draw: Random) -> tuple[Queue, ...]:
    """Return nine queues in up to four levels."""
    return tuple(
        Queue(
            f"q{index}",
            parent=draw.choice(["", *(f"q{above}" for above in range(min(index, 3)))]),
            quota={"gpu": 1000 * draw.choice([0, 4, 8, 16])} if draw.random() < 0.8 else {},
            limit={"gpu": 1000 * draw.choice([16, 24])} if draw.random() < 0.2 else {},
            weight=draw.choice([0, 1000, 1000, 3000]),
            priority=draw.choice([0, 0, 5]),
        )
        for index in range(9)
    )


def _life(seed: int) -> tuple[Random, Engine]:
    draw = Random(seed)
    return draw, Engine(Scenario("queues", nodes=tuple(flat(*[CARDS] * 8)), queues=_queues(draw)))


def _events(draw: Random, lived: Engine, number: int) -> list[Event]:
    events: list[Event] = []
    for index in range(draw.randint(1, 4)):
        asked = gang(f"w{number}-{index}", draw.randint(1, 3), request(draw.choice([1, 2, 4, 8])))
        priority = draw.choice([0, 0, 3])
        events.append(Submit(replace(asked, queue=f"q{draw.randrange(10)}", priority=priority, order=number)))
    if lived.records and draw.random() < 0.5:
        events.append(Finish(draw.choice(sorted(lived.records))))
    if draw.random() < 0.3:
        events.append(NodeChange(f"n{draw.randrange(8)}", {"unschedulable": draw.random() < 0.5}))
    return events


class _Slow:
    """The order of turns by judging every queue anew for each workload."""

    def __init__(self, records: Iterable[Record], accounts: Accounts) -> None:
        self.left = [record for record in in_order(records) if not record.started]
        self.repairs = [record for record in in_order(records) if record.started]
        self.accounts = accounts
        self.judge = Turns((), accounts.tree, accounts.shares)

    def next(self) -> Record:
        tree = self.accounts.tree
        homeless = [
            one for one in self.left if one.workload.queue in tree.children or one.workload.queue not in tree.sound
        ]
        new = homeless[0] if homeless else self._below(TOP)
        if not homeless and self.repairs:
            first = self.repairs[0]
            new = first if new is None or first.workload.priority >= new.workload.priority else new
        assert new is not None
        (self.repairs if new in self.repairs else self.left).remove(new)
        return new

    def _below(self, parent: str) -> Record | None:
        tree = self.accounts.tree
        found: list[tuple[object, Record]] = []
        for name in tree.children.get(parent, []):
            own = [record for record in self.left if record.workload.queue == name]
            first = self._below(name) if name in tree.children else (own[0] if own else None)
            if first is not None:
                endless, share = self.judge.share_after(name, first.ask)
                within = tree.within_quota(name, first.ask)
                found.append(((not within, endless, share, -tree.by_name[name].priority, name), first))
        return min(found)[1] if found else None


@pytest.mark.parametrize("seed", range(6))
def test_whoever_is_next_is_named_by_judging_every_queue_anew(seed: int) -> None:
    draw, lived = _life(seed)
    served = 0
    for number in range(12):
        lived.cycle(_events(draw, lived, number))
        accounts, waiting = lived.accounts, list(lived.workloads.waiting.values())
        accounts.open_round(lived.records)
        slow = _Slow(waiting, accounts)
        charged: list[tuple[str, int]] = []
        for record in accounts.turns(waiting):
            assert record is slow.next(), (seed, number)
            served += 1
            if draw.random() < 0.5:
                queue, cards = f"q{draw.randrange(9)}", 1000 * draw.randint(1, 8)
                accounts.tree.charge(queue, {"gpu": cards}, 1, firm=False)
                charged.append((queue, cards))
        for queue, cards in charged:
            accounts.tree.charge(queue, {"gpu": cards}, -1, firm=False)
    assert served


def test_shapes_of_one_selection_share_their_nodes() -> None:
    nodes = [replace(node, labels={"pool": "gold"} if index else {}) for index, node in enumerate(flat(8, 8, 8))]
    state = state_of(nodes)
    gold = Selection((("pool", "gold"),))
    masks = Masks(nodes)
    first, second = (shape_of(state, request(cards), selection=gold) for cards in (1, 2))
    mask = masks.of(first)
    assert mask == [False, True, True]
    assert masks.of(second) is mask
    assert masks.of(shape_of(state, request(1))) is None
    nodes[0] = replace(nodes[0], labels={"pool": "gold"})
    masks.forget()
    assert masks.of(first) is None
