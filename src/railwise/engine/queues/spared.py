"""Which units work of a holder must spare, so that no promise that can be kept is lost.

Units are taken in groups of equal ones, and one of a group speaks for all. What was found is remembered until the books
change, since many workloads may wait for the same promise.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.queues.guarantee import Guarantee
from railwise.engine.queues.keeping import most_kept
from railwise.engine.queues.promises import Books
from railwise.engine.queues.supply import Levels

MOST_TEXTS: Final = 256
"""So many texts are remembered."""


class Spared:
    """The answers for one holder (``SPOILT``: for all work of queues without promises)."""

    def __init__(self, guarantee: Guarantee, holder: int) -> None:
        """Start with nothing remembered."""
        self.guarantee: Final = guarantee
        self.holder: Final = holder
        self._forbidden: Final[dict[bool, tuple[tuple[int, int], set[int]]]] = {}
        self._texts: Final[dict[tuple[bool, int, tuple[Levels, ...]], str]] = {}

    def judges(self, *, firm: bool) -> list[Books]:
        """Return the books that a placement may not worsen.

        Where every promise can be kept beside all protected work, it can be kept beside the firm part of it as well.
        """
        guarantee = self.guarantee
        if not firm or guarantee.kept.kept(guarantee.promised) == guarantee.promised:
            return [guarantee.kept]
        return [guarantee.firm, guarantee.kept]

    def broken(self, judges: list[Books], units: list[int]) -> Books | None:
        """Return the books in which work in these units would break a promise, None where it would not."""
        for books in judges:
            if not books.still_keeps(self.guarantee.promised, units, self.holder):
                return books
        return None

    def forbidden(self, judges: list[Books]) -> set[int]:
        """Return the units in which work would break a promise."""
        now = self.guarantee.firm.version, self.guarantee.kept.version
        known = self._forbidden.get(len(judges) > 1)
        if known is None or known[0] != now:
            known = (now, self._forbidden_beside(judges, []))
            self._forbidden[len(judges) > 1] = known
        return known[1]

    def _forbidden_beside(self, judges: list[Books], taken: list[int]) -> set[int]:
        """Return the units in which work would break a promise, once these others are taken."""
        found: set[int] = set()
        for books in judges:
            kept = books.kept(self.guarantee.promised)
            before = books.try_mark(taken, self.holder)
            for units in books.alike().values():
                inner = books.try_mark(units[:1], self.holder)
                if not books.can_keep(kept):
                    found.update(units)
                books.unmark(units[:1], self.holder, inner)
            books.unmark(taken, self.holder, before)
        return found

    def too_many(self, judges: list[Books], units: list[int]) -> set[int]:
        """Return which units must stay shut where as many as possible of the given ones, the first first, are taken."""
        taken: list[int] = []
        for unit in units:
            if self.broken(judges, [*taken, unit]) is None:
                taken.append(unit)
        return self._forbidden_beside(judges, taken) | set(units).difference(taken)

    def costly(self, judges: list[Books]) -> set[int]:
        """Return the units in which work could matter to a promise at all."""
        found: set[int] = set()
        kinds = self.guarantee.kinds.all
        for books in judges:
            for key, units in books.alike().items():
                if kinds[key[0]].holder != self.holder and any(kinds[kind].usable for kind in key):
                    found.update(units)
        return found

    def text(self, books: Books, units: list[int]) -> str:
        """Name the first promise that work in these units would break."""
        guarantee = self.guarantee
        key = (books is guarantee.firm, books.version, tuple(sorted([books.kinds_of(unit) for unit in units])))
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            known = self._texts[key] = self._broken_text(books, units)
        return known

    def _broken_text(self, books: Books, units: list[int]) -> str:
        guarantee = self.guarantee
        kept = books.kept(guarantee.promised)
        before = books.try_mark(units, self.holder)
        after = most_kept(books.can_keep, kept)
        books.unmark(units, self.holder, before)
        for level, name in enumerate(guarantee.level_names):
            for holder, queue in enumerate(guarantee.holders):
                count = kept[holder][level]
                if after[holder][level] < count:
                    return (
                        f"there is room, but only where the guarantee of queue '{queue}' ({count} {name}) could not be "
                        "kept any more"
                    )
        return "there is room, but only where a guarantee could not be kept any more"
