"""Names that may stand in a Kubernetes label: legal, short enough, and still different where they were different.

What a fabric calls its racks and switches is anybody's guess: colons, slashes, umlauts, a hundred characters. A label
value has at most 63 letters, digits, ``-``, ``_`` and ``.`` and begins and ends with a letter or digit. Cutting alone
would make two names one, so a name that had to be changed gets the beginning of its hash; unchanged names stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import blake2s
from typing import Final

LONGEST: Final = 63
HASH: Final = 7
_LEGAL: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9._-]+")
_EDGE: Final = "-._"


def is_label(text: str) -> bool:
    """Return whether a text may be the value of a label as it is."""
    return _LEGAL.fullmatch(text) is not None


def label(text: str) -> str:
    """Return a legal value: the text itself, or a readable part of it with seven digits of its hash."""
    if is_label(text):
        return text
    digest = blake2s(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH]
    readable = _ILLEGAL.sub("-", text[:LONGEST]).strip(_EDGE)[: LONGEST - HASH - 1].rstrip(_EDGE)
    return f"{readable}-{digest}" if readable else f"x-{digest}"


def free_label(text: str, taken: Container[str]) -> str:
    """Return a legal value that is not taken yet: the name itself, else the name with the next number."""
    name = label(text)
    number = 2
    candidate = name
    while candidate in taken:
        suffix = f"-{number}"
        candidate = name[: LONGEST - len(suffix)].rstrip(_EDGE) + suffix
        number += 1
    return candidate
