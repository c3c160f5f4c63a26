"""One line in which nobody overtakes, by time or by priority."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import Engine, Finish, Submit
from railwise.engine.policies import by_name
from railwise.model.plan import Plan
from railwise.model.queue import Queue
from railwise.model.reason import Code
from railwise.model.workload import Workload
from tests.engine.policies.clusters import gang, planned, racks, request, running, scenario


def states(plan: Plan) -> dict[str, str]:
    """Return the state of every workload, or the code for which it waits."""
    return {one.name: one.reason.code.value if one.reason else one.state.value for one in plan.workloads}


def ranked(workload: Workload, priority: int, submit: int = 0) -> Workload:
    return replace(workload, priority=priority, submit=submit)


BUSY = running("busy", ["n0"], request(8))
WIDE = gang("wide", 2, request(8))
SMALL = gang("small", 1, request(8))


def test_behind_the_first_that_waits_nobody_starts_though_there_is_room() -> None:
    assert states(planned("fifo", racks(2), BUSY, WIDE, SMALL)) == {
        "busy": "running",
        "wide": "NotEnoughFree",
        "small": "BehindOthers",
    }
    assert states(planned("flat", racks(2), BUSY, WIDE, SMALL))["small"] == "placed"


def test_who_waits_behind_knows_its_position_and_for_whom() -> None:
    plan = planned("fifo", racks(2), BUSY, WIDE, SMALL, replace(SMALL, name="later"))
    reason = plan.workloads[3].reason
    assert reason is not None
    assert reason.code is Code.BEHIND_OTHERS
    assert reason.summary == "number 2 behind wide, which waits for room; nobody overtakes"


def test_what_does_not_fit_either_is_told_that() -> None:
    assert states(planned("fifo", racks(2), BUSY, WIDE, replace(WIDE, name="wider")))["wider"] == "NotEnoughFree"


def test_fifo_goes_by_time_and_priority_by_priority() -> None:
    early, urgent = ranked(gang("early", 1, request(8)), 0, 1), ranked(gang("urgent", 1, request(8)), 9, 2)
    assert states(planned("fifo", racks(1), urgent, early)) == {"urgent": "NotEnoughFree", "early": "placed"}
    assert states(planned("priority", racks(1), urgent, early)) == {"urgent": "placed", "early": "NotEnoughFree"}
    assert states(planned("priority", racks(1), early, replace(urgent, priority=0)))["early"] == "placed"


def test_one_line_for_all_queues_and_no_quota_holds() -> None:
    queues = (Queue("a", quota={"gpu": 8000}, limit={"gpu": 8000}), Queue("b", quota={"gpu": 8000}))
    first = replace(gang("first", 2, request(8)), queue="a")
    known = replace(scenario(racks(2), first, replace(SMALL, queue="b")), queues=queues)
    assert states(Engine(known, by_name("fifo")).cycle(())) == {"first": "placed", "small": "NotEnoughFree"}


def test_the_door_and_what_never_fits_block_nobody() -> None:
    huge = gang("huge", 9, request(8))
    held = replace(WIDE, name="held", suspend=True)
    lost = replace(WIDE, name="lost", queue="nowhere")
    assert states(planned("fifo", racks(2), BUSY, huge, held, lost, SMALL)) == {
        "busy": "running",
        "huge": "NeverFits",
        "held": "Suspended",
        "lost": "UnknownQueue",
        "small": "placed",
    }


def test_lost_pods_come_back_before_the_line_and_do_not_block_it() -> None:
    hurt = running("hurt", ["n0", None, None], request(8))
    plan = planned("fifo", racks(2), ranked(SMALL, 0, 0), hurt)
    assert states(plan)["small"] == "placed"
    one = running("hurt", ["n0", None], request(8))
    plan = planned("fifo", racks(2), ranked(SMALL, 0, 0), one)
    assert states(plan) == {"small": "NotEnoughFree", "hurt": "running"}


def test_every_round_looks_at_the_line_anew() -> None:
    engine = Engine(scenario(racks(2), BUSY, WIDE, SMALL), by_name("fifo"))
    engine.cycle(())
    second = engine.cycle([Finish("wide")], 1)
    assert states(second) == {"small": "placed"}
    third = engine.cycle([Finish("busy"), Submit(replace(WIDE, name="again")), Submit(replace(SMALL, name="s2"))], 2)
    assert states(third) == {"again": "NotEnoughFree", "s2": "BehindOthers"}
