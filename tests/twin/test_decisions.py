"""The log of decisions is complete: who runs where, and who waits, can be read from it alone."""

from __future__ import annotations

import pytest

from railwise.formats.decision_log import log_text, read_log
from railwise.model.decision import Decision
from railwise.report.first_difference import Standing, standings
from railwise.twin.simulation import Simulation
from tests.twin.random_runs import MINUTE, random_run


def _from_engine(simulation: Simulation) -> tuple[dict[str, list[str]], set[str]]:
    records, nodes = simulation.engine.records, simulation.engine.state.nodes
    running = {
        name: sorted(nodes[node].name for node, _ in record.pods.values())
        for name, record in records.items()
        if record.pods
    }
    return running, set(records) - set(running)


def _from_log(log: list[Decision]) -> tuple[dict[str, list[str]], set[str]]:
    running: tuple[Standing, ...]
    running, waiting = standings(log)
    return {one.name: sorted(one.nodes) for one in running}, {one.name for one in waiting}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 15, 5))
def test_the_state_follows_from_the_log(first: int) -> None:
    for seed in range(first, first + 5):
        simulation = Simulation(random_run(seed))
        for minute in (0, 7, 30, 61, 100):
            simulation.run(minute * MINUTE or 1)
            log = simulation.history.decisions
            assert _from_log(log) == _from_engine(simulation), (seed, minute)
        written = log_text(log)
        again = read_log(written.encode(), "log")
        assert log_text(again) == written
        assert _from_log(again) == _from_engine(simulation)
