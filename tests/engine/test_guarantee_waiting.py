"""Guarantees and reservations: who waits for a promise is promised no start that the promise would forbid."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.events import Submit
from railwise.model.plan import State
from railwise.model.queue import Queue
from railwise.model.reason import Code
from tests.engine.small import gang, racks, request, running
from tests.engine.test_guarantee import GOLD, OTHER, SILVER, books, decided, engine, firm, outcome, soft

HOUR = 3_600_000_000


def test_nothing_is_kept_for_a_start_that_a_promise_forbids() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER], firm("silver", running("s", ["n0", "n1"], request(8))))
    plan = made.cycle([Submit(firm("silver", gang("late", 1, request(8))))])
    assert plan.reservations == ()
    assert outcome(decided(made, soft("silver", gang("short", 2, request(8))))) == ["n2", "n3"]


def test_a_start_is_promised_for_when_firm_work_has_ended() -> None:
    """What runs in the first rack ends after an hour: then the other firm workload may have it, and gold the second."""
    ends = replace(firm("silver", running("s", ["n0", "n1"], request(8))), duration=HOUR)
    made = engine(racks(2, 2), [GOLD, SILVER], ends)
    before = dict(books(made).stands), [list(level) for level in books(made).kept.kind], made.state.snapshot()
    plan = made.cycle([Submit(replace(firm("silver", gang("late", 2, request(8), required="rack")), duration=HOUR))])
    (kept,) = plan.reservations
    assert (kept.workload, kept.start, kept.nodes) == ("late", HOUR, ("n0", "n1"))
    assert (dict(books(made).stands), books(made).kept.kind, made.state.snapshot()) == before


def test_victims_are_no_way_round_a_promise() -> None:
    """Low is evicted for nobody where its place is promised to another queue."""
    queues = [Queue("a", guarantee={"rack": 1}), Queue("b", guarantee={"rack": 1}), OTHER]
    low = soft("other", running("low", ["n2", "n3"], request(8)))
    made = engine(racks(2, 2), queues, firm("a", running("w", ["n0", "n1"], request(8))), low)
    high = replace(firm("other", gang("high", 1, request(8))), priority=100)
    plan = made.cycle([Submit(high)])
    (one,) = [one for one in plan.workloads if one.name == "high"]
    assert one.state is State.PENDING
    assert one.reason is not None
    assert one.reason.code in {Code.RESERVED, Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED}
    assert plan.evictions == ()
