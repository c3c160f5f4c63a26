"""The first sentence compares like with like: how soon work was done is asked of those that finished most of it."""

from __future__ import annotations

import pytest

from railwise.model.scenario import Scenario
from railwise.report.headline import headline
from railwise.report.run_data import Comparison, Key, RunData
from railwise.report.summary import Difference, Figure, Summary

HOUR = 3_600_000_000
MEASURES = ("workloads", "finished", "completion", "wait_mean")


def compared(**policies: tuple[int, int, int]) -> str:
    """Return the sentences for policies with (finished, mean completion in hours, mean wait in hours)."""
    names = tuple(policies)
    keys: tuple[Key, ...] = tuple((name, "") for name in MEASURES)
    figures: dict[tuple[str, Key], Figure] = {}
    differences: dict[tuple[str, Key], Difference] = {}
    for policy, (finished, completion, wait) in policies.items():
        for key, value in zip(keys, (7, finished, completion * HOUR, wait * HOUR), strict=True):
            figures[policy, key] = Figure(value, None, 1)
            first = figures[names[0], key].mean
            by = value - first
            differences[policy, key] = Difference(by, None, by / first if first else None, (by > 0) - (by < 0))
    runs = tuple(
        RunData(
            one, 0, 0, stopped=False, jobs=(), stints=(), outages=(), samples=(), slot_keys=(), queues=(), measures={}
        )
        for one in names
    )
    comparison = Comparison(Scenario(name="s"), runs)
    found = headline(comparison, Summary(names, (0,), keys, figures, differences), "")
    return " ".join((found.sentence, *found.more))


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        ({"spread": (3, 15, 1), "railwise": (5, 16, 2)}, "Railwise finishes more work than spread: 5 instead of 3"),
        ({"spread": (3, 15, 1), "flat": (3, 9, 1)}, "Flat finishes work sooner than spread: 9h instead of 15h"),
        (
            {"spread": (3, 15, 1), "flat": (3, 9, 1), "affinity": (1, 2, 0)},
            (
                "Flat finishes work sooner than spread: 9h instead of 15h from submit to end, on average, 40 % less. "
                "Spread and flat finished 3 workloads, affinity 1."
            ),
        ),
        ({"affinity": (1, 2, 0), "spread": (3, 15, 1), "flat": (3, 9, 1)}, "Flat finishes work sooner than spread"),
        ({"spread": (3, 15, 1), "flat": (3, 15, 1)}, "No policy did noticeably better than another."),
    ],
)
def test_the_first_sentence(policies: dict[str, tuple[int, int, int]], said: str) -> None:
    assert compared(**policies).startswith(said), compared(**policies)


def test_nobody_is_said_to_be_ahead_by_nothing() -> None:
    assert "0 % more" not in compared(spread=(3, 15, 1), flat=(3, 9, 1), affinity=(1, 2, 0), railwise=(3, 10, 1))
