"""Near misses: what somebody probably meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from railwise.cli.errors import HintedError

_LISTED = 12
_ALIKE = 0.6
_NEARLY = 0.1
"""How alike a name must be to be suggested, and how much less alike than the best one it may be."""


def unknown(kind: str, name: str, known: Sequence[str]) -> HintedError:
    """Return the error for an unknown name, with near misses or, where there are few, all known ones."""
    alike = {one: SequenceMatcher(None, name.lower(), one.lower()).ratio() for one in known}
    best = max(alike.values(), default=0.0)
    meant = [one for one, ratio in alike.items() if ratio >= max(_ALIKE, best - _NEARLY)]
    if meant:
        hint = f"did you mean {' or '.join(meant[:3])}?"
    elif not known:
        hint = f"there is no {kind} in the input"
    elif len(known) <= _LISTED:
        hint = f"known: {', '.join(known)}"
    else:
        hint = f"known: {', '.join(known[:_LISTED])} and {len(known) - _LISTED} more"
    return HintedError(f"there is no {kind} '{name}'", hint)
