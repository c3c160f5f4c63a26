"""How a server is reached and who we are there: the one value that a connection is made from."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from railwise.kubeapi.errors import KubeconfigError


class ClientCertificate(NamedTuple):
    """A certificate with its key, both PEM."""

    certificate: str
    key: str


class Credentials(Protocol):
    """Who we are, for one server; may change while a connection lives."""

    async def headers(self) -> Mapping[str, str]:
        """Return the headers that prove it, fetched anew if they have expired."""
        ...

    def certificate(self) -> ClientCertificate | None:
        """Return the client certificate as of the last ``headers()``, if one is used."""
        ...

    def refused(self) -> bool:
        """Hear that the server answered 401; return whether asking for headers again may bring others."""
        ...


@dataclass(frozen=True)
class Access:
    """A server's address, how its certificate is checked (``authority``: PEM, empty: the system's), and who we are."""

    server: str
    credentials: Credentials
    authority: str = ""
    server_name: str = ""
    insecure: bool = False
    proxy: str = ""
    namespace: str = "default"
    context: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    compress: bool = True

    def host(self) -> str:
        """Return the server's host name or address."""
        return urlsplit(self.server).hostname or ""

    def tls(self, certificate: ClientCertificate | None) -> ssl.SSLContext | None:
        """Return what checks the server and shows our certificate; None for a server without TLS.

        Raises:
            KubeconfigError: a certificate or key cannot be read.
        """
        if not self.server.startswith("https"):
            return None
        try:
            context = ssl.create_default_context(cadata=self.authority or None)
        except (ssl.SSLError, ValueError) as error:
            raise KubeconfigError("", "certificate-authority", f"no PEM certificate ({_short(error)})") from None
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if certificate is not None:
            _show(context, certificate)
        return context


def _show(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    """Load a certificate and key; the library reads files only, so they exist for a moment, for this user alone."""
    with tempfile.TemporaryDirectory(prefix="railwise-") as folder:
        pair = Path(folder) / "pair.pem"
        pair.touch(mode=0o600)
        pair.write_text(f"{certificate.certificate}\n{certificate.key}\n", encoding="utf-8")
        try:
            context.load_cert_chain(pair)
        except (ssl.SSLError, ValueError) as error:
            message = f"certificate and key do not fit together or are no PEM ({_short(error)})"
            raise KubeconfigError("", "client-certificate", message) from None


def _short(error: Exception) -> str:
    return getattr(error, "reason", None) or str(error)
