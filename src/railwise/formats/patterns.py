"""Regular expressions that others wrote: read only where they cannot take for ever.

Volcano's Go matches any pattern in linear time; here repeated groups or many repeats could stop a whole scheduler.
"""

from __future__ import annotations

import re
from typing import Final

from railwise.formats.faults import shown

LONGEST_PATTERN: Final = 256
MOST_REPEATS: Final = 4
_NESTED: Final = re.compile(r"\)[*+{]|[*+}][*+{]")
_REPEAT: Final = re.compile(r"[*+{]")


def safe_pattern(pattern: str) -> tuple[re.Pattern[str] | None, str]:
    """Return a pattern that takes little time whatever it meets; None, with the reason, where that is not certain."""
    if len(pattern) > LONGEST_PATTERN or _NESTED.search(pattern) or len(_REPEAT.findall(pattern)) > MOST_REPEATS:
        limits = f"{LONGEST_PATTERN} characters, {MOST_REPEATS} repetitions, no repeated group"
        return None, f"{shown(pattern)} is too much of a pattern to be read: {limits}"
    try:
        return re.compile(pattern), ""
    except re.error as error:
        return None, f"no regular expression: {error}"
