"""When a request is sent again, and after how long: by verb, by answer, by what the server asks for.

Two mistakes are common: to repeat what may have been done already, and to storm a server that is just coming back.
So only what is known not to have been carried out, or may be done twice, is repeated; waiting times grow and are
spread by chance; the server's ``Retry-After`` is a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from railwise.kubeapi.errors import ApiError, ServerError, ThrottledError, UnreachableError

REPEATABLE = frozenset(("GET", "PUT", "DELETE", "PATCH"))
"""Doing these twice ends like doing them once: writes carry a resourceVersion or uid, or set plain values."""


@dataclass(frozen=True)
class Backoff:
    """Waiting times that double from ``first`` to ``most`` seconds, each drawn from its upper half."""

    first: float = 0.1
    most: float = 10.0

    def seconds(self, failures: int, chance: Random) -> float:
        """Return how long to wait after so many failures in a row (from 1)."""
        full = min(self.first * 2.0 ** min(max(failures - 1, 0), 32), self.most)
        return full * (0.5 + chance.random() / 2)


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is tried (``attempts`` in all), and how long a server may make us wait (seconds)."""

    attempts: int = 5
    backoff: Backoff = Backoff()
    longest_wait: float = 60.0

    def wait(self, verb: str, attempt: int, error: ApiError, chance: Random) -> float | None:
        """Return the seconds before the next try, None: the error stands.

        ``attempt`` counts those made so far, from 1.
        """
        if attempt >= self.attempts or not may_repeat(verb, error):
            return None
        asked = getattr(error, "retry_after", None) or 0.0
        if asked > self.longest_wait:
            return None
        return max(asked, self.backoff.seconds(attempt, chance))


PATIENT = RetryPolicy()
"""For requests that are nobody else's to repeat."""

ONCE = RetryPolicy(attempts=1)
"""For requests that are repeated by who makes them."""


def may_repeat(verb: str, error: ApiError) -> bool:
    """Return whether a request that ended so may be sent again."""
    if isinstance(error, ThrottledError):
        return True
    if isinstance(error, UnreachableError):
        return not error.sent or verb in REPEATABLE
    return isinstance(error, ServerError) and (verb in REPEATABLE or error.retry_after is not None)
