"""What a recorder is told, against what the history and the engine say."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.events import Finish
from railwise.model.policy import Change
from railwise.model.workload import Workload
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment
from tests.engine.small import flat, gang, request, scenario

MINUTE = 60_000_000


def job(name: str, pods: int, submit: int, duration: int) -> Workload:
    return replace(gang(name, pods, request(8)), submit=submit * MINUTE, duration=duration * MINUTE)


class Recorder:
    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def see(self, simulation: Simulation, moment: Moment) -> None:
        records = simulation.engine.records
        cards = sum(grant.whole.bit_count() for record in records.values() for _, grant in record.pods.values())
        assert moment.cards == cards
        assert moment.waiting == sum(record.short() for record in records.values())
        assert moment.at == simulation.now
        self.moments.append(moment)


def test_a_recorder_hears_of_starts_stops_and_ends() -> None:
    dead = (
        Change(4 * MINUTE, "node", ("n0",), {"ready": False}),
        Change(6 * MINUTE, "node", ("n0",), {"ready": True}),
    )
    known = replace(scenario(flat(8, 8), job("a", 2, 0, 10), job("b", 1, 1, 5)), changes=dead)
    seen = Recorder()
    Simulation(known, watch=seen).run()
    told = [(one.at // MINUTE, one.started, one.stopped, one.ended, one.waiting, one.cards) for one in seen.moments]
    assert told[:4] == [
        (0, ("a",), (), (), 0, 16),
        (1, (), (), (), 1, 16),
        (4, (), ("a",), (), 2, 8),
        (6, ("a",), (), (), 1, 16),
    ]
    assert told[-2:] == [(16, ("b",), (), ("a",), 0, 8), (21, (), (), ("b",), 0, 0)]
    assert [event for one in seen.moments for event in one.events if isinstance(event, Finish)] == [
        Finish("a"),
        Finish("b"),
    ]


def test_a_gang_that_begins_anew_elsewhere_stops_and_starts() -> None:
    dead = (Change(4 * MINUTE, "node", ("n0",), {"ready": False}),)
    seen = Recorder()
    Simulation(replace(scenario(flat(8, 8, 8), job("a", 2, 0, 10)), changes=dead), watch=seen).run()
    assert [(one.started, one.stopped) for one in seen.moments if one.at == 4 * MINUTE] == [(("a",), ("a",))]
