"""For a promise, preemptible work of any queue moves, even inside its quota; nothing else makes it move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.model.plan import State
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.small import gang, locked, racks, request, running, scenario

SILVER = Queue("silver", quota={"gpu": 16_000})
GOLD = Queue("gold", guarantee={"rack": 1})


def into(queue: str, workload: Workload) -> Workload:
    return replace(workload, queue=queue)


def asked(*queues: Queue, firm: bool = False, taken: tuple[str, ...] = ("n0", "n2")) -> Scenario:
    """Return two racks of two nodes with silver's work on some of them, and a claim of gold for a whole rack."""
    work = [into("silver", running(f"s-{node}", [node], request(8))) for node in taken]
    claim = locked(into("gold", gang("claim", 2, request(8))), required="rack")
    known = scenario(racks(2, 2), *(replace(one, preemptible=not firm) for one in work), claim)
    return replace(known, queues=queues)


def test_work_inside_its_quota_moves_out_of_a_promised_rack() -> None:
    plan = plan_scenario(asked(GOLD, SILVER))
    states = {one.name: one.state for one in plan.workloads}
    assert states == {"s-n0": State.MOVED, "s-n2": State.RUNNING, "claim": State.PLACED}
    assert [(move.workload, move.beneficiary) for move in plan.moves] == [("s-n0", "claim")]
    assert plan.evictions == ()


@pytest.mark.parametrize(
    "known",
    [
        asked(replace(GOLD, guarantee={}, quota={"gpu": 16_000}), SILVER),
        asked(GOLD, SILVER, firm=True),
        asked(GOLD, replace(SILVER, quota={"gpu": 24_000}), taken=("n0", "n2", "n3")),
    ],
    ids=["no promise", "it must not stop", "no other place"],
)
def test_it_stays(known: Scenario) -> None:
    plan = plan_scenario(known)
    assert plan.moves == ()
    assert {one.name for one in plan.workloads if one.state is State.RUNNING} == {
        one.name for one in known.workloads if one.name != "claim"
    } - {one.workload for one in plan.evictions}
