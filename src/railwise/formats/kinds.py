"""What a value of a document may be: one table of keys from which reader, suggestions and JSON Schema all come.

A reader and a schema written apart drift apart, and an editor that accepts what the program refuses is worse than none.
So each key has a kind, and a kind can do both: read a value, noting every fault with its path, and describe itself as
JSON Schema. ``read`` returns None after a fault; whoever builds on it goes on with what is sound, so that one run names
all faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Generic, TypeVar

from railwise.formats.faults import Faults, at_index, at_key, described, guess, shown

T = TypeVar("T")
Schema = dict[str, Any]
Definitions = dict[str, Schema]


class Kind(Generic[T]):
    """A kind of value; ``or_nothing`` says whether null means that the key is not given."""

    or_nothing = False

    def read(self, value: object, path: str, faults: Faults) -> T | None:
        """Return the value in model form; None after a fault."""
        raise TypeError(f"{type(self).__name__} does not read {path}: {described(value)}, {faults.count()} faults")

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema; records put theirs under their name into ``definitions``."""
        raise TypeError(f"{type(self).__name__} has no schema beside {len(definitions)} definitions")


class Anything(Kind[object]):
    """A value that somebody else reads, perhaps later and because it may well be faulty; ``form`` is its schema."""

    def __init__(self, form: Schema) -> None:
        """Keep the schema."""
        self._form = form

    def read(self, value: object, path: str, faults: Faults) -> object:
        """Return the value as it stands."""
        del path, faults
        return value

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return dict(self._form)


class Whole(Kind[int]):
    """A whole number from ``least`` to ``most``, both included."""

    def __init__(self, least: int, most: int) -> None:
        """Keep the bounds."""
        self.least = least
        self.most = most

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        """Return the number; a bool, a float or a text is none."""
        if type(value) is int and self.least <= value <= self.most:
            return value
        faults.add(path, f"expected a whole number from {self.least} to {self.most}, not {described(value)}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Flag(Kind[bool]):
    """True or false."""

    def read(self, value: object, path: str, faults: Faults) -> bool | None:
        """Return the bool."""
        if isinstance(value, bool):
            return value
        faults.add(path, f"expected true or false, not {described(value)}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "boolean"}


class Choice(Kind[str]):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        """Keep the words."""
        self.words = words

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        """Return the word."""
        if isinstance(value, str) and value in self.words:
            return value
        known = ", ".join(self.words[:-1]) + f" or {self.words[-1]}" if len(self.words) > 1 else f"'{self.words[0]}'"
        likely = "" if faults.full() else guess(value, self.words)
        faults.add(path, f"expected {known}, not {described(value)}{likely}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"enum": list(self.words)}


class Text(Kind[str]):
    """A text of a certain form and length; ``expected`` completes "expected …"."""

    def __init__(self, pattern: str, most: int, expected: str) -> None:
        """Keep the form."""
        self.form = re.compile(pattern, re.ASCII)
        self.most = most
        self.expected = expected

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        """Return the text."""
        problem = self.problem(value)
        if not problem:
            return value if isinstance(value, str) else None
        faults.add(path, problem)
        return None

    def problem(self, value: object) -> str:
        """Return what is wrong with a value; empty: nothing."""
        if isinstance(value, str):
            if len(value) <= self.most and self.form.fullmatch(value):
                return ""
            if len(value) > self.most:
                return f"expected at most {self.most} characters, not {len(value)}"
            return f"expected {self.expected}, not {shown(value)}"
        if isinstance(value, bool | int | float):
            return f"expected {self.expected}, not {described(value)}: quote it"
        return f"expected {self.expected}, not {described(value)}"

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": f"^(?:{self.form.pattern})$", "maxLength": self.most}


class Parsed(Kind[int]):
    """A quantity: a text, or a bare number where ``numbers`` says so, in base units after ``parse``."""

    def __init__(
        self, parse: Callable[[str], int], expected: str, pattern: str, *, numbers: bool, least: int = 0
    ) -> None:
        """Keep how it is parsed; ``parse`` raises ValueError with what was expected."""
        self.parse = lru_cache(maxsize=4096)(parse)
        self.expected = expected
        self.pattern = pattern
        self.numbers = numbers
        self.least = least

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        """Return the quantity in base units."""
        if isinstance(value, str):
            text = value
        elif self.numbers and isinstance(value, int | float) and not isinstance(value, bool):
            text = repr(value)
        else:
            faults.add(path, f"{self.expected}, not {described(value)}")
            return None
        try:
            number = self.parse(text)
        except ValueError as error:
            faults.add(path, f"{error}, not {shown(value) if isinstance(value, str) else described(value)}")
            return None
        if number < self.least:
            faults.add(path, f"{self.expected}, not {shown(value) if isinstance(value, str) else described(value)}")
            return None
        return number

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        text: Schema = {"type": "string", "pattern": self.pattern}
        return {"anyOf": [text, {"type": "number", "minimum": 0}]} if self.numbers else text


class ListOf(Kind[list[T]]):
    """A list of values of one kind, at least ``least`` of them; faulty items are left out."""

    or_nothing = True

    def __init__(self, item: Kind[T], least: int = 0) -> None:
        """Keep the kind of an item."""
        self.item = item
        self.least = least

    def read(self, value: object, path: str, faults: Faults) -> list[T] | None:
        """Return the sound items."""
        if not isinstance(value, list):
            faults.add(path, f"expected a list, not {described(value)}")
            return None
        if len(value) < self.least:
            faults.add(path, f"expected at least {self.least} item{'s' if self.least > 1 else ''} in the list")
        read = self.item.read
        items = (read(item, at_index(path, index), faults) for index, item in enumerate(value))
        return [item for item in items if item is not None]

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        schema: Schema = {"type": "array", "items": self.item.schema(definitions)}
        return schema | {"minItems": self.least} if self.least else schema


class MapOf(Kind[dict[str, T]]):
    """A mapping whose keys are texts of one form and whose values are of one kind."""

    or_nothing = True

    def __init__(self, key: Text, value: Kind[T]) -> None:
        """Keep the kinds of key and value."""
        self.key = key
        self.value = value

    def read(self, value: object, path: str, faults: Faults) -> dict[str, T] | None:
        """Return the sound entries."""
        if not isinstance(value, dict):
            faults.add(path, f"expected a mapping, not {described(value)}")
            return None
        found = {}
        for key, item in value.items():
            problem = self.key.problem(key)
            if problem:
                faults.add(at_key(path, key), f"the key: {problem}")
                continue
            read = self.value.read(item, at_key(path, key), faults)
            if read is not None:
                found[key] = read
        return found

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return {
            "type": "object",
            "propertyNames": self.key.schema(definitions),
            "additionalProperties": self.value.schema(definitions),
        }


class ByForm(Kind[T]):
    """A value that may be written in several forms, told apart by their type: mapping, list, text, number."""

    def __init__(self, expected: str, forms: Mapping[type, Kind[Any]], *, or_nothing: bool = False) -> None:
        """Keep the kind per type (dict, list, str, int, bool)."""
        self.expected = expected
        self.forms = forms
        self.or_nothing = or_nothing

    def read(self, value: object, path: str, faults: Faults) -> T | None:
        """Return what the kind of the value's type reads."""
        kind = self.forms.get(type(value))
        if kind is None:
            faults.add(path, f"expected {self.expected}, not {described(value)}")
            return None
        result: T | None = kind.read(value, path, faults)
        return result

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [kind.schema(definitions) for kind in self.forms.values()]}
