"""What pods of a live cluster may say that no plan does, explained as briefly: these are no codes of the engine."""

from __future__ import annotations

from typing import Final, NamedTuple

from railwise.report.table import STRONG, Cell

INCOMPLETE: Final = "Incomplete"
"""Pods of the gang are missing, so the engine is not asked."""

SURPLUS: Final = "Surplus"
"""Enough of the gang runs without this pod."""


class LiveWord(NamedTuple):
    """A phrase, a paragraph, and what to do."""

    brief: str
    meaning: str
    remedy: str


LIVE_WORDS: Final = {
    INCOMPLETE: LiveWord(
        "the rest of its gang is not there yet",
        "A gang is placed as a whole, and fewer of its pods exist than it needs: as many as its Job, JobSet, "
        "LeaderWorkerSet or PodGroup says, or the annotation railwise.dev/min-pods.",
        "Look why the others are not made: a quota of the namespace, an admission webhook, a controller that is down. "
        "If fewer are enough, say so with railwise.dev/min-pods.",
    ),
    SURPLUS: LiveWord(
        "enough of its gang runs without it",
        "The gang runs with the pods that it needs at least; this one is beyond them, and there is no room for it now.",
        "Nothing: it comes when there is room, by the same rules. If the gang needs it, raise railwise.dev/min-pods.",
    ),
}
"""By the word that stands on the pod."""


def live_word_named(text: str) -> str | None:
    """Return the word of a name, whatever its capitals; None where there is none."""
    return next((word for word in LIVE_WORDS if word.lower() == text.lower()), None)


def live_word_lines(word: str) -> list[Cell]:
    """Return the page of a word as lines for a terminal."""
    page = LIVE_WORDS[word]
    title = Cell(f"{word}: {page.brief}", STRONG)
    said = Cell("Pods of a live cluster say it; it is no reason code of a plan.")
    return [
        title,
        Cell(""),
        Cell(page.meaning),
        Cell(""),
        said,
        Cell(""),
        Cell("What to do", STRONG),
        Cell(f"  {page.remedy}"),
    ]


def live_word_item(word: str) -> dict[str, object]:
    """Return a page as plain data."""
    page = LIVE_WORDS[word]
    return {"word": word, "brief": page.brief, "meaning": page.meaning, "remedies": [page.remedy]}
