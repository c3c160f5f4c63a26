"""Slurm: whole nodes by switch, priority, and starts that are planned and not delayed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine, Finish
from railwise.engine.policies import by_name
from railwise.engine.policies.whole_nodes import take
from railwise.model.plan import Plan
from railwise.model.queue import Queue
from railwise.model.workload import Workload
from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running, scenario
from tests.engine.small import flat, group, grouped

HOUR = 3600 * 1_000_000


def states(plan: Plan) -> dict[str, str]:
    return {one.name: one.reason.code.value if one.reason else one.state.value for one in plan.workloads}


def lasting(hours: int, workload: Workload, priority: int = 0) -> Workload:
    return replace(workload, duration=hours * HOUR, priority=priority)


def test_nobody_shares_a_node_with_another_job() -> None:
    busy = running("a", ["n0"], request(1))
    assert nodes_of(last(planned("slurm", racks(2), busy, gang("w", 4, request(1))))) == ["n1"] * 4
    plan = planned("slurm", racks(2), busy, gang("w", 1, request(1)), gang("v", 1, request(1)))
    assert states(plan) == {"a": "running", "w": "placed", "v": "Unproven"}


def test_pods_of_a_group_share_nodes_and_groups_do_not() -> None:
    two = grouped("w", group("x", 2, request(4)), group("y", 2, request(2)))
    assert nodes_of(last(planned("slurm", racks(2), two))) == ["n0", "n0", "n1", "n1"]


def test_the_lowest_switch_that_holds_it_and_of_these_the_fullest() -> None:
    busy = running("a", ["n0"], request(8))
    nodes = racks(3, 2, 3, 2)
    assert nodes_of(last(planned("slurm", nodes, busy, gang("w", 2, request(8))))) == ["n1", "n2"]
    assert nodes_of(last(planned("slurm", nodes, busy, gang("w", 3, request(8))))) == ["n5", "n6", "n7"]
    assert nodes_of(last(planned("slurm", nodes, busy, gang("w", 4, request(8))))) == ["n1", "n2", "n3", "n4"]


def test_over_several_leaves_the_largest_first_then_the_smallest_that_holds_the_rest() -> None:
    nodes = racks(3, 2, 1, per_superpod=3)
    assert nodes_of(last(planned("slurm", nodes, gang("w", 4, request(8))))) == ["n0", "n1", "n2", "n5"]
    assert nodes_of(last(planned("slurm", nodes, gang("w", 5, request(8))))) == ["n0", "n1", "n2", "n3", "n4"]


def test_rules_about_the_topology_are_not_read() -> None:
    busy = [running("a", ["n0"], request(8)), running("b", ["n2"], request(8))]
    placed = last(planned("slurm", racks(2, 2), *busy, gang("w", 2, request(8), required="rack")))
    assert nodes_of(placed) == ["n1", "n3"]


def test_without_a_topology_runs_of_neighbours_by_best_fit() -> None:
    nodes = flat(*[8] * 8)
    busy = [running("a", ["n2"], request(8)), running("b", ["n5"], request(8))]
    known = replace(scenario(nodes, *busy, gang("w", 2, request(8))), topologies=())
    plan = Engine(known, by_name("slurm")).cycle(())
    assert nodes_of(last(plan)) == ["n0", "n1"]
    wide = replace(known, workloads=(*known.workloads[:2], gang("w", 3, request(8))))
    assert nodes_of(last(Engine(wide, by_name("slurm")).cycle(()))) == ["n0", "n1", "n3"]


@pytest.mark.parametrize(
    ("pods", "expected"), [(1, [9]), (2, [4, 5]), (4, [0, 1, 2, 9]), (6, [0, 1, 2, 4, 5, 9]), (9, [0, 1, 2, 4, 5, 9])]
)
def test_best_fit_of_groups(pods: int, expected: list[int]) -> None:
    groups = [[0, 1, 2], [4, 5], [9]]
    assert take(groups, {node: 1 for one in groups for node in one}, pods) == expected


BUSY = lasting(4, running("busy", ["n0"], request(8)))
WIDE = lasting(2, gang("wide", 2, request(8)))


def test_a_later_job_starts_if_it_ends_before_the_planned_start() -> None:
    short, long = lasting(3, gang("short", 1, request(8))), lasting(5, gang("long", 1, request(8)))
    assert states(planned("slurm", racks(2), BUSY, WIDE, short))["short"] == "placed"
    plan = planned("slurm", racks(2), BUSY, WIDE, long)
    assert states(plan)["long"] == "Reserved"
    reason = last(plan).reason
    assert reason is not None
    assert reason.summary == "it would delay the planned start of a job before it (wide)"
    endless = gang("endless", 1, request(8))
    assert states(planned("slurm", racks(2), BUSY, WIDE, endless))["endless"] == "Reserved"


def test_planned_starts_stand_in_the_plan() -> None:
    (kept,) = planned("slurm", racks(2), BUSY, WIDE).reservations
    assert (kept.workload, kept.nodes, kept.start) == ("wide", ("n0", "n1"), 4 * HOUR)
    assert planned("fifo", racks(2), BUSY, WIDE).reservations == ()


def test_or_if_it_finds_a_node_that_nobody_planned() -> None:
    long = lasting(99, gang("long", 1, request(8)))
    busy = lasting(4, running("busy", ["n0", "n1"], request(8)))
    plan = planned("slurm", racks(3), busy, lasting(2, gang("wide", 2, request(8))), long)
    assert states(plan) == {"busy": "running", "wide": "NotEnoughFree", "long": "placed"}


def test_every_job_that_waits_is_planned_not_only_the_first() -> None:
    busy = [lasting(2, running("one", ["n0"], request(8))), lasting(4, running("two", ["n1"], request(8)))]
    wide = lasting(1, gang("wide", 2, request(8)))
    wider = lasting(1, gang("wider", 3, request(8)))
    filler = lasting(4, gang("filler", 1, request(8)))
    plan = planned("slurm", racks(3), *busy, wide, wider, filler)
    assert states(plan)["filler"] == "Reserved"
    assert states(planned("slurm", racks(3), *busy, wide, wider, lasting(2, filler)))["filler"] == "placed"


def test_without_a_known_end_nothing_is_planned_and_nobody_is_held_up() -> None:
    endless = running("busy", ["n0"], request(8))
    long = lasting(99, gang("long", 1, request(8)))
    assert states(planned("slurm", racks(2), endless, WIDE, long))["long"] == "placed"
    late = lasting(30, running("busy", ["n0"], request(8)))
    assert states(planned("slurm", racks(2), late, WIDE, long))["long"] == "placed"


def test_priority_decides_who_is_planned_first() -> None:
    urgent = lasting(5, gang("urgent", 1, request(8)), priority=9)
    assert states(planned("slurm", racks(2), BUSY, WIDE, urgent))["urgent"] == "placed"


def test_limits_hold_and_quotas_do_not() -> None:
    limited = Queue("a", quota={"gpu": 8000}, limit={"gpu": 16000})
    works = [replace(gang(f"w{number}", 1, request(8)), queue="a") for number in range(3)]
    known = replace(scenario(racks(4), *works), queues=(limited, Queue("b", quota={"gpu": 32000}, lend={"gpu": 0})))
    assert states(Engine(known, by_name("slurm")).cycle(())) == {"w0": "placed", "w1": "placed", "w2": "OverLimit"}


def test_planning_leaves_the_state_as_it_was_and_is_made_anew_each_round() -> None:
    engine = Engine(scenario(racks(2), BUSY, WIDE), by_name("slurm"))
    engine.cycle(())
    before = engine.state.snapshot()
    engine.cycle((), 1)
    assert engine.state.snapshot() == before
    assert states(engine.cycle([Finish("busy")], HOUR)) == {"wide": "placed"}


def test_a_lost_pod_may_come_back_beside_its_own() -> None:
    hurt = running("hurt", ["n0", None], request(4))
    plan = planned("slurm", racks(1), hurt)
    assert nodes_of(last(plan)) == ["n0", "n0"]
