"""Natural order of names: ``rack-2`` before ``rack-10``, as a person would sort them.

Live clusters have no document order, and ties of the decision go by node order; so the order of names decides, and it
must be one that users can predict.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[0-9]+|[^0-9]+")

NaturalKey = tuple[tuple[int, int, str], ...]


def natural_key(name: str) -> NaturalKey:
    """Return a sort key that compares runs of digits, of any length, by their value, and the rest as text."""
    pieces = []
    for piece in _PIECE.findall(name):
        if piece[0] in "0123456789":
            digits = piece.lstrip("0")
            pieces.append((0, len(digits), digits))
        else:
            pieces.append((1, 0, piece))
    return (*pieces, (2, 0, name))
