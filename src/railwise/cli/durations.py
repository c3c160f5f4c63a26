"""Durations that options give, such as ``--mtbf 30d``: read alike, refused alike."""

from __future__ import annotations


def duration_of(option: str, text: str, hint: str, less: str = "") -> int:
    """Return the value of an option in µs.

    Raises:
        HintedError: it is no duration; or none above 0, where ``less`` says what is wrong with that.
    """
    from railwise.cli.errors import HintedError
    from railwise.model.quantity import parse_duration

    try:
        found = parse_duration(text)
    except ValueError as error:
        raise HintedError(f"{option} {text}: {error}", hint) from None
    if less and found <= 0:
        raise HintedError(f"{option} {text}: {less}", hint)
    return found
