"""What stands in a cell, as a whole number or as a fault that names the column."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.traces.cells import CellError, Cells, stamp


def cell(value: str) -> Cells:
    return Cells({"c": 0}, [value], 7, 1)


@given(st.decimals(0, 10**9, places=6))
def test_a_time_span_is_exact(seconds: Decimal) -> None:
    assert cell(f" {seconds} ").seconds("c") == seconds * 1_000_000


@pytest.mark.parametrize(
    ("text", "micros"), [("66.0", 66_000_000), ("1e3", 1_000_000_000), ("0.0000005", 1), ("7", 7_000_000)]
)
def test_numbers_are_read_however_they_are_written(text: str, micros: int) -> None:
    assert cell(text).seconds("c") == micros


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column c: no value"),
        ("NaN", "column c: no number but 'NaN'"),
        ("-1", "from 0 up, found '-1'"),
        ("1e99", "expected a number, found '1e99'"),
        ("inf", "expected a number"),
        ("1_000", "expected a number"),
        ("٣", "expected a number"),
        ("9" * 30, "is more than"),
        ("9" * 400, "expected a number"),
        ("\x1b[31m", "expected a number"),
    ],
)
def test_what_is_no_number_names_the_column(text: str, message: str) -> None:
    with pytest.raises(CellError) as caught:
        cell(text).seconds("c")
    assert message in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_counts_are_whole_and_cards_may_be_parts() -> None:
    assert cell("8.0").count("c") == 8
    assert cell("0.25").cards("c") == 250
    assert cell("50").cards("c", 10) == 500
    with pytest.raises(CellError, match=r"whole number, found '1\.5'"):
        cell("1.5").count("c")
    with pytest.raises(CellError, match="more than 1000000"):
        cell("1000001").count("c")


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-02 00:00:01", 86_401_000_000),
        ("1970/1/2 0:01", 86_460_000_000),
        ("1970-01-02T08:00:00+08:00", 86_400_000_000),
        ("1970-01-01 00:00:00.1234567", 123_456),
        ("1970-01-01 00:00:00Z", 0),
    ],
)
def test_a_point_in_time_counts_from_1970(text: str, micros: int) -> None:
    assert stamp(text, "c") == micros


@pytest.mark.parametrize("text", ["", "soon", "2017-13-01 00:00:00", "2017-02-30 00:00:00", "2017-01-01"])
def test_what_is_no_point_in_time_is_told(text: str) -> None:
    with pytest.raises(CellError, match="column c"):
        stamp(text, "c")


def test_a_row_has_as_many_fields_as_its_header() -> None:
    index = {"a": 0, "b": 1}
    Cells(index, ["1", "2", ""], 2, 2).check()
    for cells in (["1"], ["1", "2", "3"]):
        with pytest.raises(CellError, match=f"{len(cells)} fields where the header has 2"):
            Cells(index, cells, 2, 2).check()
