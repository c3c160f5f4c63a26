"""Paths read and written: the form of the path conventions, with keys and escapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.gnmi.gnmi_pb2 import Path, PathElem
from railwise.gnmi.paths import LONGEST, PathError, key_of, parse_path, path_text

NAMES = st.text(min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("/", []),
        ("", []),
        ("/interfaces/interface[name=Ethernet0]/state", ["interfaces", "interface", "state"]),
        ("interfaces/interface", ["interfaces", "interface"]),
        ("/a[k=x/y]/b", ["a", "b"]),
        (r"/a\/b/c", ["a/b", "c"]),
    ],
)
def test_elements_stand_between_slashes(text: str, elements: list[str]) -> None:
    assert [element.name for element in parse_path(text).elem] == elements


def test_keys_keep_what_brackets_and_backslashes_protect() -> None:
    path = parse_path(r"/a[name=Eth1/1][id=x\]y]")
    assert dict(path.elem[0].key) == {"name": "Eth1/1", "id": "x]y"}
    assert path_text(path) == r"/a[id=x\]y][name=Eth1/1]"


def test_the_origin_stands_before_a_colon() -> None:
    path = parse_path("openconfig:/lldp", target="leaf-1")
    assert (path.origin, path.target, path_text(path)) == ("openconfig", "leaf-1", "openconfig:/lldp")


def test_a_prefix_is_read_as_part_of_the_path() -> None:
    prefix = parse_path("/lldp/interfaces/interface[name=Ethernet4]")
    path = parse_path("neighbors/neighbor[id=7]/state")
    assert path_text(path, prefix) == "/lldp/interfaces/interface[name=Ethernet4]/neighbors/neighbor[id=7]/state"
    assert key_of(path, "interface", "name", prefix) == "Ethernet4"
    assert key_of(path, "interface", "other", prefix) == ""


@pytest.mark.parametrize("text", ["/a[b", "/a[=x]", "/a[b=c]d", "/[a=b]", "x" * (LONGEST + 1), "/a" * 65])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(PathError):
        parse_path(text)


@given(st.lists(st.tuples(NAMES, st.dictionaries(NAMES, NAMES, max_size=2)), max_size=5))
def test_a_written_path_reads_back_as_itself(elements: list[tuple[str, dict[str, str]]]) -> None:
    path = Path(elem=[PathElem(name=name, key=keys) for name, keys in elements])
    if len(path_text(path)) <= LONGEST:
        assert parse_path(path_text(path)) == path
