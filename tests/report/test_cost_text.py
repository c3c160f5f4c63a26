from __future__ import annotations

import pytest

from railwise.report.cost_text import cost_table, rate_text, size_text, time_text
from railwise.traffic.collectives import all_reduce, hardware
from railwise.traffic.links import GIGA, Cost


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1.00 µs"),
        (6_600, "6.60 µs"),
        (45_168_795, "45.2 ms"),
        (99_960, "100 µs"),
        (9_996, "10.0 µs"),
        (999_499_999, "999 ms"),
        (120 * 10**9, "120 s"),
    ],
)
def test_times_have_three_digits(time: int, text: str) -> None:
    assert time_text(time) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (1 << 24, "16 MiB"), (1792 << 20, "1.75 GiB"), (1025, "1.00 KiB")],
)
def test_sizes_are_binary(size: int, text: str) -> None:
    assert size_text(size) == text


def test_rates_are_decimal() -> None:
    assert rate_text(400 * GIGA) == "400 Gbit/s"
    assert rate_text(5 * GIGA) == "5 Gbit/s"
    assert rate_text(12_500_000_000) == "12.5 Gbit/s"


def test_what_a_table_shows_adds_up() -> None:
    cost = all_reduce(hardware(400 * GIGA), 4, 8, 1 << 26)
    shown = [cells[-1].text for cells in cost_table(cost).rows]
    assert shown[-1] == time_text(cost.total())
    assert sum("meanwhile" in text for text in shown) == 1
    assert cost_table(Cost("nothing", (), 0, 0, 0, 0)).rows[-1][-1].text == "0 ns"
