"""Ceilings of queues stand before every search: for the minimum, for surplus, and after somebody has gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Finish
from railwise.model.plan import State, WorkloadPlan
from railwise.model.queue import Queue
from railwise.model.reason import Code
from railwise.model.workload import Alternative, Group, Workload
from tests.engine.policies.clusters import scenario
from tests.engine.small import asks_share, flat, gang, group, request, submitted

TEAM = Queue("team", limit={"gpu": 8000, "cpu": 10_000})
LEAF = Queue("leaf", parent="team")
SMALL = Queue("small", parent="team", limit={"gpu": 2500})


def _engine() -> Engine:
    made = Engine(replace(scenario(flat(8, 8)), queues=(TEAM, LEAF, SMALL)))
    made.cycle(())
    return made


def _in(queue: str, workload: Workload) -> Workload:
    return replace(workload, queue=queue)


def _code(plan: WorkloadPlan) -> Code | None:
    return None if plan.reason is None else plan.reason.code


@pytest.mark.parametrize(
    ("queue", "workload", "code"),
    [
        ("leaf", gang("a", 8, request(1)), None),
        ("leaf", gang("a", 9, request(1)), Code.OVER_LIMIT),
        ("small", gang("a", 2, request(1)), None),
        ("small", gang("a", 3, request(1)), Code.OVER_LIMIT),
        ("small", gang("a", 5, asks_share(part=500)), None),
        ("small", gang("a", 6, asks_share(part=500)), Code.OVER_LIMIT),
        ("leaf", gang("a", 2, request(0, cpu=5_000)), None),
        ("leaf", gang("a", 2, request(0, cpu=5_001)), Code.OVER_LIMIT),
        ("leaf", gang("a", 2, request(0, memory=10**6)), None),  # a resource that no limit names does not count
    ],
)
def test_a_limit_is_a_ceiling_for_all_below(queue: str, workload: Workload, code: Code | None) -> None:
    assert _code(submitted(_engine(), _in(queue, workload))) is code


def test_what_runs_counts_until_it_has_gone() -> None:
    lived = _engine()
    submitted(lived, _in("small", gang("a", 2, request(1))))
    assert _code(submitted(lived, _in("leaf", gang("b", 7, request(1))))) is Code.OVER_LIMIT
    (plan,) = lived.cycle([Finish("a")]).workloads
    assert (plan.name, plan.state) == ("b", State.PLACED)


def test_surplus_stops_at_the_limit() -> None:
    workload = _in("leaf", gang("a", 1, request(1)))
    plan = submitted(_engine(), replace(workload, root=group("", 12, request(1), least=3)))
    assert len(plan.pods) == 8


def test_an_alternative_below_the_limit_is_taken() -> None:
    roots = (Group(pods=9, min_pods=9, request=request(1)), Group(pods=4, min_pods=4, request=request(1)))
    ways = tuple(Alternative(root, 1000 + number) for number, root in enumerate(roots))
    plan = submitted(_engine(), _in("leaf", replace(gang("a", 9, request(1)), alternatives=ways)))
    assert (plan.alternative, len(plan.pods)) == (1, 4)


def test_a_refusal_by_the_limit_names_queue_and_figures() -> None:
    lived = _engine()
    submitted(lived, _in("small", gang("a", 3, asks_share(part=500))))
    reason = submitted(lived, _in("small", gang("b", 2, request(1)))).reason
    assert reason is not None
    assert "'small'" in reason.summary
    assert [figure in reason.summary for figure in ("2.5", "1.5")] == [True, True]
