"""What the API server tells of itself by how it answers, as figures for Prometheus."""

from __future__ import annotations

import logging
from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from railwise.kubeapi.told import ToldTrouble

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Measured(ToldTrouble):
    """Counts and times requests, watches and what cannot be read, and tells of trouble in words."""

    def __init__(self, log: logging.Logger, registry: CollectorRegistry) -> None:
        """Register everything."""
        super().__init__(log)
        self._requests: Final = Counter(
            "railwise_api_requests",
            "Requests to the API server, by their answer; code 0: there was none.",
            ["verb", "resource", "code"],
            registry=registry,
        )
        self._seconds: Final = Histogram(
            "railwise_api_request_seconds",
            "Seconds until an answer, watches until they are open.",
            ["verb"],
            buckets=SECONDS,
            registry=registry,
        )
        # Most requests are one of a few, and finding a child takes longer than counting.
        self._answers = cache(lambda verb, resource, code: self._requests.labels(verb, resource, str(code)))
        self._times = cache(self._seconds.labels)
        self._repeated: Final = Counter(
            "railwise_api_retries", "Requests that were sent again.", ["verb", "resource"], registry=registry
        )
        self._listed: Final = Counter(
            "railwise_api_lists", "Times that everything of a kind was read anew.", ["resource"], registry=registry
        )
        self._watches: Final = Counter(
            "railwise_watch_restarts",
            "Watches that ended and were opened anew: closed (as usual), gone (too old), broken or refused.",
            ["resource", "end"],
            registry=registry,
        )
        self._unreadable: Final = Counter(
            "railwise_unreadable_objects",
            "Objects that are not what their kind promises, each time they were seen.",
            ["resource"],
            registry=registry,
        )
        self._dropped: Final = Counter(
            "railwise_dropped_events", "Events for people that were not written, by why.", ["reason"], registry=registry
        )

    def request(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """Hear of an answer, or of none (``code`` 0)."""
        self._answers(verb, resource, code).inc()
        self._times(verb).observe(seconds)

    def repeated(self, verb: str, resource: str, wait: float) -> None:
        """Hear that a request is sent again after ``wait`` seconds."""
        del wait
        self._repeated.labels(verb, resource).inc()

    def listed(self, resource: str, objects: int) -> None:
        """Hear that everything was listed (again)."""
        del objects
        self._listed.labels(resource).inc()

    def watched(self, resource: str, end: str) -> None:
        """Hear how a watch ended."""
        self._watches.labels(resource, end).inc()

    def unreadable(self, resource: str) -> None:
        """Hear of an object that is not what its kind promises."""
        self._unreadable.labels(resource).inc()

    def dropped_event(self, reason: str) -> None:
        """Hear of an event for people that was not written."""
        self._dropped.labels(reason).inc()
