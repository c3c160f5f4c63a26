"""How queues stand: the books before a decision, and the steps that led to the fair shares."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from railwise.engine.cycle import plan_scenario
from railwise.engine.standing import Books, books
from railwise.engine.views import fair_shares
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.small import flat, gang, request, running, scenario


def into(queue: str, workload: Workload) -> Workload:
    return replace(workload, queue=queue)


def shared(*queues: Queue, nodes: int = 4, workloads: tuple[Workload, ...] = ()) -> Scenario:
    return replace(scenario(flat(*[8] * nodes), *workloads), queues=queues)


def gpus(found: Books, name: str) -> dict[str, int]:
    """Return the GPUs of a queue by column."""
    one = found.of(name)
    assert one is not None
    columns = {
        "quota": one.quota,
        "fair": one.fair,
        "allocated": one.allocated,
        "borrowed": one.borrowed,
        "lent": one.lent,
        "pending": one.pending,
    }
    return {column: amounts.get("gpu", 0) // 1000 for column, amounts in columns.items()}


TEAMS = (Queue("all", quota={"gpu": 32000}), Queue("a", "all", {"gpu": 16000}), Queue("b", "all", {"gpu": 16000}))
BUSY = (
    into("a", running("one", ["n0", "n1", "n2"], request(8))),
    into("b", gang("two", 1, request(8))),
    into("b", gang("huge", 9, request(8))),
)


def test_columns_of_a_borrower_a_lender_and_their_parent() -> None:
    found = books(shared(*TEAMS, workloads=BUSY))
    assert [(one.queue.name, one.depth) for one in found.queues] == [("all", 0), ("a", 1), ("b", 1)]
    assert gpus(found, "a") == {"quota": 16, "fair": 24, "allocated": 24, "borrowed": 8, "lent": 0, "pending": 0}
    assert gpus(found, "b") == {"quota": 16, "fair": 8, "allocated": 0, "borrowed": 0, "lent": 8, "pending": 8}
    assert gpus(found, "all") == {"quota": 32, "fair": 32, "allocated": 24, "borrowed": 0, "lent": 0, "pending": 8}
    assert [one.share for one in found.queues] == [Fraction(3, 4), Fraction(1), Fraction(0)]
    assert [(one.running, one.waiting) for one in found.queues] == [(1, 2), (1, 0), (0, 2)]


def test_nothing_is_decided_and_the_shares_are_those_of_a_round() -> None:
    known = shared(*TEAMS, workloads=BUSY)
    found = books(known)
    assert {one.queue.name: one.fair for one in found.queues} == {
        name: due for name, due in fair_shares(known).items() if name != "default"
    }
    assert gpus(found, "b")["allocated"] == 0
    assert plan_scenario(known).workloads[1].pods


def test_without_queues_there_is_one_without_limits() -> None:
    found = books(shared(workloads=(gang("a", 2, request(8)), running("b", ["n0"], request(4)))))
    assert [one.queue.name for one in found.queues] == ["default"]
    assert gpus(found, "default") == {
        "quota": 0,
        "fair": 20,
        "allocated": 4,
        "borrowed": 0,
        "lent": 0,
        "pending": 16,
    }


def test_a_queue_in_no_tree_is_shown_with_nothing() -> None:
    lost = Queue("lost", "nowhere", {"gpu": 8000})
    found = books(shared(Queue("a"), lost, workloads=(into("lost", gang("w", 1, request(1))),)))
    one = found.of("lost")
    assert one is not None
    assert (one.sound, one.fair, one.waiting) == (False, {}, 1)
    assert found.of("nowhere") is None


def test_what_is_held_by_whom_is_due_nothing_is_an_endless_share() -> None:
    queues = (Queue("a", quota={"gpu": 32000}), Queue("b"))
    held = into("b", running("held", ["n0"], request(8)))
    found = books(shared(*queues, workloads=(held, into("a", gang("w", 4, request(8))))))
    one = found.of("b")
    assert one is not None
    assert (one.share, one.dominant) == (None, "gpu")


def test_the_dominant_resource_is_the_one_with_the_largest_share() -> None:
    nodes = flat(8, 8, cpu=16_000)
    queues = (Queue("a", quota={"gpu": 16000, "cpu": 32000}), Queue("b", quota={}))
    work = running("w", ["n0"], request(1, cpu=12_000))
    more = gang("more", 1, request(1, cpu=16_000))
    known = replace(scenario(nodes, into("a", work), into("a", more)), queues=queues)
    one = books(known).of("a")
    assert one is not None
    assert (one.share, one.dominant) == (Fraction(1, 2), "gpu")
    crowded = replace(known, queues=(replace(queues[0], quota={"gpu": 16000}, limit={"cpu": 16000}), queues[1]))
    one = books(crowded).of("a")
    assert one is not None
    assert (one.share, one.dominant) == (Fraction(3, 4), "cpu")


def test_the_steps_are_those_of_every_level() -> None:
    found = books(shared(*TEAMS, workloads=BUSY))
    assert set(found.steps) == {("", "gpu"), ("all", "gpu")}
    inner = found.steps["all", "gpu"]
    assert inner.total == 32000
    assert inner.first == {"a": 16000, "b": 8000}
    assert [(int(pour.left), pour.given, list(pour.full)) for pour in inner.pours] == [
        (8000, {"a": Fraction(8000)}, ["a"])
    ]
    assert inner.shares == {"a": 24000, "b": 8000}
