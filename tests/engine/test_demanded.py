"""What is asked for in the queues is followed change by change, and is what a count of everybody says."""

from __future__ import annotations

import pytest

from railwise.engine.gangs.charges import Amounts, add
from railwise.engine.queues.queue_shares import queue_shares
from railwise.twin.simulation import Simulation
from tests.twin.random_runs import MINUTE, random_run


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3, 8, 10, 13, 17, 18, 19, 23, 30])
def test_demand_and_shares_are_those_of_a_count_of_everybody(seed: int) -> None:
    simulation = Simulation(random_run(seed))
    accounts, records = simulation.engine.accounts, simulation.engine.records
    seen = False
    for minute in range(0, 130, 10):
        simulation.run(minute * MINUTE or 1)
        accounts.open_round(records)
        counted: dict[str, Amounts] = {}
        for record in records.values() if accounts.tree.declared else ():
            if record.workload.queue in accounts.tree.sound:
                assert record.wanted is not None
                add(counted.setdefault(record.workload.queue, {}), record.wanted)
        assert accounts.demand == counted
        if accounts.tree.declared:
            assert (accounts.shares, accounts.quotas) == queue_shares(accounts.tree, counted, accounts.capacity)
        seen = seen or bool(counted)
    assert seen is accounts.tree.declared


def test_shares_are_those_of_the_beginning_of_a_round() -> None:
    """Who asks after the first placements of a round hears what was due before them."""
    simulation = Simulation(next(run for run in map(random_run, range(20)) if run.queues))
    accounts = simulation.engine.accounts
    simulation.run(30 * MINUTE)
    accounts.open_round(simulation.engine.records)
    before = queue_shares(accounts.tree, accounts.demand, accounts.capacity)
    queue = next(name for name in accounts.tree.sound if name not in accounts.tree.children)
    accounts.tree.charge(queue, {"gpu": 7000}, 1, firm=False)
    assert (accounts.shares, accounts.quotas) == before
