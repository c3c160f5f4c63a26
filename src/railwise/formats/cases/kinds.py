"""The kinds of values that only policy tests have: bounds, fair shares, values read later or made into nouns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from railwise.formats.cases.model import Bounds, Share
from railwise.formats.faults import Faults, at_key, described
from railwise.formats.kinds import ByForm, Definitions, Kind, Schema, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import COUNT, CPU, MEMORY, NAME, THOUSANDTHS

NUMBER: Final = Whole(0, 10**9)
"""A number of pods, nodes, cards or domains."""

LINE: Final = Text(r"[^\x00-\x1f\x7f-\x9f]+", 2000, "a text of one line")
"""A name or path as a message would show it."""


class Within(Kind[Bounds]):
    """A number, or ``{min, max}``; numbers are of one kind."""

    def __init__(self, name: str, number: Kind[int], *forms: type) -> None:
        """Keep the kind of number and the types it is written in."""
        about = "the bound itself is allowed"
        record = Record(name, {"min": Field(number, f"at least; {about}"), "max": Field(number, f"at most; {about}")})
        self._either: ByForm[Any] = ByForm("a number or {min, max}", dict.fromkeys(forms, number) | {dict: record})

    def read(self, value: object, path: str, faults: Faults) -> Bounds | None:
        """Return the bounds."""
        read = self._either.read(value, path, faults)
        if not isinstance(read, dict):
            return None if read is None else Bounds(read, read)
        bounds = Bounds(read.get("min"), read.get("max"))
        if bounds == Bounds():
            faults.add(path, "expected a number or {min, max}")
        elif bounds.least is not None and bounds.most is not None and bounds.least > bounds.most:
            faults.add(path, f"the minimum {bounds.least} is above the maximum {bounds.most}")
        return bounds

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return self._either.schema(definitions)


class Shares(Kind[Share]):
    """A queue and its fair share per resource."""

    def read(self, value: object, path: str, faults: Faults) -> Share | None:
        """Return the share in base units."""
        if not isinstance(value, dict) or not {"queue"} < set(value):
            faults.add(
                path, f"expected a queue and amounts such as {{queue: research, gpu: 12}}, not {described(value)}"
            )
            return None
        kinds: dict[object, Kind[int]] = {"gpu": THOUSANDTHS, "cpu": CPU, "memory": MEMORY}
        queue = NAME.read(value["queue"], at_key(path, "queue"), faults)
        amounts: dict[str, int] = {}
        for resource, amount in value.items():
            if resource != "queue":
                read = kinds.get(resource, COUNT).read(amount, at_key(path, resource), faults)
                amounts[str(resource)] = read or 0
        return Share(queue or "", amounts)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        amount = COUNT.schema(definitions)
        queue = NAME.schema(definitions)
        return {"type": "object", "properties": {"queue": queue}, "required": ["queue"], "additionalProperties": amount}


class Made(Kind[Any]):
    """A record whose entries become a value of the model by ``make``."""

    def __init__(self, record: Record, make: Callable[[dict[str, Any]], object]) -> None:
        """Keep the record and what is made of its entries."""
        self._record = record
        self._make = make

    def read(self, value: object, path: str, faults: Faults) -> object | None:
        """Return what is made; an empty mapping is a fault."""
        if value == {}:
            faults.add(path, "asserts nothing")
        before = faults.count()
        entries = self._record.read(value, path, faults)
        return self._make(entries) if entries is not None and faults.count() == before else None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return self._record.schema(definitions)
