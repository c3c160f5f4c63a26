"""The answer to a what-if in words: counts that agree with their verbs, when and how it would do otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.what_if import Difference, Effect, Outlook
from railwise.model.plan import Eviction, Move, PodMove, Reservation, State
from railwise.report.what_if_text import answer_lines, difference_table, headline, outlook_texts, steps_lines
from tests.report.clusters import NO_ROOM, cluster, entry, gang, plan_of

HOUR = 3600 * 1_000_000
A, B = gang("a", 1), gang("b", 1)


def differing(*effects: Effect, runs: bool = True) -> list[Difference]:
    return [Difference(f"w{number}", effect, None, None, runs) for number, effect in enumerate(effects)]


@pytest.mark.parametrize(
    ("effects", "said"),
    [
        ([], "  Nothing would be different."),
        ([Effect.STARTS], "  1 workload starts."),
        ([Effect.STOPS, Effect.STOPS, Effect.MOVES], "  2 workloads stop and 1 workload goes elsewhere."),
        ([Effect.FEWER, Effect.MORE], "  1 workload gets fewer pods and 1 workload gets more pods."),
    ],
)
def test_the_headline_counts(effects: list[Effect], said: str) -> None:
    first, second = headline(["n1 is drained", "x is submitted"], differing(*effects))
    assert first.text == "What if n1 is drained and x is submitted?"
    assert second.text == said


def test_who_starts_names_its_nodes_and_whom_it_displaces() -> None:
    placed = replace(entry(A, ["n1"], domains={"superpod": ("p1",), "rack": ("r1",)}), victims=("b",))
    lines = [
        cell.text for cell in answer_lines(cluster([A, B]), plan_of(placed, entry(B, [], State.EVICTED)), "a", None)
    ]
    assert lines == ["a would start now on n1, p1/r1.", "  It would displace b."]


def test_who_waits_learns_when_and_what_would_do() -> None:
    waits = replace(entry(A, [], State.PENDING), reason=NO_ROOM)
    told = answer_lines(cluster([A]), plan_of(waits), "a", Outlook(2 * HOUR, "b", ("would fit if c ends",)))
    assert [cell.text for cell in told] == [
        "a would wait, TooFragmented: enough is free for 3 pods of 8 GPUs, but not inside one rack",
        "  When   in 2h at the earliest, once b has ended, if durations hold and nobody comes first",
        "  Or     would fit if c ends",
    ]


def test_a_reservation_is_said_as_one_and_the_unknown_as_unknown() -> None:
    assert outlook_texts(Outlook(HOUR, "", ()), 0) == ["When   in 1h as planned by its reservation"]
    unknown = outlook_texts(Outlook(-1, "", ("one", "two")), 0)
    assert unknown == [
        "When   not known: too little of what runs says how long it takes",
        "Or     one",
        "       two",
    ]


def test_each_row_says_now_without_with_and_the_difference() -> None:
    found = [
        Difference("a", Effect.MOVES, entry(A, ["n1"], State.RUNNING), entry(A, ["n2"], State.RUNNING), True, 7200),
        Difference("b", Effect.MOVES, entry(B, ["n1"]), entry(B, ["n2"]), False),
        Difference("c", Effect.STAYS_OUT, entry(B, ["n1"]), entry(B, [], State.EVICTED), False),
        Difference("d", Effect.STAYS_OUT, None, entry(B, [], State.EVICTED), False),
    ]
    rows = [[cell.text for cell in cells] for cells in difference_table(cluster([A, B]), found).rows]
    assert rows == [
        ["a", "runs", "n1", "n2", "moves, 2 GPU-hours lost"],
        ["b", "waits", "n1", "n2", "starts elsewhere"],
        ["c", "waits", "n1", "evicted", "no longer starts"],
        ["d", "new", "–", "evicted", "does not start"],
    ]


def test_only_steps_that_are_new_are_told_and_spared_ones_too() -> None:
    known, fresh = Eviction("a", ("a-0",), "b", 0, ""), Eviction("c", ("c-0",), "b", 3600, "")
    move = Move("d", (PodMove("d-0", "n1", "n2", ()),), "b", 0)
    kept = Reservation("e", "r1", ("n1",), HOUR)
    before = plan_of(evictions=(known,))
    after = plan_of(evictions=(fresh,), moves=(move,), reservations=(kept,))
    assert [cell.text for cell in steps_lines(before, after)] == [
        "evicts 1 pod of c for b, 1 GPU-hours lost",
        "moves d-0 n1 → n2 for b, no work lost",
        "keeps r1 (1 node) for e, start in 1h",
        "does not evict a for b",
    ]
    assert steps_lines(after, after) == []
