"""The bytes of a file become plain values: dict, list, str, int, float, bool, bytes and None, and nothing is guessed.

Readers of YAML and JSON in common use keep the last of two equal keys, replace broken bytes, follow aliases without end
and raise whatever they like. A scheduler that reads half of a document decides on a cluster that does not exist, so
here every such input is an ``InputError`` that says where and why, within bounds that are named below.

A document that starts with a brace or bracket is read as JSON, which is far quicker, and as YAML if it is not JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from railwise.formats.document_yaml import MOST_DEPTH, read_yaml
from railwise.formats.faults import Faults, at_index, at_key, shown
from railwise.model.errors import Fault, InputError

MOST_BYTES = 256 * 1024 * 1024
"""An input has at most so many bytes."""

_BYTE_ORDER_MARK = "\ufeff"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Document:
    """One document of an input: its value, the name of the input, and its place in it."""

    value: object
    source: str
    index: int = 0


def load(data: bytes, source: str) -> list[Document]:
    """Return the documents of a YAML or JSON input, empty ones left out.

    Raises InputError for what is too large, not UTF-8, no YAML or JSON, nested more than ``MOST_DEPTH`` deep, has a key
    twice in a mapping or too many aliases, and for an input without any document.
    """
    text = _decoded(data, source)
    faults = Faults()
    values = _values(text, source, faults)
    faults.raise_any(source)
    documents = [Document(value, source, index) for index, value in enumerate(values) if value is not None]
    if not documents:
        message = (
            "the document is empty" if not text.strip() else "the document is empty: there are only comments in it"
        )
        raise InputError([Fault("", message, "expected a mapping with apiVersion, kind and spec")], source)
    return documents


def _decoded(data: bytes, source: str) -> str:
    if len(data) > MOST_BYTES:
        raise InputError([Fault("", f"the input has {len(data)} bytes, at most {MOST_BYTES} are read")], source)
    try:
        return data.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        where = f"line {line}, column {column}: the byte 0x{data[error.start]:02X} is not UTF-8"
        raise InputError([Fault("", where, "save the file as UTF-8 text")], source) from None


def _values(text: str, source: str, faults: Faults) -> list[object]:
    first = text.lstrip(" \t\r\n")[:1]
    if source.endswith(".json") or first in ("{", "["):
        try:
            return [_read_json(text, faults)]
        except json.JSONDecodeError as error:
            if source.endswith(".json"):
                where = f"line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"
                raise InputError([Fault("", where, "the file name says it is JSON")], source) from None
        except RecursionError:
            raise InputError([Fault("", f"nested more than {MOST_DEPTH} deep")], source) from None
        except ValueError:
            raise InputError([Fault("", "a number has too many digits")], source) from None
    return read_yaml(text, source, faults)


def _read_json(text: str, faults: Faults) -> object:
    """Return the value of a JSON text; JSONDecodeError, RecursionError or ValueError as the decoder raises them."""
    repeated = 0

    def from_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        mapping = dict(pairs)
        repeated += len(pairs) - len(mapping)
        return mapping

    value: object = json.loads(text, object_pairs_hook=from_pairs)
    if _depth(value) > MOST_DEPTH:
        faults.add("", f"nested more than {MOST_DEPTH} deep")
        return value
    if repeated:
        _find_repeated(json.loads(text, object_pairs_hook=_Pairs), "", faults)
    if _SURROGATE.search(text):
        _find_surrogates(value, "", faults)
    return value


class _Pairs(list[tuple[str, object]]):
    """A mapping with all its pairs, also those whose key is there already."""


def _depth(value: object) -> int:
    """Return how deep a value is nested, counted no further than one above the bound."""
    level = [value]
    depth = 0
    while level and depth <= MOST_DEPTH:
        inner: list[object] = []
        for one in level:
            if isinstance(one, dict):
                inner.extend(item for item in one.values() if isinstance(item, dict | list))
            elif isinstance(one, list):
                inner.extend(item for item in one if isinstance(item, dict | list))
        level = inner
        depth += 1
    return depth


def _find_repeated(value: object, path: str, faults: Faults) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            if key in seen:
                faults.add(at_key(path, key), f"the key {shown(key)} is given twice")
            seen.add(key)
            _find_repeated(item, at_key(path, key), faults)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _find_repeated(item, at_index(path, index), faults)


def _find_surrogates(value: object, path: str, faults: Faults) -> None:
    """Note every text that is no Unicode text because half of a surrogate pair is missing."""
    if isinstance(value, str) and not _is_unicode(value):
        faults.add(path, "half of a surrogate pair is no character")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _find_surrogates(item, at_index(path, index), faults)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not _is_unicode(key):
                faults.add(path, "a key with half of a surrogate pair is no text")
                continue
            _find_surrogates(item, at_key(path, key), faults)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
