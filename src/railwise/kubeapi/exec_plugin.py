"""Credentials from a program, as cloud providers hand them out: run it, keep what it says until that expires.

The contract is Kubernetes' ``client.authentication.k8s.io``: the program is told about the request in the variable
KUBERNETES_EXEC_INFO and prints an ExecCredential. It may be slow, missing or wrong, so it runs beside everything else,
within a minute, once for all who wait for it, and what it printed on standard error stands in the error. A token is
never printed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from railwise.kubeapi.access import ClientCertificate
from railwise.kubeapi.credentials import bearer
from railwise.kubeapi.errors import KubeconfigError
from railwise.kubeapi.kubeconfig_schema import CamelPart, Exec

VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
TIMEOUT = 60.0
EARLY = 10.0
"""Seconds before the expiry at which a credential is no longer used."""

LONGEST_TEXT = 400


class _Status(CamelPart, frozen=True):
    expiration_timestamp: str = ""
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""


class _ExecCredential(CamelPart, frozen=True):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


def now() -> float:
    """Return the time in seconds since 1970."""
    return datetime.now(UTC).timestamp()


class ExecPlugin:
    """Credentials that a program hands out."""

    def __init__(
        self,
        source: str,
        spec: Exec,
        cluster: Mapping[str, Any],
        certificate: ClientCertificate | None = None,
        clock: Callable[[], float] = now,
    ) -> None:
        """Keep what to run; ``cluster`` is told to a plugin that asks for it, ``source`` is the file that names it.

        ``certificate`` is used where the program hands out none.

        Raises:
            KubeconfigError: the plugin speaks a version that is not supported.
        """
        if spec.api_version not in VERSIONS:
            hint = f"supported: {', '.join(VERSIONS)}"
            raise KubeconfigError(source, "exec.apiVersion", f"'{spec.api_version}' is not supported", hint)
        self._source = source
        self._spec = spec
        self._cluster = cluster
        self._certificate = certificate
        self._clock = clock
        self._lock = asyncio.Lock()
        self._status: _Status | None = None
        self._expires = float("inf")

    async def headers(self) -> Mapping[str, str]:
        """Return the header for the token, running the program if there is none or it has expired.

        Raises:
            KubeconfigError: the program cannot be run, fails, or prints something else than a credential.
        """
        async with self._lock:
            if self._status is None or self._clock() > self._expires - EARLY:
                self._status = await self._run()
                self._expires = self._expiry(self._status)
            return bearer(self._status.token) if self._status.token else {}

    def certificate(self) -> ClientCertificate | None:
        """Return the certificate that the program handed out last, else the fixed one."""
        status = self._status
        if status is None or not status.client_certificate_data:
            return self._certificate
        return ClientCertificate(status.client_certificate_data, status.client_key_data)

    def refused(self) -> bool:
        """Run the program again next time."""
        self._status = None
        return True

    def _expiry(self, status: _Status) -> float:
        if not status.expiration_timestamp:
            return float("inf")
        try:
            return datetime.fromisoformat(status.expiration_timestamp).timestamp()
        except ValueError:
            raise self._error(f"expirationTimestamp '{status.expiration_timestamp[:40]}' is no time") from None

    async def _run(self) -> _Status:
        spec = self._spec
        command = spec.command
        if os.sep in command:
            command = str(Path(self._source).parent / command)
        info = {"apiVersion": spec.api_version, "kind": "ExecCredential", "spec": {"interactive": False}}
        if spec.provide_cluster_info:
            info["spec"] = {"interactive": False, "cluster": dict(self._cluster)}
        variables = {
            **os.environ,
            **{one.name: one.value for one in spec.env or ()},
            "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode(),
        }
        try:
            process = await asyncio.create_subprocess_exec(
                command,
                *(spec.args or ()),
                env=variables,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            hint = spec.install_hint.strip() or "install the plugin that the kubeconfig names, or use another user"
            raise self._error(f"cannot run '{command}': {error.strerror}", hint) from None
        try:
            async with asyncio.timeout(TIMEOUT):
                out, err = await process.communicate()
        except TimeoutError:
            raise self._error(f"'{command}' did not answer within {TIMEOUT:.0f} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            said = err.decode(errors="replace").strip()[-LONGEST_TEXT:]
            raise self._error(f"'{command}' ended with {process.returncode}" + (f": {said}" if said else ""))
        return self._read(out)

    def _read(self, out: bytes) -> _Status:
        try:
            found = msgspec.json.decode(out, type=_ExecCredential)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise self._error(f"'{self._spec.command}' did not print an ExecCredential") from None
        if found.api_version != self._spec.api_version:
            message = f"answered in version '{found.api_version[:80]}', not in '{self._spec.api_version}'"
            raise self._error(message)
        if found.status is None or not (found.status.token or found.status.client_certificate_data):
            raise self._error(f"'{self._spec.command}' printed neither a token nor a certificate")
        return found.status

    def _error(self, message: str, hint: str = "") -> KubeconfigError:
        return KubeconfigError(self._source, "exec", message, hint)
