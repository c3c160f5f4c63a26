"""Policy tests that take time: a scenario lived through in the twin, looked at when a case asks."""

from __future__ import annotations

from railwise.formats.cases.result import Lived
from railwise.model.plan import Plan
from railwise.model.scenario import Scenario
from railwise.twin.simulation import Simulation


def live_through(scenario: Scenario, until: int, moments: tuple[int, ...]) -> Lived:
    """Return the plans just after the given moments (ascending, µs) and at the end, and how long each start took."""
    simulation = Simulation(scenario)
    plans: dict[int | None, Plan] = {}
    for moment in moments:
        simulation.run(moment)
        plans[moment] = simulation.plan()
    simulation.run(until)
    plans[None] = simulation.plan()
    waits = {workload.name: simulation.history.wait_of(workload.name) for workload in scenario.workloads}
    return Lived(plans, {name: wait for name, wait in waits.items() if wait is not None})
