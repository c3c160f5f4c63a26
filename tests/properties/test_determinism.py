"""The same cluster gives the same plan, to the byte: no hash, no order of a mapping, no name decides."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import plan_scenario
from railwise.model.node import Node
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Running, Workload
from tests.oracle.instances import crowd

ROOT = Path(__file__).resolve().parents[2]
seeds = st.integers(0, 2**32 - 1)


def digest(first: int, last: int) -> str:
    """Return a digest of the plans of some seeds."""
    text = "\n".join(repr(plan_scenario(crowd(seed))) for seed in range(first, last))
    return sha256(text.encode()).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_another_hash_seed_gives_the_same_bytes(hash_seed: str) -> None:
    code = "from tests.properties.test_determinism import digest; print(digest(0, 60))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == digest(0, 60)


def _turned(scenario: Scenario) -> Scenario:
    """Return the same scenario with every mapping in the opposite order."""

    def node(one: Node) -> Node:
        places = {name: dict(reversed(levels.items())) for name, levels in reversed(one.places.items())}
        resources, labels = dict(reversed(one.resources.items())), dict(reversed(one.labels.items()))
        return replace(one, places=places, resources=resources, labels=labels)

    return replace(scenario, nodes=tuple(node(one) for one in scenario.nodes))


@given(seeds)
def test_the_order_of_mappings_does_not_matter(seed: int) -> None:
    scenario = crowd(seed)
    assert repr(plan_scenario(_turned(scenario))) == repr(plan_scenario(scenario))


@given(seeds)
def test_planning_twice_gives_the_same(seed: int) -> None:
    scenario = crowd(seed)
    assert plan_scenario(scenario) == plan_scenario(scenario)


class _Names:
    """New names for old ones, drawn once each, in an order that has nothing to do with theirs."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.known: dict[tuple[str, str], str] = {}

    def new(self, kind: str, old: str) -> str:
        key = (kind, old)
        if key not in self.known:
            self.known[key] = f"{self.random.choice('abcxyz')}{self.random.getrandbits(40):x}{len(self.known)}"
        return self.known[key]


def _renamed(scenario: Scenario, names: _Names) -> Scenario:
    def node(one: Node) -> Node:
        places = {
            topology: {level: names.new(level, domain) for level, domain in levels.items()}
            for topology, levels in one.places.items()
        }
        return replace(one, name=names.new("node", one.name), places=places)

    def group(one: Group) -> Group:
        running = one.running
        if running is not None:
            nodes = tuple(None if name is None else names.new("node", name) for name in running.nodes)
            running = Running(nodes, running.since, running.cards)
        return replace(one, running=running, groups=tuple(group(child) for child in one.groups))

    def workload(one: Workload) -> Workload:
        return replace(one, name=names.new("workload", one.name), root=group(one.root))

    return replace(
        scenario,
        nodes=tuple(node(one) for one in scenario.nodes),
        workloads=tuple(workload(one) for one in scenario.workloads),
    )


@given(seeds)
def test_consistent_renaming(seed: int) -> None:
    scenario = crowd(seed)
    names = _Names(seed)
    renamed = plan_scenario(_renamed(scenario, names))
    for old, new in zip(plan_scenario(scenario).workloads, renamed.workloads, strict=True):
        assert names.new("workload", old.name) == new.name
        assert new.state is old.state
        assert [(names.new("node", pod.node), pod.cards) for pod in old.pods] == [
            (pod.node, pod.cards) for pod in new.pods
        ]
        assert (new.reason and new.reason.code) == (old.reason and old.reason.code)
