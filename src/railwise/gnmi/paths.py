r"""gNMI paths as people write them: ``/interfaces/interface[name=Ethernet0]/state``, optionally ``origin:/…``.

The text form is the one of the gNMI path conventions: elements apart by slashes, keys in brackets, ``\`` before a
character that would mean something. What a device sends is read back into the same form, so that a path can be a key
in a dictionary and a line in a message.
"""

from __future__ import annotations

import re

from railwise.gnmi.gnmi_pb2 import Path, PathElem

LONGEST = 4096
"""Characters a written path may have."""

MOST_ELEMENTS = 64
"""Elements of a path that are read; a deeper one is cut there."""

_ORIGIN = re.compile(r"([A-Za-z0-9_.-]+):/")
_IN_NAME = "\\/["
_IN_KEY = "\\=]"
_IN_VALUE = "\\]"


class PathError(ValueError):
    """The text is no path."""


def parse_path(text: str, target: str = "") -> Path:
    """Return the path that ``text`` names; an empty text or ``/`` is the root. Raises PathError."""
    if len(text) > LONGEST:
        raise PathError(f"longer than {LONGEST} characters")
    found = _ORIGIN.match(text)
    origin, rest = (found[1], text[found.end() - 1 :]) if found else ("", text)
    elements = [_element(part) for part in _split(rest) if part]
    if len(elements) > MOST_ELEMENTS:
        raise PathError(f"more than {MOST_ELEMENTS} elements")
    return Path(origin=origin, elem=elements, target=target)


def path_text(path: Path, prefix: Path | None = None) -> str:
    """Return a path, below its prefix, in written form; keys come in the order of their names."""
    elements = [*(prefix.elem if prefix is not None else ()), *path.elem][:MOST_ELEMENTS]
    origin = path.origin or (prefix.origin if prefix is not None else "")
    return (f"{origin}:" if origin else "") + "/" + "/".join(_text(element) for element in elements)


def key_of(path: Path, element: str, key: str, prefix: Path | None = None) -> str:
    """Return the value of a key of the first element of that name, empty where there is none."""
    for one in [*(prefix.elem if prefix is not None else ()), *path.elem]:
        if one.name == element and key in one.key:
            return str(one.key[key])
    return ""


def _text(element: PathElem) -> str:
    keys = "".join(f"[{_escaped(key, _IN_KEY)}={_escaped(element.key[key], _IN_VALUE)}]" for key in sorted(element.key))
    return _escaped(element.name, _IN_NAME) + keys


def _escaped(text: str, meaning: str) -> str:
    return "".join("\\" + letter if letter in meaning else letter for letter in text)


def _split(text: str) -> list[str]:
    """Return the elements as written: slashes count outside brackets and where no backslash stands before them."""
    parts = [""]
    inside = escaped = False
    for letter in text:
        if letter == "/" and not inside and not escaped:
            parts.append("")
            continue
        if letter in "[]" and not escaped:
            inside = letter == "["
        escaped = letter == "\\" and not escaped
        parts[-1] += letter
    if inside:
        raise PathError(f"a bracket stays open in {text[:80]!r}")
    return parts


def _element(part: str) -> PathElem:
    name, rest = _until(part, "[")
    keys: dict[str, str] = {}
    while rest:
        key, rest = _until(rest[1:], "=")
        value, rest = _until(rest[1:], "]")
        if not key or not rest or (rest[1:] and rest[1] != "["):
            raise PathError(f"expected [key=value], not {part[:80]!r}")
        keys[key] = value
        rest = rest[1:]
    if not name:
        raise PathError(f"an element without a name: {part[:80]!r}")
    return PathElem(name=name, key=keys)


def _until(text: str, end: str) -> tuple[str, str]:
    """Return what stands before the first unescaped ``end``, with escapes resolved, and the rest from there."""
    found = []
    place = 0
    while place < len(text) and text[place] != end:
        place += text[place] == "\\" and place + 1 < len(text)
        found.append(text[place])
        place += 1
    return "".join(found), text[place:]
