"""What-ifs: the changed document, and the difference between two whole plans."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import plan_scenario
from railwise.engine.what_if import Difference, Effect, differences, drained, lost_work, outlook, with_quota
from railwise.model.plan import Reservation
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Checkpoint, Workload
from tests.engine.small import flat, gang, group, grouped, racks, request, running, scenario
from tests.examples import examples
from tests.oracle.instances import crowd

HOUR = 3600 * 1_000_000


def compared(base: Scenario, changed: Scenario, *left: str) -> dict[str, Effect]:
    found = differences(base, plan_scenario(base), plan_scenario(changed), left)
    return {one.name: one.effect for one in found}


def added(base: Scenario, *names: str, priority: int = 0) -> Scenario:
    new = [replace(gang(name, 1, request(8)), order=100, priority=priority) for name in names]
    return replace(base, workloads=(*base.workloads, *new))


def since(workload: Workload, start: int) -> Workload:
    """Return a running workload that started at another time."""
    where = workload.root.running
    assert where is not None
    return replace(workload, root=replace(workload.root, running=replace(where, since=start)))


def test_nothing_asked_is_no_difference() -> None:
    known = scenario(racks(2), running("a", ["n0"], request(8)), gang("b", 1, request(8)), gang("c", 1, request(8)))
    assert compared(known, known) == {}
    assert drained(known, []) == known


def test_who_is_submitted_starts_or_not_and_whom_it_displaces() -> None:
    known = scenario(racks(2), running("a", ["n0"], request(8)), gang("b", 1, request(8)))
    assert compared(known, added(known, "new")) == {"new": Effect.STAYS_OUT}
    assert compared(known, added(known, "new", priority=9)) == {"b": Effect.STAYS_OUT, "new": Effect.STARTS}
    full = scenario(racks(1), running("a", ["n0"], request(8)))
    assert compared(full, added(full, "new", priority=9)) == {"a": Effect.STOPS, "new": Effect.STARTS}


def test_a_drained_node_keeps_none_of_its_pods_and_gets_none() -> None:
    known = scenario(racks(3), running("a", ["n0", "n1"], request(4)), gang("b", 1, request(8)))
    changed = drained(known, ["n0"])
    running_now = changed.workloads[0].root.running
    assert running_now is not None
    assert running_now.nodes == (None, "n1")
    assert [node.unschedulable for node in changed.nodes] == [True, False, False]
    assert compared(known, changed) == {"a": Effect.MOVES}
    plan = plan_scenario(changed)
    assert all(pod.node != "n0" for one in plan.workloads for pod in one.pods)


def test_what_no_longer_fits_stops() -> None:
    known = scenario(racks(2), running("a", ["n0"], request(8)), running("b", ["n1"], request(8)))
    assert compared(known, drained(known, ["n1"])) == {"b": Effect.STOPS}
    both = scenario(racks(2), running("a", ["n0", "n1"], request(8)))
    both = replace(both, workloads=(replace(both.workloads[0], root=replace(both.workloads[0].root, min_pods=1)),))
    assert compared(both, drained(both, ["n1"])) == {"a": Effect.FEWER}


def test_groups_are_drained_at_every_depth() -> None:
    work = grouped("w", group("x", 1, request(4)), group("y", 1, request(4)))
    inside = running("x", ["n0"], request(4)).root.running
    first, second = work.root.groups
    work = replace(
        work, root=replace(work.root, groups=(replace(first, running=inside), replace(second, running=inside)))
    )
    known = scenario(racks(2), work)
    assert compared(known, drained(known, ["n0"])) == {"w": Effect.MOVES}


def test_another_quota_changes_who_may_stay() -> None:
    queues = (Queue("a", quota={"gpu": 8000}), Queue("b", quota={"gpu": 8000}))
    works = (
        replace(running("two", ["n1"], request(8)), queue="a"),
        replace(running("one", ["n0"], request(8)), queue="a"),
        replace(gang("claim", 1, request(8)), queue="b"),
    )
    known = replace(scenario(racks(2), *works), queues=queues)
    changed = with_quota(known, "a", {"gpu": 16000})
    assert [queue.quota for queue in changed.queues] == [{"gpu": 16000}, {"gpu": 8000}]
    stopped = [one.workload for one in plan_scenario(known).evictions]
    assert len(stopped) == 1
    assert compared(known, with_quota(known, "b", {"gpu": 0})) == {stopped[0]: Effect.STAYS, "claim": Effect.STAYS_OUT}


def test_more_pods_another_reason_and_who_is_gone() -> None:
    elastic = gang("e", 4, request(8))
    elastic = replace(elastic, root=replace(elastic.root, min_pods=1))
    known = scenario(racks(2), elastic, gang("w", 3, request(8)))
    wider = replace(known, nodes=tuple(racks(3)))
    assert compared(known, wider) == {"e": Effect.MORE, "w": Effect.REASON}
    fewer = replace(known, workloads=known.workloads[:1])
    assert compared(known, fewer) == {}
    assert compared(fewer, known) == {"w": Effect.STAYS_OUT}


def test_lost_work_is_that_of_pods_that_must_leave_and_of_a_training_gang_whole() -> None:
    batch = since(running("batch", ["n0", "n1"], request(8)), -HOUR)
    trained = since(running("trained", ["n0", "n2"], request(4), kind="training"), -HOUR)
    trained = replace(trained, checkpoint=Checkpoint(every=HOUR // 3 * 2))
    known = scenario(flat(16, 8, 8), batch, trained)
    assert lost_work(known, ["n0"]) == {"batch": 8 * 3600, "trained": 8 * 1200}
    assert lost_work(known, ["n2"]) == {"trained": 8 * 1200}
    assert lost_work(known, ["elsewhere"]) == {}


def test_the_outlook_names_the_earliest_known_end_and_every_step_that_helps() -> None:
    first = replace(running("first", ["n0"], request(8)), duration=HOUR)
    second = replace(running("second", ["n1"], request(8)), duration=2 * HOUR)
    known = scenario(racks(2, 2), first, second, running("third", ["n2"], request(8)), gang("w", 2, request(8), "rack"))
    found = outlook(known, replace(plan_scenario(known), reservations=()), "w")
    assert (found.start, found.after) == (2 * HOUR, "second")
    assert found.steps == ("would fit if third ends", "would fit now with `pods: 1`")
    blind = scenario(racks(1), running("endless", ["n0"], request(8)), gang("w", 1, request(8)))
    assert outlook(blind, plan_scenario(blind), "w").start == -1


def test_a_reservation_is_a_promise_that_goes_before_a_guess() -> None:
    first = replace(running("first", ["n0"], request(8)), duration=HOUR)
    known = scenario(racks(1), first, gang("w", 1, request(8)))
    plan = replace(plan_scenario(known), reservations=(Reservation("w", "r0", ("n0",), 5 * HOUR),))
    found = outlook(known, plan, "w")
    assert (found.start, found.after) == (5 * HOUR, "")


@examples(20)
@given(st.integers(0, 2**32 - 1))
def test_differences_are_mirrored_and_asking_changes_nothing(seed: int) -> None:
    known = crowd(seed)
    if not known.nodes:
        return
    changed = drained(known, [known.nodes[0].name])
    before, after = plan_scenario(known), plan_scenario(changed)
    there = differences(known, before, after)
    back = differences(known, after, before)
    assert {one.name for one in there} == {one.name for one in back}
    assert all(_mirrored(one, other) for one in there for other in back if one.name == other.name)
    waiting = [one.name for one in after.workloads if one.reason is not None]
    for name in waiting[:2]:
        assert outlook(changed, after, name) == outlook(changed, after, name)
    assert plan_scenario(known) == before


def _mirrored(there: Difference, back: Difference) -> bool:
    pairs = {
        Effect.STARTS: Effect.STAYS_OUT,
        Effect.STAYS_OUT: Effect.STARTS,
        Effect.STAYS: Effect.STOPS,
        Effect.STOPS: Effect.STAYS,
        Effect.MORE: Effect.FEWER,
        Effect.FEWER: Effect.MORE,
    }
    return back.effect is pairs.get(there.effect, there.effect)
