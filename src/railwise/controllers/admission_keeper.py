"""Keeping a webhook believed: its pair in a Secret, its authorities in the configuration, the newest pair in use.

Every replica does this, leader or not, because every replica answers. They do not disturb one another: whoever comes
first writes the Secret, with the version that was read; the others take what is there. The configuration hears of a new
authority before any replica can show a certificate of it.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import datetime as dt
import logging
import ssl
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from railwise.controllers.admission import put_webhook
from railwise.controllers.admission_tls import VALID, Pair, due, new_pair
from railwise.controllers.admission_webhook import PATH
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, ConflictError
from railwise.kubeapi.objects import ObjectMeta, PartialObject
from railwise.kubeapi.resources import Resource

log = logging.getLogger("railwise.gate")

SECRETS = Resource("", "v1", "secrets", "Secret")
LOOK = 60.0
"""Seconds between two looks at Secret and configuration."""

SOON = 2.0
"""Seconds after a look that failed."""


class Place(NamedTuple):
    """Where the API server finds the webhook: a Service (``namespace/name:port``), or a URL where ``url`` is given."""

    service: tuple[str, str] = ("", "")
    port: int = 443
    url: str = ""

    def host(self) -> str:
        """Return the name that the certificate has to be for."""
        return (urlsplit(self.url).hostname or "") if self.url else f"{self.service[1]}.{self.service[0]}.svc"

    def client_config(self, authorities: str) -> dict[str, Any]:
        """Return how the configuration says it."""
        bundle = {"caBundle": base64.b64encode(authorities.encode()).decode()}
        if self.url:
            return {"url": self.url.rstrip("/") + PATH, **bundle}
        namespace, name = self.service
        return {"service": {"namespace": namespace, "name": name, "port": self.port, "path": PATH}, **bundle}


class _Secret(PartialObject, frozen=True):
    data: dict[str, str] = msgspec.field(default_factory=dict)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class CertificateKeeper:
    """Keeps one webhook believed; ``context`` shows the newest pair that is known."""

    def __init__(
        self,
        client: Client,
        place: Place,
        secret: tuple[str, str],
        *,
        spared: tuple[str, ...] = (),
        valid: dt.timedelta = VALID,
        now: Callable[[], dt.datetime] = _now,
    ) -> None:
        """Keep where the pair lies (namespace, name), and how long a new one is valid."""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.pair: Pair | None = None
        self._client = client
        self._place = place
        self._secret = secret
        self._spared = spared
        self._valid = valid
        self._now = now

    async def run(self) -> None:
        """Look again and again, for ever; what fails is tried again soon."""
        while True:
            pause = LOOK if await self.tried() else SOON
            await asyncio.sleep(pause)

    async def tried(self) -> bool:
        """Look once; return whether that went well."""
        try:
            await self.look()
        except ApiError as error:
            log.warning("the webhook's certificate: %s", error)
            return False
        return True

    async def look(self) -> None:
        """Bring Secret, configuration and the pair in use up to date.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        found = await self._client.find(SECRETS, _Secret, *self._secret)
        pair = _pair(found.data) if found is not None else None
        if pair is None or due(pair, self._place.host(), self._now()) or not _usable(pair):
            fresh = new_pair(self._place.host(), self._now(), pair.authorities if pair else "", self._valid)
            await self._configure(fresh)
            if not await self._keep(fresh, found.metadata if found is not None else None):
                return await self.look()  # another replica was quicker: its pair is the one
            log.info("the webhook has a new certificate for %s", self._place.host())
            pair = fresh
        await self._configure(pair)
        if pair != self.pair:
            load(self.context, pair)
            self.pair = pair
        return None

    async def _configure(self, pair: Pair) -> None:
        await put_webhook(self._client, self._place.client_config(pair.authorities), self._spared)

    async def _keep(self, pair: Pair, before: ObjectMeta | None) -> bool:
        """Write the Secret; return False if somebody else has meanwhile."""
        namespace, name = self._secret
        meta: dict[str, Any] = {"name": name, "namespace": namespace}
        texts = {"ca.crt": pair.authorities, "tls.crt": pair.certificate, "tls.key": pair.key}
        data = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
        body = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": meta, "data": data}
        try:
            if before is None:
                await self._client.create(SECRETS, namespace, body)
            else:
                meta |= {"resourceVersion": before.resource_version, "uid": before.uid}
                await self._client.replace(SECRETS, namespace, name, body)
        except ConflictError:
            return False
        return True


def _pair(data: Mapping[str, str]) -> Pair | None:
    """Return the pair in a Secret, None if there is none."""
    try:
        texts = [base64.b64decode(data[key]).decode() for key in ("ca.crt", "tls.crt", "tls.key")]
    except (KeyError, binascii.Error, UnicodeDecodeError):
        return None
    return Pair(*texts)


def _usable(pair: Pair) -> bool:
    """Return whether certificate and key belong together."""
    try:
        load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), pair)
    except (ssl.SSLError, ValueError):
        return False
    return True


def load(context: ssl.SSLContext, pair: Pair) -> None:
    """Show a pair from the next connection on; the library reads files only, so they exist for a moment."""
    with tempfile.TemporaryDirectory(prefix="railwise-") as folder:
        path = Path(folder) / "pair.pem"
        path.touch(mode=0o600)
        path.write_text(f"{pair.certificate}\n{pair.key}\n", encoding="utf-8")
        context.load_cert_chain(path)
