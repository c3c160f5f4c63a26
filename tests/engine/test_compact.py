"""A long-lived engine: what it forgets changes no decision."""

from __future__ import annotations

from random import Random

import pytest

from railwise.engine.cycle import Engine, Event, Finish, Submit
from railwise.formats.scenario.reader import read_spec
from railwise.model.plan import Plan
from railwise.model.scenario import Scenario


def _cluster() -> Scenario:
    nodes = [
        {
            "name": "n[001-128]",
            "gpus": 8,
            "in": {"superpod": "p[1-2]", "rack": "r[1-16]"},
            "resources": {"cpu": "64"},
        }
    ]
    return read_spec({"topologies": [{"name": "fabric", "levels": ["superpod", "rack"]}], "nodes": nodes})


def _life(engine: Engine, *, forget: bool) -> list[Plan]:
    random = Random(7)
    plans: list[Plan] = []
    running: list[str] = []
    for number in range(150):
        spec = {
            "name": f"w{number}",
            "pods": random.choice([1, 1, 2, 4]),
            "request": {"gpu": random.choice([0.5, 1, 2, 8]), "cpu": str(random.choice([1, 2, 3]))},
        }
        events: list[Event] = [Submit(read_spec({"workloads": [spec]}).workloads[0])]
        if len(running) > 60:
            events.insert(0, Finish(running.pop(random.randrange(len(running)))))
        if forget and number % 10 == 0:
            engine.state.compact()
        plans.append(engine.cycle(events))
        running.append(str(spec["name"]))
    return plans


def test_forgetting_changes_no_plan() -> None:
    assert _life(Engine(_cluster()), forget=True) == _life(Engine(_cluster()), forget=False)


def test_only_rooms_in_use_are_left() -> None:
    engine = Engine(_cluster())
    _life(engine, forget=False)
    before = len(engine.state.rooms.all)
    engine.state.compact()
    assert len(engine.state.rooms.all) == len(set(engine.state.room_of)) < before
    assert engine.state.journal == []


@pytest.mark.slow
@pytest.mark.parametrize("kept", [1, 2])
def test_few_indexes_are_enough(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = _life(Engine(_cluster()), forget=False)
    monkeypatch.setattr("railwise.engine.indexed.indexes.FEWEST_KEPT", kept)
    monkeypatch.setattr("railwise.engine.indexed.indexes.MOST_KEPT_NODES", 1)
    assert _life(Engine(_cluster()), forget=False) == plans
