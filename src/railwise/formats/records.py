"""Mappings with known keys: an unknown key is a fault that names the path and the key that was probably meant.

A misspelt rule that is silently ignored scatters a gang, so nothing is ignored. What a key may hold is its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from railwise.formats.faults import Faults, at_key, described, guess
from railwise.formats.kinds import Definitions, Kind, Schema

T = TypeVar("T")


class Deferred(Kind[T]):
    """A kind that is named later, for records that hold themselves."""

    or_nothing = True

    def __init__(self, name: Callable[[], Kind[T]]) -> None:
        """Keep how to get it."""
        self.name = name

    def read(self, value: object, path: str, faults: Faults) -> T | None:
        """Return what the kind reads."""
        return self.name().read(value, path, faults)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return self.name().schema(definitions)


class Field(NamedTuple):
    """One key of a record: its kind, a line for the schema, and whether it must be there."""

    kind: Kind[Any]
    about: str
    required: bool = False


class Record(Kind[dict[str, Any]]):
    """A mapping with known keys. ``hints`` tell, for keys people write by mistake, what they meant."""

    or_nothing = True

    def __init__(self, name: str, fields: Mapping[str, Field], hints: Mapping[str, str] | None = None) -> None:
        """Keep the table of keys; ``name`` is the definition's name in the schema."""
        self.name = name
        self.fields = dict(fields)
        self.hints = hints or {}
        self._required = [key for key, field in self.fields.items() if field.required]

    def read(self, value: object, path: str, faults: Faults) -> dict[str, Any] | None:
        """Return the sound entries by key."""
        if not isinstance(value, dict):
            faults.add(path, f"expected a mapping, not {described(value)}")
            return None
        found = {}
        fields = self.fields
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                self._unknown(key, path, faults)
                continue
            kind = field.kind
            if item is None and kind.or_nothing:
                continue
            read = kind.read(item, f"{path}.{key}" if path else key, faults)
            if read is not None:
                found[key] = read
        for key in self._required:
            if value.get(key) is None and (key not in value or fields[key].kind.or_nothing):
                faults.add(at_key(path, key), f"the field '{key}' is required")
        return found

    def _unknown(self, key: str, path: str, faults: Faults) -> None:
        if key in self.hints:
            faults.add(at_key(path, key), f"unknown field, {self.hints[key]}")
            return
        likely = "" if faults.full() else guess(key, self.fields)
        hint = "" if likely else f"known fields: {', '.join(self.fields)}"
        faults.add(at_key(path, key), f"unknown field{likely}", hint)

    def schema(self, definitions: Definitions) -> Schema:
        """Return a reference to the definition."""
        if self.name not in definitions:
            definitions[self.name] = {}
            properties = {}
            for key, field in self.fields.items():
                properties[key] = field.kind.schema(definitions) | {"description": field.about}
            definitions[self.name] = {"type": "object", "properties": properties, "additionalProperties": False}
            if self._required:
                definitions[self.name]["required"] = self._required
        return {"$ref": f"#/$defs/{self.name}"}
