"""Small random clusters with one pending workload, for comparison with the reference. A seed always gives the same.

Every instance mixes a few themes (groups, segments, shares, sick cards, …) on a base of running work, so that rules
meet each other. Sizes are such that the reference can try every placement.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from railwise.model.scenario import Scenario
from tests.oracle.draft import PENDING, Draft, Theme
from tests.oracle.drawing import drawn_nodes, drawn_pending, drawn_running, drawn_topologies
from tests.oracle.themes import LARGE_THEMES, THEMES

__all__ = ["PENDING", "crowd", "instance", "large_instance"]


def instance(seed: int) -> Scenario:
    """Return the scenario of a seed; its last workload, named ``PENDING``, is the one that waits."""
    random = Random(seed)
    return _drawn(seed, Draft(random, depth=random.choice([0, 1, 1, 2, 2, 3])), THEMES)


def large_instance(seed: int) -> Scenario:
    """Return an instance with dozens of nodes, about rules and not about cards, for a solver to judge."""
    random = Random(seed)
    draft = Draft(random, (20, 30, 40, 60), 12, 16, depth=random.choice([1, 2, 2, 3]))
    return _drawn(seed, draft, LARGE_THEMES)


def crowd(seed: int) -> Scenario:
    """Return an instance with several workloads that wait, of different priorities and times of submission."""
    random = Random(seed)
    draft = Draft(random, depth=random.choice([0, 1, 1, 2, 2, 3]))
    scenario = _drawn(seed, draft, THEMES)
    *running, first = scenario.workloads
    waiting = [first]
    for number in range(random.randint(1, 3)):
        draft.grouped = random.choice(["", "", "flat", "k-of-n"])
        more = drawn_pending(draft, len(running) + len(waiting))
        priority, submit = random.choice([0, 0, 5]), random.choice([0, -60_000_000])
        waiting.append(replace(more, name=f"{PENDING}-{number}", priority=priority, submit=submit))
    return replace(scenario, workloads=(*running, *waiting))


def _drawn(seed: int, draft: Draft, themes: list[Theme]) -> Scenario:
    random = draft.random
    draft.cards = random.choice([[8], [8], [4], [2], [8, 4]])
    for theme in random.sample(themes, random.choice([0, 1, 1, 2, 2, 3, 4])):
        theme(draft)
    topologies = drawn_topologies(draft)
    nodes = drawn_nodes(draft)
    scenario = Scenario(f"seed-{seed}", seed, topologies, nodes, policy=draft.policy)
    running = drawn_running(draft, scenario)
    pending = drawn_pending(draft, len(running))
    return replace(scenario, workloads=(*running, pending))
