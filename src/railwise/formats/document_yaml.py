"""YAML, read from the events of libyaml, with a small and strict idea of what a plain word means.

The usual loaders build objects by tag, keep the last of two equal keys and let ten short lines of aliases stand for
billions of items. Reading the events ourselves is as quick and leaves nothing to chance:

- plain words are null, booleans (``yes``, ``no``, ``on``, ``off`` as in YAML 1.1, which Kubernetes uses too), whole
  numbers (also ``0x1f`` and octal ``010``), floats, or else text; a date is text;
- keys are text as written, each once in a mapping; ``<<`` merges mappings;
- aliases share one value; all of them together may stand for at most ``MOST_ALIASED`` items;
- of tags only those of the plain types are known.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping

import yaml

from railwise.formats.faults import Faults, at_index, at_key, shown
from railwise.model.errors import Fault, InputError

MOST_DEPTH = 64
"""Mappings and lists are nested at most so deep."""

MOST_ALIASED = 1_000_000
"""All aliases and merges of an input together stand for at most so many items."""

MOST_NUMBER = 40
"""A plain word of more characters is no number."""

_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL = re.compile(r"[-+]?0[0-7]+")
_HEXADECIMAL = re.compile(r"[-+]?0x[0-9a-fA-F]+")
_BINARY = re.compile(r"[-+]?0b[01]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")

_WORDS: Mapping[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}

_NO_WORD = object()
_MERGE = "<<"
"""The key of a merge. Told by identity: a quoted ``"<<"`` in the text is an equal but not the same object."""


def read_yaml(text: str, source: str, faults: Faults) -> list[object]:
    """Return the values of all documents of a YAML text; an empty document is None.

    Repeated keys and unknown tags are noted as faults; InputError for what cannot be read on.
    """
    parser = yaml.CSafeLoader(text)
    try:
        return _Composer(parser, source, faults).documents()
    except yaml.MarkedYAMLError as error:
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        hint = "indent with spaces, not with tabs" if "\\t" in problem else ""
        raise InputError([Fault("", f"{where}{problem}", hint)], source) from None
    except yaml.reader.ReaderError as error:
        line = text.encode().count(b"\n", 0, error.position) + 1
        raise InputError([Fault("", f"line {line}: {error.reason}")], source) from None
    finally:
        parser.dispose()


class _Mapping:
    """A mapping that is not closed yet: its entries, the key that waits for its value, and what is merged into it."""

    __slots__ = ("anchor", "key", "merges", "seen", "value")

    def __init__(self, anchor: str | None, seen: int) -> None:
        self.value: dict[str, object] = {}
        self.key: str | None = None
        self.merges: list[object] | None = None
        self.anchor = anchor
        self.seen = seen


class _List:
    """A list that is not closed yet."""

    __slots__ = ("anchor", "seen", "value")

    def __init__(self, anchor: str | None, seen: int) -> None:
        self.value: list[object] = []
        self.anchor = anchor
        self.seen = seen


class _Composer:
    """Builds values from events; ``seen`` counts items, those behind aliases included."""

    def __init__(self, parser: yaml.CSafeLoader, source: str, faults: Faults) -> None:
        self.next: Callable[[], yaml.Event | None] = parser.get_event
        self.source = source
        self.faults = faults
        self.seen = 0
        self.aliased = 0
        self.anchors: dict[str | None, tuple[object, int]] = {}
        self.open: list[_Mapping | _List] = []

    def documents(self) -> list[object]:
        values: list[object] = []
        while True:
            event = self.next()
            if isinstance(event, yaml.DocumentStartEvent):
                self.anchors.clear()
                values.append(self._value())
            elif event is None or isinstance(event, yaml.StreamEndEvent):
                return values

    def _value(self) -> object:
        """Return the value of one document, whose start event has been taken."""
        stack = self.open
        while True:
            event = self.next()
            self.seen += 1
            if isinstance(event, yaml.ScalarEvent):
                if stack:
                    top = stack[-1]
                    if isinstance(top, _Mapping) and top.key is None:
                        self._key(top, event)
                        continue
                value = self._scalar(event)
                if event.anchor is not None:
                    self.anchors[event.anchor] = (value, 1)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._start(event)
                continue
            elif isinstance(event, yaml.AliasEvent):
                value = self._alias(event)
            else:
                value = self._close()
            if not stack:
                return value
            self._put(stack[-1], value, event)

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        if len(self.open) >= MOST_DEPTH:
            raise self._refusal(event, f"nested more than {MOST_DEPTH} deep")
        if self.open:
            top = self.open[-1]
            if isinstance(top, _Mapping) and top.key is None:
                raise self._refusal(event, "a key must be text, not a list or a mapping")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag is not None and event.tag != _TAG + ("map" if is_mapping else "seq"):
            self.faults.add(self._path(), f"the tag {shown(event.tag)} is not known here")
        self.open.append((_Mapping if is_mapping else _List)(event.anchor, self.seen))

    def _close(self) -> object:
        frame = self.open.pop()
        if isinstance(frame, _Mapping) and frame.merges is not None:
            self._merge(frame)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (frame.value, self.seen - frame.seen)
        return frame.value

    def _key(self, top: _Mapping, event: yaml.ScalarEvent) -> None:
        key: str = event.value
        if event.anchor is not None:
            self.anchors[event.anchor] = (key, 1)
        if key == _MERGE and event.implicit[0]:
            top.key = _MERGE
            return
        if key in top.value:
            path = at_key(self._path(), key)
            self.faults.add(path, f"the key {shown(key)} is given twice{_line(event)}")
        top.key = key

    def _put(self, top: _Mapping | _List, value: object, event: yaml.Event | None) -> None:
        if isinstance(top, _List):
            top.value.append(value)
            return
        key = top.key
        if key is None:
            raise self._refusal(event, "a key must be text, not an alias")
        if key is _MERGE:
            top.merges = [*(top.merges or []), value]
        else:
            top.value.setdefault(key, value)
        top.key = None

    def _merge(self, frame: _Mapping) -> None:
        """Add what ``<<`` names: a mapping or a list of them, the first one wins, the mapping's own keys before all."""
        given: list[object] = []
        for merge in frame.merges or ():
            given.extend(merge if isinstance(merge, list) else [merge])
        for mapping in given:
            if not isinstance(mapping, dict):
                raise self._refusal(None, "'<<' takes a mapping or a list of mappings")
            self._spend(len(mapping), None)
            for key, value in mapping.items():
                frame.value.setdefault(key, value)

    def _alias(self, event: yaml.AliasEvent) -> object:
        known = self.anchors.get(event.anchor)
        if known is None:
            raise self._refusal(
                event, f"the alias *{(event.anchor or '')[:MOST_NUMBER]} has no finished anchor before it"
            )
        self._spend(known[1], event)
        return known[0]

    def _spend(self, items: int, event: yaml.Event | None) -> None:
        self.seen += items
        self.aliased += items
        if self.aliased > MOST_ALIASED:
            raise self._refusal(event, f"the aliases stand for more than {MOST_ALIASED} items")

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        text: str = event.value
        if event.tag is None:
            return _plain(text) if event.implicit[0] else text
        return self._tagged(event.tag, text)

    def _tagged(self, tag: str, text: str) -> object:
        value = _plain(text)
        if tag in {"!", _TAG + "str"}:
            return text
        if tag == _TAG + "binary":
            try:
                return base64.b64decode("".join(text.split()), validate=True)
            except (binascii.Error, ValueError):
                self.faults.add(self._path(), "!!binary takes base64 text")
                return b""
        if tag == _TAG + "float" and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        types: Mapping[str, type] = {"int": int, "float": float, "bool": bool, "null": type(None)}
        if tag.startswith(_TAG) and type(value) is types.get(tag[len(_TAG) :]):
            return value
        known = tag.startswith(_TAG) and tag[len(_TAG) :] in types
        problem = f"is no {tag[len(_TAG) :]}: {shown(text)}" if known else f"the tag {shown(tag)} is not known here"
        self.faults.add(self._path(), problem)
        return text

    def _path(self) -> str:
        """Return the path of the value that comes next."""
        path = ""
        for frame in self.open:
            if isinstance(frame, _List):
                path = at_index(path, len(frame.value))
            elif frame.key is not None:
                path = at_key(path, frame.key)
        return path

    def _refusal(self, event: yaml.Event | None, message: str) -> InputError:
        """Return the error that ends the reading, with the line where known, else with the path."""
        mark = event.start_mark if event is not None else None
        if mark is None:
            return InputError([Fault(self._path(), message)], self.source)
        return InputError([Fault("", f"line {mark.line + 1}, column {mark.column + 1}: {message}")], self.source)


def _line(event: yaml.Event) -> str:
    return f" (again on line {event.start_mark.line + 1})" if event.start_mark is not None else ""


def _plain(text: str) -> object:
    """Return what a plain word means."""
    word = _WORDS.get(text, _NO_WORD)
    if word is not _NO_WORD:
        return word
    if text[0] in _NUMBER_STARTS and len(text) <= MOST_NUMBER:
        return _number(text)
    return text


def _number(text: str) -> object:
    """Return a number, or the text where it is none."""
    for form, base in ((_INTEGER, 10), (_OCTAL, 8), (_HEXADECIMAL, 16), (_BINARY, 2)):
        if form.fullmatch(text):
            return int(text, base)
    return float(text) if _FLOAT.fullmatch(text) else text
