"""The tree of queues: sound and broken parts, ceilings, quota, lending."""

from __future__ import annotations

import pytest

from railwise.engine.queues.queue_tree import QueueTree, shown
from railwise.model.queue import Queue
from railwise.model.reason import Code


def tree() -> QueueTree:
    return QueueTree(
        [
            Queue("research", limit={"gpu": 8000}),
            Queue("nlp", parent="research", quota={"gpu": 4000}),
            Queue("vision", parent="research", quota={"gpu": 2000}, stopped=True),
            Queue("closed", quota={"gpu": 4000}, lend={"gpu": 1000}),
            Queue("left", parent="right"),
            Queue("right", parent="left"),
            Queue("orphan", parent="ghost"),
        ]
    )


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nlp", None),
        ("default", None),
        ("closed", None),
        ("vision", Code.QUEUE_STOPPED),
        ("research", Code.UNKNOWN_QUEUE),
        ("left", Code.UNKNOWN_QUEUE),
        ("orphan", Code.UNKNOWN_QUEUE),
        ("taem", Code.UNKNOWN_QUEUE),
    ],
)
def test_which_queues_serve(name: str, code: Code | None) -> None:
    assert tree().refuses(name)[0] is code


def test_a_parent_without_quota_has_the_sum_of_its_children() -> None:
    assert tree().quota["research"] == {"gpu": 6000}


def test_a_quota_of_nothing_is_named_all_the_way_up() -> None:
    books = QueueTree([Queue("top"), Queue("leaf", parent="top", quota={"cpu": 0})])
    assert books.quota["top"] == {"cpu": 0}
    assert books.counts("top", "cpu")


def test_a_limit_below_the_quota_wins() -> None:
    assert QueueTree([Queue("a", quota={"gpu": 8000}, limit={"gpu": 3000})]).quota["a"] == {"gpu": 3000}


def test_what_a_leaf_holds_its_ancestors_hold_and_give_back() -> None:
    books = tree()
    books.charge("nlp", {"gpu": 3000, "cpu": 500}, 1, firm=True)
    assert books.held["research"] == {"gpu": 3000, "cpu": 500}
    assert books.firm["nlp"] == {"gpu": 3000, "cpu": 500}
    books.charge("nlp", {"gpu": 3000, "cpu": 500}, -1, firm=True)
    assert books.held["research"] == books.held["nlp"] == books.firm["research"] == {}


def test_the_limit_above_is_a_ceiling_too() -> None:
    books = tree()
    books.charge("nlp", {"gpu": 7000}, 1, firm=False)
    assert books.over_limit("nlp", {"gpu": 1000}) == ""
    assert "'research' may hold 8 GPUs and holds 7 GPUs" in books.over_limit("nlp", {"gpu": 2000})


def test_firm_work_counts_inside_quota_whatever_else_is_held() -> None:
    books = tree()
    books.charge("nlp", {"gpu": 4000}, 1, firm=False)
    assert books.over_quota("nlp", {"gpu": 4000}) == ""
    books.charge("nlp", {"gpu": 1000}, 1, firm=True)
    assert "quota of 4 GPUs, 1 GPU of it" in books.over_quota("nlp", {"gpu": 4000})


def test_a_tree_without_any_quota_checks_none() -> None:
    books = QueueTree([Queue("a"), Queue("b")])
    assert books.over_quota("a", {"gpu": 99_000}) == ""
    assert books.not_lent("a", {"gpu": 99_000}, {"gpu": 1000}) == ""
    assert not books.within_quota("a", {"gpu": 1000})
    assert books.within_quota("a", {"cpu": 1000})


def test_what_a_sibling_keeps_back_is_not_lent() -> None:
    books = tree()
    capacity = {"gpu": 12_000}
    assert books.not_lent("nlp", {"gpu": 4000}, capacity) == ""
    assert books.not_lent("nlp", {"gpu": 7000}, capacity) == ""
    assert books.not_lent("default", {"gpu": 9000}, capacity) == ""
    assert "siblings leave 9 GPUs" in books.not_lent("default", {"gpu": 10_000}, capacity)
    books.charge("closed", {"gpu": 4000}, 1, firm=False)
    assert "siblings leave 8 GPUs" in books.not_lent("default", {"gpu": 9000}, capacity)


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("gpu", 1000, "1 GPU"),
        ("gpu", 12_000, "12 GPUs"),
        ("gpu", 500, "0.5 GPUs"),
        ("cpu", 1500, "1500m cpu"),
        ("cpu", 64_000, "64 cpu"),
        ("memory", 2048, "2Gi memory"),
        ("memory", 100, "100Mi memory"),
        ("vendor.com/fpga", 3, "3 vendor.com/fpga"),
    ],
)
def test_amounts_read_as_people_write_them(resource: str, amount: int, text: str) -> None:
    assert shown(resource, amount) == text
