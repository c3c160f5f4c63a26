"""The numbers of a connection: how many, how long, how large; and who wants to hear about each request."""

from __future__ import annotations

from dataclasses import dataclass

from railwise.kubeapi.errors import ApiError
from railwise.kubeapi.retry import PATIENT, Backoff, RetryPolicy

MIB = 1 << 20

UNHURRIED = Backoff(0.2, 30.0)
"""Between two tries of a watch."""


@dataclass(frozen=True)
class Settings:
    """Bounds of everything a connection does; times in seconds, sizes in bytes.

    ``connections`` are open at once, more requests wait for one. ``silence`` is how long a watch may say nothing
    before it is opened anew from where it stood; ``watch_time`` is how long the server is asked to keep one open.
    ``page`` is the number of objects a list brings at a time; ``streaming``: ask for lists as a stream first.
    """

    connections: int = 64
    connect_timeout: float = 10.0
    timeout: float = 30.0
    list_timeout: float = 120.0
    silence: float = 150.0
    watch_time: int = 600
    page: int = 500
    streaming: bool = True
    compress: bool = False
    largest_answer: int = 512 * MIB
    largest_object: int = 16 * MIB
    retry: RetryPolicy = PATIENT
    watch_backoff: Backoff = UNHURRIED


class Observer:
    """Hooks for metrics; this one hears everything and does nothing, so that others override what they want."""

    def request(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """Hear of an answer, or of none (``code`` 0)."""

    def repeated(self, verb: str, resource: str, wait: float) -> None:
        """Hear that a request is sent again after ``wait`` seconds."""

    def listed(self, resource: str, objects: int) -> None:
        """Hear that everything was listed (again)."""

    def watched(self, resource: str, end: str) -> None:
        """Hear how a watch ended: ``closed``, ``gone``, ``broken`` or ``refused``."""

    def trouble(self, resource: str, error: ApiError) -> None:
        """Hear why a watch is opened anew, other than by the server's regular end of it."""

    def unreadable(self, resource: str) -> None:
        """Hear of an object that is not what its kind promises."""

    def dropped_event(self, reason: str) -> None:
        """Hear of an event for people that was not written: ``rate`` or ``queue``."""
