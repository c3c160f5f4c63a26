"""How a fault of an input is told: where it stands, what was expected, what was found, and a guess at what was meant.

All faults of a document are collected, so that one run names them all. What is quoted from the input is cut short and
escaped, because it may be a megabyte or an escape sequence for somebody's terminal.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from functools import lru_cache

from railwise.model.errors import Fault, InputError

MOST_FAULTS = 1000
"""So many faults are told one by one; of more only the number."""

MOST_SHOWN = 48
"""So many characters of a value are quoted."""

_LARGEST_SHOWN = 10**MOST_SHOWN
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_<-]{1,64}", re.ASCII)


class Faults:
    """The faults and warnings found so far while one document is read, and how much of its bounds is ``spent``."""

    def __init__(self) -> None:
        """Start with none."""
        self.found: list[Fault] = []
        self.warnings: list[str] = []
        self.left_out = 0
        self.spent: dict[str, int] = {}

    def add(self, path: str, message: str, hint: str = "") -> None:
        """Note a fault."""
        if len(self.found) < MOST_FAULTS:
            self.found.append(Fault(path, message, hint))
        else:
            self.left_out += 1

    def warn(self, path: str, message: str) -> None:
        """Note an odd fact that loads all the same."""
        self.warnings.append(f"{path}: {message}" if path else message)

    def full(self) -> bool:
        """Return whether further faults are only counted, so that nothing need be worked out to tell them."""
        return len(self.found) >= MOST_FAULTS

    def count(self) -> int:
        """Return how many faults there are."""
        return len(self.found) + self.left_out

    def raise_any(self, source: str) -> None:
        """Raise an InputError with all faults, if there are any."""
        if not self.found:
            return
        more = [Fault("", f"and {self.left_out} more faults")] if self.left_out else []
        raise InputError(self.found + more, source)


def at_key(path: str, key: object) -> str:
    """Return the path of a mapping's entry: ``spec.nodes``, or ``labels["example.com/pool"]`` for unusual keys."""
    step = _step(key if isinstance(key, str) else str(key))
    return path + step if path else step.removeprefix(".")


@lru_cache(maxsize=4096)
def _step(key: str) -> str:
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{shown(key, quote=True)}]"


def at_index(path: str, index: int) -> str:
    """Return the path of a list's item: ``spec.nodes[3]``."""
    return f"{path}[{index}]"


def shown(value: object, *, quote: bool = False) -> str:
    """Return a value as it may be quoted in a message: on one line, without control characters, cut short."""
    if isinstance(value, str):
        text = json.dumps(value[: MOST_SHOWN + 1], ensure_ascii=False)[1:-1]
        text = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
        if len(text) > MOST_SHOWN:
            text = text[:MOST_SHOWN] + "…"
        return f'"{text}"' if quote else f"'{text}'"
    return described(value)


def described(value: object) -> str:
    """Return what kind of value was found, with the value where it is short: ``the number 8``, ``a list``."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes (true)" if value else "no (false)"
    if isinstance(value, int | float):
        return f"the number {value!r:.{MOST_SHOWN}}" if not abs(value) > _LARGEST_SHOWN else "a number far too large"
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, bytes):
        return "bytes"
    return "a list" if isinstance(value, list) else "a mapping"


def guess(word: object, choices: Iterable[str]) -> str:
    """Return ``, did you mean 'topology'?`` where one of the choices is close to the word, else nothing."""
    if not isinstance(word, str) or len(word) > MOST_SHOWN:
        return ""
    known = list(choices)
    if word in known:
        return ""
    for choice in known:
        if word.casefold().replace("_", "").replace("-", "") == choice.casefold().replace("-", ""):
            return f", did you mean '{choice}'?"
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f", did you mean '{close[0]}'?" if close else ""
