from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.hostlist import count, expand, fold


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[08-10]", ["n08", "n09", "n10"]),
        ("n[9-11]", ["n9", "n10", "n11"]),
        ("n[001-002,200]", ["n001", "n002", "n200"]),
        ("a1,b[2-3]", ["a1", "b2", "b3"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("r[1-2]-x", ["r1-x", "r2-x"]),
        ("[1-2]", ["1", "2"]),
    ],
)
def test_a_hostlist_stands_for_its_names_in_order(text: str, names: list[str]) -> None:
    assert expand(text) == names
    assert count(text) == len(names)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("a[1-4", "never closed"),
        ("a]", "without its '['"),
        ("b[4-1]", "runs backwards"),
        ("c[]", "not '[]'"),
        ("c[1,]", "not '[1,]'"),
        ("c[x]", "not '[x]'"),
        ("c[1\ufeff\x1b]", "not '[1\\ufeff\\u001b]'"),
        ("c[[1]]", "not '[[1]'"),
        ("a,,b", "empty name"),
        ("a,", "empty name"),
        ("a[1]" * 9, "more than 8 brackets"),
        ("a[1-9999]b[1-9999]c[1-9999]", "at most 1000000"),
        ("n[0-1000000]", "stands for 1000001 names"),
        ("n[1-9999999999999999999999999999]", "expected a name"),
    ],
)
def test_a_broken_or_endless_hostlist_is_refused_with_what_was_expected(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        expand(text)
    assert part in str(refusal.value)


def test_a_limit_holds_for_the_whole_list() -> None:
    assert len(expand("n[1-5],m[1-5]", 10)) == 10
    with pytest.raises(ValueError, match="at most 9 are allowed"):
        expand("n[1-5],m[1-5]", 9)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["n1"], "n1"),
        (["n1", "n2", "n3"], "n[1-3]"),
        (["n09", "n10", "n12"], "n[09-10,12]"),
        (["n9", "n10"], "n[9-10]"),
        (["n3", "n2"], "n[3,2]"),
        (["a", "b1", "b2"], "a,b[1-2]"),
        (["n01", "n1"], "n[01,1]"),
    ],
)
def test_names_fold_into_ranges(names: list[str], text: str) -> None:
    assert fold(names) == text


@given(st.lists(st.from_regex(r"[a-z]{0,2}[0-9]{0,3}-?[a-z]?[0-9]{1,3}|[a-z]{1,3}", fullmatch=True), max_size=12))
def test_folding_loses_nothing_and_keeps_the_order(names: list[str]) -> None:
    assert (expand(fold(names)) if names else []) == names


@given(st.text(alphabet="n0129[],-", max_size=14))
def test_any_text_is_expanded_within_the_limit_or_refused(text: str) -> None:
    try:
        names = expand(text, 500)
    except ValueError:
        return
    assert 1 <= len(names) <= 500
    assert all(names)
