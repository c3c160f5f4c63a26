"""Whatever comes, goes, fails and recovers: nothing that a round places takes away a promise that could be kept.

Judged by trying every assignment of domains to promises, on the pods alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.model.node import Node
from railwise.model.queue import Queue
from railwise.model.reason import Code
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, TopologyRule, Workload
from tests.engine.promised_life import FABRIC, LEVELS, draw_nodes, draw_queues
from tests.examples import examples
from tests.oracle.promises import Land, Promise, promises


class History:
    """One engine with promises, and what happens to it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.queues: list[Queue] = []
        while not any(queue.guarantee for queue in self.queues):
            self.queues = draw_queues(self.random)
        self.nodes: dict[str, Node] = {node.name: node for node in draw_nodes(self.random)}
        scenario = Scenario("history", seed, (FABRIC,), tuple(self.nodes.values()), queues=tuple(self.queues))
        self.engine = Engine(scenario)
        self.engine.cycle(())
        self.wanted = promises(self.queues, LEVELS)
        self.holders = {queue for queue, _ in self.wanted}
        healthy = [replace(node, ready=True) for node in self.nodes.values()]
        self.promised = Land(healthy, self.queues, {}).kept(self.wanted, self.holders)
        parents = {queue.parent for queue in self.queues}
        self.leaves = [queue.name for queue in self.queues if queue.name not in parents]
        self.number = 0
        self.reserved = 0

    def draw_workload(self) -> Workload:
        random = self.random
        self.number += 1
        pods = random.choice([1, 1, 2, 3, 4])
        rule = TopologyRule(required=random.choice(LEVELS) if random.random() < 0.3 else "")
        cards = Request(CardRequest(CARDS_WHOLE, random.choice([1, 4, 4, 8])))
        least = 1 if random.random() < 0.2 else pods
        return Workload(
            f"w{self.number}",
            Group(pods=pods, min_pods=least, request=cards, topology=rule),
            queue=random.choice(self.leaves),
            preemptible=random.random() < 0.4,
            order=self.number,
            kind=random.choice(["batch", "training"]),
        )

    def draw_events(self) -> list[Event]:
        random = self.random
        events: list[Event] = [Submit(self.draw_workload()) for _ in range(random.choice([1, 1, 2, 3]))]
        if self.engine.records and random.random() < 0.4:
            events.append(Finish(random.choice(list(self.engine.records))))
        if random.random() < 0.25:
            node = self.nodes[random.choice(list(self.nodes))]
            self.nodes[node.name] = replace(node, ready=not node.ready)
            events.append(NodeChange(node.name, {"ready": not node.ready}))
        random.shuffle(events)
        return events

    def firm(self) -> dict[str, list[tuple[str, str]]]:
        """Return (workload, queue) of the work on every node that is not preemptible."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, record in self.engine.records.items():
            if not record.workload.preemptible:
                for node, _ in record.pods.values():
                    found.setdefault(self.engine.state.nodes[node].name, []).append((name, record.workload.queue))
        return found

    def land(self, firm: dict[str, list[tuple[str, str]]]) -> Land:
        return Land(
            list(self.nodes.values()), self.queues, {name: [queue for _, queue in work] for name, work in firm.items()}
        )

    def kept_after(self, events: Sequence[Event]) -> list[Promise]:
        """Return the promises that could be kept if these events were all that happened."""
        finished = {event.name for event in events if isinstance(event, Finish)}
        firm = {
            name: [pair for pair in work if pair[0] not in finished]
            for name, work in self.firm().items()
            if self.nodes[name].ready
        }
        return self.land(firm).kept(self.promised, self.holders)

    def live(self, rounds: int) -> None:
        for _ in range(rounds):
            events = self.draw_events()
            could = self.kept_after(events)
            plan = self.engine.cycle(events)
            assert self.land(self.firm()).can_keep(could, self.holders), events
            reasons = [one.reason for one in plan.workloads if one.reason is not None]
            self.reserved += sum(reason.code is Code.RESERVED for reason in reasons)


@pytest.mark.slow
@examples(600)
@given(st.integers(0, 2**32 - 1))
def test_no_round_takes_a_promise_away(seed: int) -> None:
    History(seed).live(8)


@pytest.mark.slow
def test_some_histories_without_chance() -> None:
    lives = [History(seed) for seed in range(60)]
    for life in lives:
        life.live(6)
    assert sum(life.reserved > 0 for life in lives) > 10


@pytest.mark.slow
def test_the_judge_is_not_blind() -> None:
    """Without the rule some of the same histories do break promises."""
    broken = 0
    for seed in range(30):
        life = History(seed)
        life.engine.decider.rules.clear()
        try:
            life.live(6)
        except AssertionError:
            broken += 1
    assert broken > 5
