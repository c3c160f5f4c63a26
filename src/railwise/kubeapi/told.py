"""Trouble in words: a controller whose watches break should not look like one that has nothing to do."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from railwise.kubeapi.errors import ApiError
from railwise.kubeapi.settings import Observer

QUIET = 60.0
"""Seconds for which no more is told of the same resource."""


class ToldTrouble(Observer):
    """Writes to a log why watches are opened anew; of each resource at most once a minute."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep where to write."""
        self._log = log
        self._clock = clock
        self._told: dict[str, float] = {}

    def trouble(self, resource: str, error: ApiError) -> None:
        """Tell it, unless something was told of this resource a moment ago."""
        now = self._clock()
        if now - self._told.get(resource, -QUIET) >= QUIET:
            self._told[resource] = now
            self._log.warning("watch of %s: %s", resource, error)
