"""How many examples a property gets that is dearer than most: fewer than usual, and in the fast check fewer still."""

from __future__ import annotations

from hypothesis import settings

PLENTY = 100
"""Examples that the default profile tries; a profile with fewer bounds every property."""


def examples(number: int) -> settings:
    """Return settings for that many examples, or as many as the profile allows if it allows fewer than usual."""
    allowed = settings.default.max_examples if settings.default is not None else PLENTY
    return settings(max_examples=number if allowed >= PLENTY else min(number, allowed))
