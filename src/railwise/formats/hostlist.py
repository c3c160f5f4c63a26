"""Hostlists as in Slurm: ``n[001-128,200]`` is 129 names, and 129 names fold back to it.

A list is bounded before it grows: the number of names follows from the ranges alone, so ``a[1-9999]b[1-9999]c[1-9999]``
is refused without a name being written. Anything that is not clearly a list or a plain name is an error, because an
open bracket taken as a name would be a node that nobody has.

Zeros in front set the width, as in Slurm: ``[08-10]`` is 08, 09, 10. Brackets may occur several times in a name (the
last one turns fastest) and commas outside of them separate names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

from railwise.formats.faults import shown

MOST_NAMES = 1_000_000
"""A hostlist that is given no other bound stands for at most so many names."""

MOST_DIGITS = 18
"""A number in a range has at most so many digits."""

MOST_BRACKETS = 8
"""A name has at most so many brackets."""

_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?", re.ASCII)
_TRAILING_NUMBER = re.compile(r"(.*?)([0-9]+)", re.ASCII | re.DOTALL)

EXPECTED = "expected a name or a hostlist such as n[001-128,200]"


class TooManyNamesError(ValueError):
    """A list stands for more names than are allowed."""


def is_plain(text: str) -> bool:
    """Return whether the text is one name and no list."""
    return "[" not in text and "," not in text and "]" not in text


def count(text: str) -> int:
    """Return how many names a hostlist stands for, without writing them out; ValueError if it is broken."""
    return sum(_size(pieces) for pieces in _parse(text))


def expand(text: str, limit: int = MOST_NAMES) -> list[str]:
    """Return the names in order; ValueError if the list is broken or stands for more than ``limit`` names."""
    if is_plain(text):
        if not text:
            raise ValueError(f"{EXPECTED}, not an empty text")
        return [text]
    parsed = _parse(text)
    total = sum(_size(pieces) for pieces in parsed)
    if total > limit:
        raise TooManyNamesError(f"stands for {total} names, at most {limit} are allowed")
    names: list[str] = []
    for pieces in parsed:
        names.extend(_names(pieces))
    return names


def fold(names: Iterable[str]) -> str:
    """Return a hostlist that expands to the same plain names in the same order; rising numbers become ranges."""
    parts: list[str] = []
    prefix = ""
    ranges: list[tuple[str, int]] = []
    for name in names:
        match = _TRAILING_NUMBER.fullmatch(name)
        if match is None or len(match[2]) >= MOST_DIGITS:
            _close(parts, prefix, ranges)
            parts.append(name)
            continue
        if match[1] != prefix:
            _close(parts, prefix, ranges)
            prefix = match[1]
        number = int(match[2])
        if ranges and number == ranges[-1][1] + 1 and match[2] == str(number).zfill(len(ranges[-1][0])):
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((match[2], number))
    _close(parts, prefix, ranges)
    return ",".join(parts)


def _close(parts: list[str], prefix: str, ranges: list[tuple[str, int]]) -> None:
    """Move the ranges of a prefix, if any, to the finished parts."""
    if not ranges:
        return
    texts = [low if int(low) == last else f"{low}-{str(last).zfill(len(low))}" for low, last in ranges]
    single = len(texts) == 1 and "-" not in texts[0]
    parts.append(prefix + (texts[0] if single else f"[{','.join(texts)}]"))
    ranges.clear()


_Range = tuple[int, int, int]
"""First number, last number, width."""


def _parse(text: str) -> list[list[str | list[_Range]]]:
    """Return, per name of the list, its plain pieces and its brackets; ValueError if it is broken."""
    parsed = []
    position = 0
    while True:
        pieces, position = _parse_name(text, position)
        parsed.append(pieces)
        if position == len(text):
            return parsed
        position += 1


def _parse_name(text: str, position: int) -> tuple[list[str | list[_Range]], int]:
    """Read one name up to a comma or the end; return its pieces and where it ends."""
    pieces: list[str | list[_Range]] = []
    start = position
    while position < len(text) and text[position] != ",":
        if text[position] == "]":
            raise ValueError(f"{EXPECTED}, not a ']' without its '['")
        if text[position] != "[":
            end = position
            while end < len(text) and text[end] not in "[],":
                end += 1
            pieces.append(text[position:end])
            position = end
            continue
        end = text.find("]", position)
        if end < 0:
            raise ValueError(f"{EXPECTED}, not a '[' that is never closed")
        pieces.append(_parse_ranges(text[position + 1 : end]))
        position = end + 1
    if position == start:
        raise ValueError(f"{EXPECTED}, not an empty name")
    if sum(isinstance(piece, list) for piece in pieces) > MOST_BRACKETS:
        raise ValueError(f"has more than {MOST_BRACKETS} brackets")
    return pieces, position


def _parse_ranges(text: str) -> list[_Range]:
    ranges = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None or max(map(len, part.split("-"))) > MOST_DIGITS:
            raise ValueError(f"{EXPECTED}, not {shown(f'[{text}]')}")
        low = int(match[1])
        high = int(match[2]) if match[2] else low
        if high < low:
            raise ValueError(f"the range {part} runs backwards")
        ranges.append((low, high, len(match[1])))
    return ranges


def _size(pieces: list[str | list[_Range]]) -> int:
    size = 1
    for piece in pieces:
        if isinstance(piece, list):
            size *= sum(high - low + 1 for low, high, _ in piece)
    return size


def _names(pieces: list[str | list[_Range]]) -> Iterable[str]:
    choices = [[piece] if isinstance(piece, str) else _numbers(piece) for piece in pieces]
    if len(choices) == 1:
        return choices[0]
    return ["".join(choice) for choice in product(*choices)]


def _numbers(ranges: list[_Range]) -> list[str]:
    return [str(number).zfill(width) for low, high, width in ranges for number in range(low, high + 1)]
