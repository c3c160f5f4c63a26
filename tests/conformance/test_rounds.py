"""Every case of one plan, lived through for several rounds: evictions end, and nobody goes back and forth."""

from __future__ import annotations

from pathlib import Path

import pytest

from railwise.engine.cycle import Engine
from railwise.formats.cases.reader import Case, read_cases
from railwise.formats.scenario.reader import read_spec

ROOT = Path(__file__).resolve().parents[2]
AREAS = {"preemption", "reclaim", "fairness", "quota", "repair", "defrag"}
ROUNDS = 8


def _contested(case: Case) -> bool:
    return case.run == "plan" and case.area in AREAS and isinstance(case.scenario, dict)


CASES = [
    case
    for path in sorted((ROOT / "cases").glob("*.yaml"))
    for case in read_cases(path.read_bytes(), path.name)
    if _contested(case)
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_rounds_settle(case: Case) -> None:
    scenario = read_spec(case.scenario)
    queues = {workload.name: workload.queue for workload in scenario.workloads}
    made = Engine(scenario)
    taken: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        plan = made.cycle(())
        if not plan.evictions and not plan.moves:
            return
        for one in plan.evictions:
            taker = queues[one.beneficiary]
            assert taken.isdisjoint((pod, taker) for pod in one.pods)
            taken.update((pod, taker) for pod in one.pods)
    raise AssertionError("still evicting")


def test_there_are_many_such_cases() -> None:
    assert len(CASES) > 100
