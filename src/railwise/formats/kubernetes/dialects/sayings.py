"""A value that somebody said somewhere, under the key of our own annotation that says the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Said(NamedTuple):
    """A value and the path where it stands; ``of`` is the dialect by whose names a queue or topology is meant."""

    value: str
    path: str
    of: str = ""


Says = Mapping[str, Said]
"""What an object says, by the keys of our own annotations and a few more: see ``annotations.Wishes``."""


NOTHING_SAID: Final[Says] = {}
"""Nothing."""
