"""Room that is kept for who has waited long, and lines without backfill: tables of small clusters."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import Engine
from railwise.engine.events import Finish, Submit
from railwise.model.plan import Reservation, State
from railwise.model.policy import MINUTE, Policy
from railwise.model.queue import Queue
from railwise.model.reason import Code
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Running, Workload
from tests.engine.policies.clusters import planned
from tests.engine.small import flat, gang, group, grouped, racks, request, running, scenario
from tests.engine.virtual_time import lasting
from tests.engine.waits import HEAD, LATE, busy, decide, fate


def test_the_domain_with_fewest_cards_missing_is_kept_first_in_tree_order_among_equals() -> None:
    head = lasting(gang("head", 2, request(8), required="rack"), 0, LATE)
    small = gang("small", 1, request(8))
    missing_two = [busy(["n0", "n1"], name="a"), busy(["n2"], name="b"), busy(["n4"], name="c")]
    plan = decide(racks(2, 2, 2), *missing_two, head, small, gang("other", 1, request(8)))
    assert plan.reservations == (Reservation("head", "p0/r1", ("n2", "n3"), -1),)
    assert fate(plan) == {"head": "TooFragmented", "small": "n5", "other": "Reserved"}


def test_parts_of_nodes_count_card_by_card() -> None:
    head = lasting(gang("head", 2, request(8), required="rack"), 0, LATE)
    plan = decide(racks(2, 2), busy(["n0"], cards=3, name="a"), busy(["n2", "n3"], cards=1, name="b"), head)
    assert plan.reservations[0].domain == "p0/r1"


def test_without_a_required_level_the_nodes_with_fewest_cards_missing_are_kept() -> None:
    head = lasting(gang("head", 2, request(8)), 0, LATE)
    loads = [busy([f"n{node}"], cards=cards, name=f"b{node}") for node, cards in enumerate([8, 2, 5, 1])]
    plan = decide(flat(8, 8, 8, 8), *loads, head, gang("small", 1, request(2)), gang("large", 1, request(6)))
    assert plan.reservations == (Reservation("head", "", ("n1", "n3"), -1),)
    assert fate(plan) == {"head": "TooFragmented", "small": "n2", "large": "Reserved"}


def test_it_is_measured_from_submission() -> None:
    for minutes, kept in ((-9, 0), (-10, 1)):
        head = lasting(gang("head", 2, request(8)), 0, minutes)
        assert len(decide(flat(8, 8), busy(["n0"]), head).reservations) == kept


def test_a_known_start_is_better_than_kept_room() -> None:
    head = lasting(gang("head", 1, request(8)), 0, LATE)
    plan = decide(flat(8, 8), busy(["n0"], name="a"), busy(["n1"], 30, name="b"), head)
    assert plan.reservations == (Reservation("head", "", ("n1",), 30 * MINUTE),)


def test_who_ends_before_the_kept_room_can_be_free_may_use_it() -> None:
    """Two nodes must free, one known to in an hour: nobody is delayed by who has ended by then."""
    head = lasting(gang("head", 3, request(8)), 0, LATE)
    held = [busy(["n0"], name="a"), busy(["n1"], 90, began=30, name="b")]
    for minutes, may in ((60, True), (61, False)):
        plan = decide(flat(8, 8, 8), *held, head, lasting(gang("small", 1, request(8)), minutes))
        assert fate(plan)["small"] == ("n2" if may else "Reserved")
        assert plan.reservations[0].start == -1


def test_newcomers_that_end_in_time_do_not_move_the_time() -> None:
    """What began after the reservation was due counts as gone, or a stream of them would hold the room for ever."""
    head = lasting(gang("head", 3, request(8)), 0, LATE)
    held = [busy(["n0"], name="a"), busy(["n1"], 60, began=5, name="b")]
    plan = decide(flat(8, 8, 8), *held, head, lasting(gang("small", 1, request(8)), 10))
    assert fate(plan)["small"] == "Reserved"


def test_groups_get_the_domain_that_can_hold_them() -> None:
    pair = grouped("pair", group("a", 1, request(8)), group("b", 1, request(4)), required="rack")
    head = lasting(pair, 0, LATE)
    plan = decide(
        racks(1, 2, 2), busy(["n0"], name="x"), busy(["n1"], name="y"), busy(["n3", "n4"], cards=5, name="z"), head
    )
    assert plan.reservations == (Reservation("pair", "p0/r1", ("n1", "n2"), -1),)
    free = replace(head, root=replace(head.root, topology=replace(head.root.topology, required="")))
    plan = decide(
        racks(1, 2, 2), busy(["n0", "n1", "n2"], cards=5, name="x"), busy(["n3", "n4"], cards=6, name="z"), free
    )
    assert len(plan.reservations) == 1
    assert len(plan.reservations[0].nodes) == 2


def test_a_repair_never_keeps_a_domain_for_itself() -> None:
    broken = Workload(
        "broken", Group(pods=2, min_pods=2, request=request(8), running=Running(("n0", None))), submit=LATE * MINUTE
    )
    plan = decide(flat(8, 8), busy(["n1"]), broken)
    assert plan.reservations == ()


# --- without backfill ------------------------------------------------------------------------------------------------


def test_without_backfill_positions_are_counted_in_each_queue() -> None:
    queues = (Queue("a"), Queue("b"))

    def in_queue(name: str, queue: str, pods: int) -> Workload:
        return replace(gang(name, pods, request(8)), queue=queue)

    waiting = [in_queue("a1", "a", 3), in_queue("a2", "a", 1), in_queue("a3", "a", 1), in_queue("b1", "b", 1)]
    plan = decide(flat(8, 8, 8), replace(busy(["n0"]), queue="b"), *waiting, queues=queues, backfill="none")
    assert fate(plan) == {"a1": "NotEnoughFree", "a2": "BehindOthers", "a3": "BehindOthers", "b1": "n1"}
    texts = {one.name: one.reason.summary for one in plan.workloads if one.reason}
    assert texts["a2"].startswith("position 2 in queue 'a'")
    assert texts["a3"].startswith("position 3 in queue 'a'")


def test_without_backfill_what_could_never_start_holds_up_nobody() -> None:
    queues = (Queue("a", limit={"gpu": 16_000}),)
    large = replace(gang("large", 3, request(8)), queue="a")
    stopped = replace(gang("asleep", 1, request(8)), queue="a", suspend=True)
    last = replace(gang("last", 1, request(8)), queue="a")
    plan = decide(flat(8, 8, 8), large, stopped, last, queues=queues, backfill="none")
    assert fate(plan) == {"large": "OverLimit", "asleep": "Suspended", "last": "n0"}


def test_without_backfill_a_workload_that_waits_for_its_queue_s_limit_holds_up_the_next() -> None:
    queues = (Queue("a", limit={"gpu": 16_000}),)
    runs = replace(busy(["n0"]), queue="a")
    plan = decide(
        flat(8, 8, 8),
        runs,
        replace(gang("large", 2, request(8)), queue="a"),
        replace(gang("last", 1, request(8)), queue="a"),
        queues=queues,
        backfill="none",
    )
    assert fate(plan) == {"large": "OverLimit", "last": "BehindOthers"}


def test_without_backfill_repairs_stand_in_no_line() -> None:
    broken = Workload(
        "broken", Group(pods=2, min_pods=2, request=request(8), running=Running(("n0", None))), preemptible=False
    )
    first = replace(gang("first", 3, request(8)), priority=5)
    plan = decide(flat(8, 8, 8), first, broken, backfill="none")
    assert fate(plan) == {"first": "NotEnoughFree"}


# --- rounds ----------------------------------------------------------------------------------------------------------


def test_rounds_in_which_nothing_waits_look_at_nothing() -> None:
    engine = Engine(Scenario("idle", 0, (), tuple(flat(8, 8))))
    assert engine.cycle([Submit(gang("a", 1, request(8)))]).reservations == ()
    assert engine.backfill is not None
    assert engine.backfill.table.future.times() == []
    assert engine.backfill.table.promises == []


def test_a_reservation_is_made_anew_in_every_round() -> None:
    engine = Engine(replace(scenario(flat(8, 8), lasting(running("busy", ["n0"], request(8)), 60)), topologies=()))
    assert [one.start for one in engine.cycle([Submit(HEAD)], 0).reservations] == [60 * MINUTE]
    assert [one.start for one in engine.cycle([], 10 * MINUTE).reservations] == [60 * MINUTE]
    plan = engine.cycle([Finish("busy")], 20 * MINUTE)
    assert plan.reservations == ()
    assert fate(plan) == {"head": "n0 n1"}


def test_the_state_is_as_before_after_every_look() -> None:
    loads = [busy([f"n{node}"], 10 * node, cards=node % 8 + 1, name=f"b{node}") for node in range(12)]
    waits = [lasting(gang(f"w{size}", size, request(8), required="rack"), 30 * size, LATE) for size in range(1, 5)]
    known = replace(scenario(racks(4, 4, 4), *loads), policy=Policy(reservations=3))
    engine = Engine(known)
    engine.cycle([])
    before, running_before = engine.state.snapshot(), {name: dict(one.pods) for name, one in engine.records.items()}
    plan = engine.cycle([Submit(one) for one in waits])
    placed = [one.name for one in plan.workloads if one.state is State.PLACED]
    engine.cycle([Finish(name) for name in placed])
    assert {name: dict(one.pods) for name, one in engine.records.items() if one.pods} == running_before
    assert [list(one.pods) for one in engine.records.values() if one.pods] == [
        list(pods) for pods in running_before.values()
    ]
    assert engine.state.snapshot()[0] == before[0]


def test_baselines_reserve_nothing() -> None:
    plan = planned("flat", flat(8, 8), busy(["n0"], 60), HEAD, gang("small", 1, request(8)))
    assert fate(plan)["small"] == "n1"
    assert plan.reservations == ()


def test_the_reason_names_for_whom_and_until_when() -> None:
    plan = decide(flat(8, 8), busy(["n0"], 90), HEAD, gang("small", 1, request(8)))
    reason = next(one.reason for one in plan.workloads if one.name == "small")
    assert reason is not None
    assert reason.code is Code.RESERVED
    assert reason.summary == "would delay head, for which the room is kept and which is expected to start in 1h30m"
    late = replace(HEAD, submit=LATE * MINUTE)
    plan = decide(flat(8, 8), busy(["n0"]), late, gang("small", 1, request(8)))
    reason = next(one.reason for one in plan.workloads if one.name == "small")
    assert reason is not None
    assert reason.summary == "the free room is kept for head, which has waited 20m and whose start is not known"
