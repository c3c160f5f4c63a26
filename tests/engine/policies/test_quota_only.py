"""Admission by quota alone: what Kueue decides without topology, on the books of nominal quotas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from railwise.engine.cycle import Engine, Finish, Submit, plan_scenario
from railwise.engine.policies import by_name
from railwise.model.plan import Plan
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.policies.clusters import gang, racks, request, running, scenario


def queue(name: str, gpus: int = -1, **more: object) -> Queue:
    return Queue(name, quota={} if gpus < 0 else {"gpu": gpus * 1000}, **more)  # type: ignore[arg-type]


def of(name: str, workload: Workload, priority: int = 0) -> Workload:
    return replace(workload, queue=name, priority=priority)


def shared(queues: Sequence[Queue], *workloads: Workload, nodes: int = 2) -> Scenario:
    return replace(scenario(racks(nodes), *workloads), queues=tuple(queues))


def states(plan: Plan) -> dict[str, str]:
    return {one.name: one.reason.code.value if one.reason else one.state.value for one in plan.workloads}


def decided(queues: Sequence[Queue], *workloads: Workload, nodes: int = 2) -> dict[str, str]:
    return states(plan_scenario(shared(queues, *workloads, nodes=nodes), by_name("quota")))


TWO = (queue("a", 8), queue("b", 8))


def test_quota_may_be_borrowed_from_the_cohort_as_long_as_it_is_unused() -> None:
    assert decided(TWO, of("a", gang("w", 2, request(8)))) == {"w": "placed"}
    busy = of("b", running("busy", ["n0"], request(8)))
    assert decided(TWO, busy, of("a", gang("w", 2, request(8))), nodes=3)["w"] == "WaitingForQuota"


def test_nodes_beyond_all_quotas_are_nobodys() -> None:
    assert decided(TWO, of("a", gang("w", 3, request(8))), nodes=4) == {"w": "WaitingForQuota"}


def test_what_is_kept_back_is_not_lent_and_a_limit_holds() -> None:
    keeps = (queue("a", 8), queue("b", 8, lend={"gpu": 0}))
    assert decided(keeps, of("a", gang("w", 2, request(8)))) == {"w": "WaitingForQuota"}
    limited = (queue("a", 8, limit={"gpu": 12000}), queue("b", 8))
    assert decided(limited, of("a", gang("w", 2, request(8)))) == {"w": "OverLimit"}


def test_a_gang_that_fits_nowhere_is_admitted_and_holds_quota_that_others_wait_for() -> None:
    hog = of("a", running("hog", ["n0", "n1"], request(5)))
    queues = (queue("a", 10), queue("b", 8))
    known = shared(queues, hog, of("b", gang("stuck", 2, request(4))), of("b", gang("next", 1, request(1))))
    assert states(plan_scenario(known, by_name("quota"))) == {
        "hog": "running",
        "stuck": "NotEnoughFree",
        "next": "WaitingForQuota",
    }
    assert states(plan_scenario(known))["next"] == "placed"


def test_it_stays_admitted_and_comes_first_until_it_has_gone() -> None:
    hog = of("a", running("hog", ["n0", "n1"], request(5)))
    queues = (queue("a", 10), queue("b", 8))
    stuck, other = of("b", gang("stuck", 2, request(4))), of("b", gang("next", 1, request(1)), priority=9)
    engine = Engine(shared(queues, hog, stuck), by_name("quota"))
    assert states(engine.cycle(())) == {"stuck": "NotEnoughFree"}
    assert states(engine.cycle([Submit(other)], 1)) == {"stuck": "NotEnoughFree", "next": "WaitingForQuota"}
    assert states(engine.cycle([Finish("stuck")], 2)) == {"next": "placed"}


def test_heads_that_need_not_borrow_come_first_then_priority_then_time() -> None:
    borrower = of("a", gang("borrower", 2, request(8)), priority=9)
    modest = of("b", gang("modest", 1, request(8)))
    assert decided(TWO, borrower, modest, nodes=3) == {"borrower": "WaitingForQuota", "modest": "placed"}
    urgent, early = of("b", gang("urgent", 1, request(8)), priority=5), of("a", gang("early", 1, request(8)))
    assert decided(TWO, early, urgent, nodes=1) == {"early": "NotEnoughFree", "urgent": "placed"}


def test_a_misfit_is_moved_aside_for_the_next_of_its_queue() -> None:
    assert decided(TWO, of("a", gang("large", 3, request(8))), of("a", gang("small", 1, request(8))), nodes=4) == {
        "large": "WaitingForQuota",
        "small": "placed",
    }


def test_the_cohort_above_counts_and_sub_cohorts_borrow_from_it() -> None:
    queues = (
        queue("left"),
        queue("l1", 8, parent="left"),
        queue("l2", 0, parent="left"),
        queue("right"),
        queue("r1", 8, parent="right"),
    )
    assert decided(queues, of("l2", gang("w", 2, request(8)))) == {"w": "placed"}
    busy = of("r1", running("busy", ["n0"], request(8)))
    assert decided(queues, busy, of("l2", gang("w", 2, request(8))), nodes=3)["w"] == "WaitingForQuota"


def test_without_queues_everything_is_admitted() -> None:
    assert states(plan_scenario(scenario(racks(2), gang("w", 2, request(8))), by_name("quota"))) == {"w": "placed"}


def test_its_pods_are_spread_by_the_default_scheduler() -> None:
    known = shared((queue("a", 64),), of("a", gang("w", 3, request(1))), nodes=8)
    quota, spread = plan_scenario(known, by_name("quota", 3)), plan_scenario(known, by_name("spread", 3))
    assert quota.workloads == spread.workloads
    assert len({pod.node for pod in quota.workloads[0].pods}) > 1
