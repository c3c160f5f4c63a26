"""Proofs of who we are that need no program: none, fixed ones, and a token file that somebody else keeps fresh."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from railwise.kubeapi.access import ClientCertificate
from railwise.kubeapi.errors import KubeconfigError

REREAD = 60.0
"""Seconds after which a token file is read again: the kubelet replaces a pod's token well before it expires."""


def bearer(token: str) -> dict[str, str]:
    """Return the header for a token."""
    return {"Authorization": f"Bearer {token}"}


def basic(username: str, password: str) -> dict[str, str]:
    """Return the header for a user name and password."""
    packed = base64.b64encode(f"{username}:{password}".encode()).decode()
    return {"Authorization": f"Basic {packed}"}


class FixedCredentials:
    """Headers and a certificate that do not change."""

    def __init__(self, headers: Mapping[str, str] | None = None, certificate: ClientCertificate | None = None) -> None:
        """Keep both; neither means an anonymous client."""
        self._headers = dict(headers or {})
        self._certificate = certificate

    async def headers(self) -> Mapping[str, str]:
        """Return the headers."""
        return self._headers

    def certificate(self) -> ClientCertificate | None:
        """Return the certificate."""
        return self._certificate

    def refused(self) -> bool:
        """There is nothing else to show."""
        return False


class TokenFile:
    """A token in a file that is read again after a minute, and at once when the server refuses it."""

    def __init__(
        self,
        path: Path,
        certificate: ClientCertificate | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the path; nothing is read yet."""
        self._path = path
        self._certificate = certificate
        self._clock = clock
        self._headers: dict[str, str] = {}
        self._read_at = float("-inf")

    async def headers(self) -> Mapping[str, str]:
        """Return the header for the token as the file has it.

        A file that cannot be read for a moment, while it is replaced, leaves the last token in use.

        Raises:
            KubeconfigError: it could not be read yet.
        """
        if self._clock() - self._read_at >= REREAD:
            try:
                token = self._path.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                if not self._headers:
                    raise KubeconfigError(str(self._path), "tokenFile", f"cannot be read: {error}") from None
                return self._headers
            if token:
                self._headers = bearer(token)
                self._read_at = self._clock()
            elif not self._headers:
                raise KubeconfigError(str(self._path), "tokenFile", "the file is empty")
        return self._headers

    def certificate(self) -> ClientCertificate | None:
        """Return the certificate."""
        return self._certificate

    def refused(self) -> bool:
        """Read the file again next time."""
        self._read_at = float("-inf")
        return True
