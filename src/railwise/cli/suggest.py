"""Near misses: what somebody probably meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from railwise.cli.errors import HintedError

_LISTED = 12


def unknown(kind: str, name: str, known: Sequence[str]) -> HintedError:
    """Return the error for an unknown name, with near misses or, where there are few, all known ones."""
    close = get_close_matches(name.lower(), [one.lower() for one in known], n=3, cutoff=0.6)
    meant = [one for one in known if one.lower() in close]
    if meant:
        hint = f"did you mean {' or '.join(meant[:3])}?"
    elif not known:
        hint = f"there is no {kind} in the input"
    elif len(known) <= _LISTED:
        hint = f"known: {', '.join(known)}"
    else:
        hint = f"known: {', '.join(known[:_LISTED])} and {len(known) - _LISTED} more"
    return HintedError(f"there is no {kind} '{name}'", hint)
