from __future__ import annotations

import math
import tracemalloc

import pytest

from railwise.formats.document import Document, load
from railwise.formats.document_yaml import MOST_ALIASED, MOST_DEPTH
from railwise.model.errors import Fault, InputError


def values(text: str | bytes, source: str = "f.yaml") -> list[object]:
    data = text.encode() if isinstance(text, str) else text
    return [document.value for document in load(data, source)]


def faults(text: str | bytes, source: str = "f.yaml") -> list[Fault]:
    with pytest.raises(InputError) as refusal:
        values(text, source)
    assert refusal.value.source == source
    return list(refusal.value.faults)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("~", None),
        ("null", None),
        ("", None),
        ("yes", True),
        ("On", True),
        ("no", False),
        ("OFF", False),
        ("y", "y"),
        ("8", 8),
        ("+8", 8),
        ("-8", -8),
        ("010", 8),
        ("08", "08"),
        ("0x1F", 31),
        ("0b11", 3),
        ("0o7", "0o7"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1.5e+3", 1500.0),
        ("1e3", "1e3"),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z"),
        ("64Gi", "64Gi"),
        ("=", "="),
        ("'8'", "8"),
        ('"yes"', "yes"),
        ("!!str 8", "8"),
        ("!!int '8'", 8),
        ("!!float 8", 8.0),
        ("!!binary YWI=", b"ab"),
        ("! 8", "8"),
        ("9" * 41, "9" * 41),
    ],
)
def test_plain_words_mean_what_kubernetes_makes_of_them_and_dates_are_text(word: str, value: object) -> None:
    (read,) = values(f"a: {word}")
    assert read == {"a": value}
    assert type(next(iter(read.values()))) is type(value)


def test_keys_are_text_as_written() -> None:
    assert values("1: a\nyes: b\n010: c\n'x y': d") == [{"1": "a", "yes": "b", "010": "c", "x y": "d"}]


def test_not_a_number_is_read_and_left_to_the_readers() -> None:
    (value,) = values("a: .nan")
    assert isinstance(value, dict)
    assert math.isnan(value["a"])


def test_several_documents_are_numbered_and_empty_ones_left_out() -> None:
    assert load(b"---\n---\na: 1\n---\n# nothing\n---\nb: 2\n", "f") == [
        Document({"a": 1}, "f", 1),
        Document({"b": 2}, "f", 3),
    ]


def test_json_is_read_also_where_the_name_does_not_say_so() -> None:
    assert values('{"a": [1, 2.5, true, null, "x"]}') == [{"a": [1, 2.5, True, None, "x"]}]
    assert values("{a: 1} # flow style") == [{"a": 1}]
    assert values('\ufeff{"a": 1}', "f.json") == [{"a": 1}]


def test_aliases_share_and_merges_add_what_is_not_given() -> None:
    assert values("a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {<<: [*a, {z: 4, x: 5}]}\ne: {'<<': 6}") == [
        {
            "a": {"x": 1, "y": 2},
            "b": {"x": 1, "y": 2},
            "c": {"x": 1, "y": 3},
            "d": {"x": 1, "y": 2, "z": 4},
            "e": {"<<": 6},
        }
    ]


@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ("", "", "the document is empty"),
        (" \n", "", "the document is empty"),
        ("# only a comment\n---\n", "", "there are only comments"),
        ("a: 1\na: 2", "a", "'a' is given twice (again on line 2)"),
        ("a:\n- b\n- {c: 1, 'c': 2}", "a[1].c", "given twice"),
        ('{"a": [{"b": 1, "b": 2}]}', "a[0].b", "'b' is given twice"),
        ("a: !vendor x", "a", "the tag '!vendor' is not known here"),
        ("a: !!set {x, y}", "a", "is not known here"),
        ("a: !!int x", "a", "is no int: 'x'"),
        ("a: !!binary '*'", "a", "base64"),
        ("a: *b", "", "line 1, column 4: the alias *b has no finished anchor"),
        ("&a [*a]", "", "the alias *a has no finished anchor"),
        ("? [a]\n: b", "", "a key must be text, not a list or a mapping"),
        ("a: &x 1\n*x : 2", "", "a key must be text, not an alias"),
        ("a: {<<: 1}", "a", "'<<' takes a mapping"),
        ("a: {b: 1", "", "line 2, column 1"),
        ("a:\n\tb: 1", "", "line 2, column 1"),
        ('a: "x', "", "line 1, column 6"),
        ("a: \x07", "", "line 1: control characters are not allowed"),
        (b"a: 1\nb: \xff", "", "line 2, column 4: the byte 0xFF is not UTF-8"),
        ("a: 1".encode("utf-16"), "", "the byte 0xFF is not UTF-8"),
        ('{"a": "\\ud800"}', "a", "half of a surrogate pair"),
        ('{"\\udfff": 1}', "", "half of a surrogate pair"),
        ('{"a": ' + "9" * 5000 + "}", "", "too many digits"),
        ("[" * 3000 + "]" * 3000, "", f"nested more than {MOST_DEPTH} deep"),
        ("- " * 3000 + "x", "", f"nested more than {MOST_DEPTH} deep"),
        ("{a: " * 70 + "1" + "}" * 70, "", f"nested more than {MOST_DEPTH} deep"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str | bytes, path: str, part: str) -> None:
    (fault,) = faults(text)
    assert fault.path == path
    assert part in fault.message


def test_every_key_that_is_given_twice_is_named_at_once() -> None:
    assert [fault.path for fault in faults("a: 1\na: 2\nb: {c: 1, c: 2}")] == ["a", "b.c"]


def test_a_file_that_says_it_is_json_is_held_to_it() -> None:
    (fault,) = faults("{a: 1}", "f.json")
    assert fault.message.startswith("line 1, column 2: ")
    assert "JSON" in fault.hint


def test_depth_is_bounded_and_not_less() -> None:
    inside = "[" * (MOST_DEPTH - 1)
    assert values("a: " + inside + "]" * (MOST_DEPTH - 1))
    assert values("[" + inside + "]" * MOST_DEPTH)


def test_ten_lines_that_stand_for_billions_are_refused_in_little_memory() -> None:
    lines = ["a: &a [n, n, n, n, n, n, n, n, n]"]
    for letter, before in zip("bcdefghij", "abcdefghi", strict=True):
        lines.append(f"{letter}: &{letter} [{', '.join([f'*{before}'] * 9)}]")
    tracemalloc.start()
    (fault,) = faults("\n".join(lines))
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()
    assert f"the aliases stand for more than {MOST_ALIASED} items" in fault.message


def test_merges_are_bounded_like_aliases() -> None:
    wide = "a: &a {" + ", ".join(f"k{number}: 1" for number in range(2000)) + "}\n"
    (fault,) = faults(wide + "\n".join(f"b{number}: {{<<: *a}}" for number in range(600)))
    assert "the aliases stand for more than" in fault.message
