"""A file as it lies somewhere: packed, cut off, in another encoding, or no text at all."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.traces import lines as module
from railwise.formats.traces.lines import lines
from railwise.model.errors import InputError


def refused(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        list(lines(data, "t.csv"))
    fault = caught.value.faults[0]
    assert fault.hint
    return fault.text()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\0\ufeff"), max_size=20), max_size=30))
def test_plain_and_packed_files_give_the_same_lines(written: list[str]) -> None:
    text = "\n".join(written)
    expected = text.split("\n") if text else []
    expected = expected[:-1] if expected and not expected[-1] else expected
    half = len(text.encode()) // 2
    parts = gzip.compress(text.encode()[:half]) + gzip.compress(text.encode()[half:])
    assert list(lines(text.encode(), "t")) == list(lines(gzip.compress(text.encode()), "t")) == expected
    assert list(lines(parts + b"\0" * 7, "t")) == expected


def test_a_large_packed_file_is_cut_at_no_piece() -> None:
    text = "".join(f"{number},é{number}\n" for number in range(200_000))
    assert list(lines(gzip.compress(text.encode(), 1), "t")) == text.split("\n")[:-1]
    assert list(lines(text.encode(), "t")) == text.split("\n")[:-1]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"a\nb\n\xe9\n", "t.csv:3: not UTF-8"),
        (gzip.compress(b"a\n1\n", mtime=0)[:-9], "ends early"),
        (gzip.compress(b"a\n1\n", mtime=0)[:4], "ends early"),
        (b"\x1f\x8b" + b"\x00" * 30, "damaged gzip"),
        (gzip.compress(b"a\n1\n", mtime=0) + b"more", "damaged gzip"),
        (b"PK\x03\x04rest", "a zip archive"),
        (gzip.compress(b"x" * 257 + b"ustar  " + b"y" * 300, mtime=0), "a tar archive"),
        (b"PAR1....", "a Parquet file"),
        (b"a\n" + b"x" * (1024 * 1024 + 300_000), "t.csv:2: a line of more than"),
    ],
)
def test_what_is_no_text_is_named(data: bytes, word: str) -> None:
    assert word in refused(data)


def test_a_packed_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_TABLE", 1000)
    assert "more than 1000 bytes" in refused(gzip.compress(b"1\n" * 5000))
    assert "more than 1000 bytes" in refused(b"1\n" * 5000)
