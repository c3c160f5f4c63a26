"""Where two runs part: the line, what preceded it, who ran and waited, and what became of it."""

from __future__ import annotations

from railwise.model.decision import Decision
from railwise.report.difference_text import difference_data, difference_lines, same_line
from railwise.report.first_difference import Standing, first_difference, standings

MINUTE = 60_000_000
BEGIN = [
    Decision(0, "running", "old", ("n1", "n2"), ("old-0", "old-1")),
    Decision(0, "submitted", "a"),
    Decision(0, "placed", "a", ("n3",)),
    Decision(MINUTE, "submitted", "b"),
    Decision(MINUTE, "submitted", "c"),
    Decision(5 * MINUTE, "finished", "a"),
]


def test_equal_logs_have_no_difference() -> None:
    assert first_difference(BEGIN, list(BEGIN)) is None
    assert same_line("x", "y", BEGIN) == "x and y are the same: 6 lines until 5m"
    assert difference_data(None, "x", "y")["same"] is True


def test_the_first_decision_that_differs_is_explained() -> None:
    left = [*BEGIN, Decision(5 * MINUTE, "placed", "b", ("n3",)), Decision(9 * MINUTE, "finished", "b")]
    right = [*BEGIN, Decision(5 * MINUTE, "placed", "c", ("n3",)), Decision(7 * MINUTE, "placed", "b", ("n4", "n5"))]
    found = first_difference(left, right)
    assert found is not None
    assert (found.line, found.at, found.of_input()) == (7, 5 * MINUTE, False)
    assert found.came_in == (BEGIN[5],)
    assert found.running == (Standing("old", 0, ("n1", "n2")),)
    assert found.waiting == (Standing("b", MINUTE), Standing("c", MINUTE))
    assert found.later == (("b", True, right[7]), ("c", False, None))
    assert difference_lines(found, "x", "y") == [
        "x and y decided differently at 5m: line 7, after 6 equal lines",
        "",
        "x               b starts on n3",
        "y               c starts on n3",
        "came in before  a has ended",
        "ran by then     old on n[1-2] since 0s",
        "waited by then  b since 1m (4m)",
        "                c since 1m (4m)",
        "",
        "in y b starts on n[4-5] at 7m",
        "in x nothing more happens to c",
        "",
        "1 further line in x, 1 in y; they may all follow from this",
    ]
    data = difference_data(found, "x", "y")
    assert data["decided"][0] == [{"at": 5 * MINUTE, "workload": "b", "event": "placed", "nodes": ["n3"]}]
    assert data["linesAfter"] == [1, 1]


def test_a_log_that_ends_early_differs_where_it_ends() -> None:
    found = first_difference(BEGIN[:3], BEGIN)
    assert found is not None
    assert (found.line, found.left, found.right) == (4, (), tuple(BEGIN[3:5]))
    assert found.of_input()
    text = "\n".join(difference_lines(found, "x", "y"))
    assert "were told different things" in text
    assert "has ended: there is no further line" in text


def test_what_came_in_earlier_says_how_long_ago() -> None:
    right = [*BEGIN, Decision(8 * MINUTE, "placed", "b", ("n3",))]
    left = [*BEGIN, Decision(9 * MINUTE, "placed", "b", ("n3",))]
    found = first_difference(left, right)
    assert found is not None
    lines = difference_lines(found, "x", "y")
    assert "came in before  a has ended (3m earlier)" in lines
    assert "x               decides nothing more at 8m" in lines
    assert "in x b starts on n3 at 9m" in lines


def test_long_lists_are_cut() -> None:
    many = [Decision(0, "submitted", f"w{number}") for number in range(40)]
    found = first_difference([*many, Decision(1, "placed", "w0", ("n1",))], many)
    assert found is not None
    assert any(line.endswith("  and 28 more") for line in difference_lines(found, "x", "y"))


def test_standings_follow_every_event() -> None:
    log = [
        *BEGIN[:2],
        Decision(1, "placed", "a", ("n1", "n2"), ("a-x-0", "a-y-0")),
        Decision(2, "lost", "a", ("n1",), ("a-x-0",)),
        Decision(3, "joined", "a", ("n4",), ("a-x-0",)),
        Decision(4, "moved", "a", ("n5",), ("a-y-0",), "z"),
        Decision(5, "evicted", "old", (), ("old-0", "old-1"), "z"),
    ]
    running, waiting = standings(log)
    assert running == (Standing("a", 1, ("n5", "n4")),)
    assert waiting == (Standing("old", 5),)
    running, waiting = standings([*log, Decision(6, "released", "a", (), ("a-x-0", "a-y-0"))])
    assert running == ()
    assert waiting == (Standing("old", 5), Standing("a", 6))
