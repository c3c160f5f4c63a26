"""Paths into a document, and setting what stands there: how a sweep varies any field of a scenario.

A path is written as faults name it: ``spec.policy.backfill``, ``spec.nodes[0].name``, ``metadata.labels["a.b/c"]``. An
item of a list may also be named (``spec.queues[nlp].weight``), and ``[*]`` means all items. Mappings on the way are
made where they are missing; items of lists must be there.
"""

from __future__ import annotations

import json
import re
from typing import Any

from railwise.formats.faults import guess, shown

ALL = "*"

EXPECTED = "a path such as spec.policy.backfill or spec.queues[nlp].weight"

_STEP = re.compile(
    r"""\.?(?P<key>[A-Za-z0-9_<-]+)
      | \[(?P<index>[0-9]{1,9})\]
      | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
      | \[(?P<name>[a-z0-9*][a-z0-9.-]*)\]""",
    re.VERBOSE | re.ASCII,
)


class Item(str):
    """A step to the item of a list that has this name; ``*``: to all of them."""

    __slots__ = ()


Step = str | int
"""A key, the number of an item, or an ``Item``."""


def parse_path(text: str) -> tuple[Step, ...]:
    """Return the steps of a path; ValueError, which says what was expected, if it is none."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or (found["key"] and (text[at] == ".") != bool(steps)):
            raise ValueError(f"expected {EXPECTED}, not {shown(text)}")
        if found["key"]:
            steps.append(found["key"])
        elif found["index"]:
            steps.append(int(found["index"]))
        elif found["quoted"]:
            steps.append(_unquoted(found["quoted"]))
        else:
            steps.append(Item(found["name"]))
        at = found.end()
    if not steps:
        raise ValueError(f"expected {EXPECTED}, not an empty text")
    return tuple(steps)


def _unquoted(text: str) -> str:
    try:
        key: str = json.loads(text)
    except ValueError:
        raise ValueError(f"expected {EXPECTED}, not {shown(text)}") from None
    return key


class NoSuchPlaceError(ValueError):
    """A path leads nowhere in this document; the message says from where on."""


def with_value(document: object, steps: tuple[Step, ...], value: object, above: str = "") -> object:
    """Return the document with a value in place of what stands at the path; the document itself is left as it is.

    Raises NoSuchPlaceError where the path leads nowhere.
    """
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, Item) or not isinstance(step, str):
        if not isinstance(document, list):
            raise NoSuchPlaceError(f"{above or 'the document'} is no list, so it has no item [{step}]")
        chosen = _items(document, step, above)
        return [
            with_value(item, rest, value, f"{above}[{index}]") if index in chosen else item
            for index, item in enumerate(document)
        ]
    if document is None:
        document = {}
    if not isinstance(document, dict):
        raise NoSuchPlaceError(f"{above or 'the document'} is no mapping, so it has no field '{step}'")
    below = f"{above}.{step}" if above else step
    changed: dict[str, Any] = dict(document)
    changed[step] = with_value(document.get(step), rest, value, below)
    return changed


def _items(items: list[Any], step: Step, above: str) -> frozenset[int]:
    """Return the numbers of the items that a step names."""
    if isinstance(step, int):
        if step >= len(items):
            raise NoSuchPlaceError(f"{above} has {len(items)} items, so there is no [{step}]")
        return frozenset((step,))
    if step == ALL:
        return frozenset(range(len(items)))
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    if step not in names:
        known = [name for name in names if isinstance(name, str)]
        raise NoSuchPlaceError(f"{above} has no item named '{step}'{guess(str(step), known[:1000])}")
    return frozenset(index for index, name in enumerate(names) if name == step)
