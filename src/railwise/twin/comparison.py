"""The same arrivals under several policies and seeds: one run each, in the order in which they were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from railwise.engine.policies import by_name
from railwise.model.scenario import Scenario
from railwise.twin.simulation import Simulation


class Run(NamedTuple):
    """One run: who placed, with which seed, and how it went."""

    policy: str
    seed: int
    simulation: Simulation


def compare(
    make: Callable[[int], Scenario], policies: Sequence[str], seeds: Sequence[int], until: int = 0
) -> Iterator[Run]:
    """Run every policy on every seed, policy by policy; a policy that is named twice runs once.

    Args:
        make: returns the scenario of a seed; all policies live through the same one.
        policies: names of the engine's policies.
        seeds: at least one.
        until: when to stop, µs (0: when nothing happens any more).
    """
    scenarios = {seed: make(seed) for seed in seeds}
    for policy in dict.fromkeys(policies):
        for seed, scenario in scenarios.items():
            simulation = Simulation(scenario, by_name(policy, scenario.seed))
            simulation.run(until)
            yield Run(policy, seed, simulation)
