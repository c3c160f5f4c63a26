from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.model import quantity
from railwise.model.quantity import (
    MOST,
    MOST_DURATION,
    format_bandwidth,
    format_cpu,
    format_duration,
    format_memory,
    format_thousandths,
    parse_bandwidth,
    parse_count,
    parse_cpu,
    parse_duration,
    parse_memory,
    parse_thousandths,
)


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_cpu, "64", 64_000),
        (parse_cpu, "500m", 500),
        (parse_cpu, "0.1", 100),
        (parse_cpu, ".5", 500),
        (parse_cpu, "1u", 1),
        (parse_cpu, "2k", 2_000_000),
        (parse_cpu, "1e3", 1_000_000),
        (parse_cpu, "12E-1", 1_200),
        (parse_cpu, "-0", 0),
        (parse_memory, "64Gi", 65_536),
        (parse_memory, "1.5Gi", 1_536),
        (parse_memory, "1M", 1),
        (parse_memory, "1048577", 2),
        (parse_memory, "100m", 1),
        (parse_memory, "2Ti", 2 * 1024 * 1024),
        (parse_count, "110", 110),
        (parse_count, "1k", 1000),
        (parse_count, "2.0", 2),
        (parse_thousandths, "0.334", 334),
        (parse_thousandths, "0.3333", 334),
        (parse_thousandths, "8", 8000),
        (parse_bandwidth, "400Gbps", 400_000),
        (parse_bandwidth, "1.6Tbps", 1_600_000),
        (parse_bandwidth, "100Mbit/s", 100),
        (parse_bandwidth, "25Gb/s", 25_000),
        (parse_duration, "90s", 90_000_000),
        (parse_duration, "1h30m", 5_400_000_000),
        (parse_duration, "-30m", -1_800_000_000),
        (parse_duration, "0s", 0),
        (parse_duration, "1.5h", 5_400_000_000),
        (parse_duration, "7d", 604_800_000_000),
        (parse_duration, "1ms5us", 1005),
        (parse_duration, "5µs", 5),
    ],
)
def test_quantities_become_whole_base_units(parse: Callable[[str], int], text: str, value: int) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_memory, "64GB", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, "", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, ".", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, "1 Gi", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, "٣Gi", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, "nan", "expected a size such as 512Mi or 64Gi"),
        (parse_memory, "1e999999999", "not a number of this length"),
        (parse_memory, "1e" + "9" * 5000, "not a number of this length"),
        (parse_memory, "9" * 41, "not a number of this length"),
        (parse_memory, "-1Gi", "from 0 up"),
        (parse_memory, "99999999999E", f"at most {MOST}"),
        (parse_count, "1.5", "expected a whole number"),
        (parse_count, "500m", "expected a whole number"),
        (parse_duration, "90", "with its unit"),
        (parse_duration, "", "with its unit"),
        (parse_duration, "1m1h", "with its unit"),
        (parse_duration, "1s1s", "with its unit"),
        (parse_duration, "0.5us", "with its unit"),
        (parse_duration, "1 h", "with its unit"),
        (parse_duration, "--1h", "with its unit"),
        (parse_duration, "36501d", "at most 100 years"),
        (parse_bandwidth, "400", "expected a bandwidth such as 400Gbps"),
        (parse_bandwidth, "400GB/s", "expected a bandwidth such as 400Gbps"),
        (parse_bandwidth, "-1Gbps", "expected a bandwidth such as 400Gbps"),
        (parse_bandwidth, "99999999999999999999Tbps", "expected a bandwidth such as 400Gbps"),
    ],
)
def test_anything_else_is_refused_with_what_was_expected(parse: Callable[[str], int], text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        parse(text)
    assert message in str(refusal.value)


def test_requests_round_up_and_capacities_down() -> None:
    assert parse_memory("1000M") == 954
    assert parse_memory("1000M", up=False) == 953
    assert parse_cpu("1n") == 1
    assert parse_cpu("1n", up=False) == 0


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        (format_cpu(64_000), "64"),
        (format_cpu(500), "500m"),
        (format_memory(46_068), "46068Mi"),
        (format_memory(65_536), "64Gi"),
        (format_memory(2 << 20), "2Ti"),
        (format_memory(1 << 30), "1Pi"),
        (format_memory(0), "0Mi"),
        (format_thousandths(8000), "8"),
        (format_thousandths(500), "0.5"),
        (format_thousandths(10_334), "10.334"),
        (format_duration(5_400_000_000), "1h30m"),
        (format_duration(-1_800_000_000), "-30m"),
        (format_duration(0), "0s"),
        (format_bandwidth(400_000), "400Gbps"),
        (format_bandwidth(100), "100Mbps"),
        (format_bandwidth(0), "0Mbps"),
    ],
)
def test_quantities_are_written_as_people_write_them(text: str, formatted: str) -> None:
    assert text == formatted


@given(st.integers(0, MOST // 1000))
def test_what_is_written_reads_as_the_same_number(number: int) -> None:
    assert parse_cpu(format_cpu(number)) == number
    assert parse_memory(format_memory(number)) == number
    assert parse_thousandths(format_thousandths(number)) == number
    assert parse_bandwidth(format_bandwidth(number)) == number


@given(st.integers(-MOST_DURATION, MOST_DURATION))
def test_durations_read_as_they_were_written(microseconds: int) -> None:
    assert parse_duration(format_duration(microseconds)) == microseconds


@given(st.text(alphabet="0123456789.eE+-KMGTPinumkhdsµbp/", max_size=60))
def test_any_text_is_a_bounded_number_or_refused(text: str) -> None:
    for name in ("cpu", "memory", "count", "thousandths", "duration", "bandwidth"):
        try:
            value = getattr(quantity, f"parse_{name}")(text)
        except ValueError:
            continue
        assert abs(value) <= MOST
