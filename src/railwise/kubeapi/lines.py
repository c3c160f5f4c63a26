"""Lines out of chunks: a watch is a line of JSON for each event, cut by the network wherever it likes."""

from __future__ import annotations

from railwise.kubeapi.errors import UnreadableError


class Lines:
    """Collects chunks and gives back whole lines; a line longer than ``longest`` bytes is no event of an API server."""

    def __init__(self, longest: int) -> None:
        """Start empty."""
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that this chunk completes, without their ends; empty lines are left out.

        Raises:
            UnreadableError: the unfinished line has become too long.
        """
        *whole, rest = chunk.split(b"\n")
        if whole:
            self._parts.append(whole[0])
            whole[0] = b"".join(self._parts)
            self._parts, self._size = [], 0
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
            if self._size > self._longest:
                raise UnreadableError(f"a watch event is longer than {self._longest} bytes")
        return [line for line in whole if line and not line.isspace()]

    def unfinished(self) -> int:
        """Return how many bytes of a line are waiting for their end."""
        return self._size
