"""Work done, saved and lost by one workload."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.model.workload import Checkpoint
from railwise.twin.progress import Progress
from tests.engine.small import gang, request

SECOND = 1_000_000


def progress(pods: int = 2, duration: int = 100, every: int = 0, restore: int = 0) -> Progress:
    checkpoint = Checkpoint(every * SECOND, restore * SECOND) if every else None
    return Progress(replace(gang("a", pods, request(8)), duration=duration * SECOND, checkpoint=checkpoint))


def test_all_pods_take_the_duration_and_half_of_them_twice_as_long() -> None:
    whole, half = progress(), progress()
    whole.run(2, 0, fresh=True)
    half.run(1, 0, fresh=True)
    assert (whole.end(0), half.end(0)) == (100 * SECOND, 200 * SECOND)


def test_more_pods_in_mid_run_hurry_it_up() -> None:
    one = progress()
    one.run(1, 0, fresh=True)
    one.run(2, 100 * SECOND, fresh=False)
    assert one.end(100 * SECOND) == 150 * SECOND


@pytest.mark.parametrize(("every", "saved"), [(0, 0), (20, 60), (30, 60), (50, 50)])
def test_stopping_throws_back_to_the_last_checkpoint(every: int, saved: int) -> None:
    one = progress(every=every)
    one.run(2, 0, fresh=True)
    one.stop(70 * SECOND)
    assert one.done == 2 * saved * SECOND
    assert one.lost == 2 * (70 - saved) * SECOND
    assert one.end(70 * SECOND) is None


def test_a_restart_restores_first_what_was_saved() -> None:
    one = progress(every=20, restore=5)
    one.run(2, 0, fresh=True)
    one.stop(70 * SECOND)
    one.run(2, 200 * SECOND, fresh=True)
    assert one.end(200 * SECOND) == (200 + 5 + 40) * SECOND


def test_no_work_is_lost_or_invented() -> None:
    one = progress(every=20, restore=5)
    one.run(2, 0, fresh=True)
    one.stop(70 * SECOND)
    one.run(1, 200 * SECOND, fresh=True)
    one.run(2, 215 * SECOND, fresh=False)
    end = one.end(215 * SECOND)
    assert end is not None
    one.advance(end)
    assert one.done == one.total


def test_without_a_duration_it_never_ends() -> None:
    one = progress(duration=0)
    one.run(2, 0, fresh=True)
    assert one.end(0) is None
