from __future__ import annotations

import gzip

import pytest

from railwise.formats.traces import lines, table
from railwise.formats.traces.table import read_table
from railwise.model.errors import InputError


def refused(data: bytes, *columns: str) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        read_table(data, "t.csv", columns)
    fault = caught.value.faults[0]
    return fault.path, fault.message


def test_plain_and_packed_tables_read_alike_and_keep_their_lines() -> None:
    text = "\ufeffa,b,c\n1, 2 ,3\n\n4,5,6\n".encode()
    plain = read_table(text, "t.csv", ("c", "a"))
    assert [(row.line, row.values) for row in plain] == [(2, {"c": "3", "a": "1"}), (4, {"c": "6", "a": "4"})]
    assert read_table(gzip.compress(text), "t.csv.gz", ("c", "a")) == plain


def test_a_missing_column_is_named() -> None:
    path, message = refused(b"a,b\n1,2\n", "a", "c")
    assert path == "t.csv:1"
    assert message.endswith("missing: c")


def test_a_value_that_is_not_there_is_named_with_its_line() -> None:
    assert refused(b"a,b\n1,2\n3\n4,\n", "a", "b") == ("t.csv:3", "no value in column b")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "missing: a"),
        (b"a\n", "no rows"),
        (b"a\n\xff\xfe\n", "not UTF-8"),
        (gzip.compress(b"a\n1\n", mtime=0)[:-9], "ends early"),
        (b"\x1f\x8b" + b"\x00" * 30, "damaged gzip"),
        (b"a\n" + b"x" * 200_000 + b"\n", "field larger than field limit"),
    ],
)
def test_what_is_no_table_is_refused(data: bytes, word: str) -> None:
    assert word in refused(data, "a")[1]


def test_a_packed_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LARGEST_TABLE", 1000)
    assert "more than 1000 bytes" in refused(gzip.compress(b"a\n" + b"1\n" * 5000), "a")[1]
    assert "more than 1000 bytes" in refused(b"a\n" + b"1\n" * 5000, "a")[1]


def test_the_number_of_rows_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LARGEST_ROWS", 2)
    assert "more than 2 rows" in refused(b"a\n1\n2\n3\n", "a")[1]
