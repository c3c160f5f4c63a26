"""What happens next: order inside a moment, ends that are put off, times to wake up."""

from __future__ import annotations

from railwise.engine.events import Finish, NodeChange, Submit
from railwise.twin.calendar import ARRIVE, CHANGE, Calendar
from tests.engine.small import gang, request


def test_ends_come_before_changes_and_changes_before_arrivals() -> None:
    calendar = Calendar()
    submit, change = Submit(gang("b", 1, request(8))), NodeChange("n0", {"ready": False})
    calendar.note(5, ARRIVE, submit)
    calendar.note(5, CHANGE, change)
    calendar.end("a", 5)
    calendar.note(6, CHANGE, change)
    assert calendar.next() == 5
    assert calendar.take(5) == [Finish("a"), change, submit]
    assert calendar.next() == 6


def test_an_end_that_is_put_off_leaves_no_moment_behind() -> None:
    calendar = Calendar()
    for at in (5, 9, 7, 7):
        calendar.end("a", at)
    assert calendar.next() == 7
    assert calendar.take(7) == [Finish("a")]
    assert calendar.next() is None


def test_an_end_that_is_called_off_does_not_happen() -> None:
    calendar = Calendar()
    calendar.end("a", 5)
    calendar.end("a", None)
    assert calendar.next() is None


def test_a_time_to_wake_up_is_a_moment_without_events_and_happens_once() -> None:
    calendar = Calendar()
    calendar.wake(3)
    calendar.wake(3)
    assert calendar.next() == 3
    assert calendar.take(3) == []
    assert calendar.next() is None
