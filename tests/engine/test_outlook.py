"""When there is room by counting: followed change by change, it is what counting from nothing gives."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.engine.gangs.demand import read_demand
from railwise.engine.waiting import slot_times
from railwise.engine.waiting.outlook import Outlook
from railwise.model.policy import MINUTE
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, TopologyRule, Workload
from tests.engine.random_life import Life
from tests.engine.slow_outlook import slow_chances

ENDLESS = 1 << 62


def _asker(life: Life, random: Random) -> Workload:
    """Return equal pods on whole cards with any rule about the whole."""
    tree = life.scenario.topologies[0] if life.scenario.topologies else None
    levels = [*(tree.level_names() if tree else ()), "node"]
    rule = TopologyRule(required=random.choice(["", *levels]))
    cards = Request(CardRequest(CARDS_WHOLE, random.choice([1, 2, 4, 8])))
    pods = random.choice([1, 2, 3, 5, 9])
    selection = random.choice(life.shapes).selection
    return Workload("asker", Group(pods=pods, min_pods=pods, request=cards, topology=rule, selection=selection))


def _compare(engine: Engine, outlook: Outlook, life: Life, random: Random) -> None:
    state, now = engine.state, engine.workloads.now
    running = [record for record in engine.records.values() if record.pods]
    but = random.choice(running) if running and random.random() < 0.3 else None
    outlook.sync(now, but)
    for _ in range(3):
        asker = _asker(life, random)
        demand = read_demand(asker, asker.root, state)
        apart = {random.randrange(len(state.nodes)) for _ in range(random.choice([0, 0, 2]))}
        latest = random.choice([ENDLESS, now, now + 20 * MINUTE])
        free = [node for node in range(len(state.nodes)) if demand.root.shape and state.fits(demand.root.shape, node)]
        taken = random.sample(free, min(len(free), random.choice([0, 1, 3])))
        grants = [(node, state.put(demand.root.shape, node)) for node in taken if demand.root.shape]
        found = list(outlook.chances(demand, now, latest, apart))
        assert found == slow_chances(engine.workloads, demand, latest, apart, but)
        for node, grant in reversed(grants):
            if grant is not None and demand.root.shape is not None:
                state.take_away(demand.root.shape, node, grant)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 40, 10))
@pytest.mark.parametrize("largest_list", [2, 1024])
def test_chances_are_those_of_counting_from_nothing(
    first: int, largest_list: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_times, "LARGEST_LIST", largest_list)
    for seed in range(first, first + 10):
        life, random = Life(seed), Random(seed)
        engine = Engine(replace(life.scenario, policy=replace(life.scenario.policy, reserve_after=5 * MINUTE)))
        outlook = Outlook(engine.workloads)
        nodes = list(life.scenario.nodes)
        there: list[str] = []
        for step in range(12):
            events: list[Event] = []
            for _ in range(2):
                duration = random.choice([0, 3, 10, 30]) * MINUTE
                workload = replace(life.draw_workload(), duration=duration, submit=step * 5 * MINUTE)
                if not workload.root.groups:
                    events.append(Submit(workload))
                    there.append(workload.name)
            if there and random.random() < 0.4:
                events.append(Finish(there.pop(random.randrange(len(there)))))
            if random.random() < 0.2:
                events.append(life.draw_change(nodes))
            engine.cycle(events, step * 5 * MINUTE)
            if random.random() < 0.7:
                _compare(engine, outlook, life, random)
