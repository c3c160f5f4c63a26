"""The whole map in a ConfigMap, for whoever wants more than labels: edges, evidence, findings.

A ConfigMap holds 1 MiB at most, a map of a large fabric more; so it is compressed (gzip, ``map.json.gz``), and where
even that is too large the edges are left out, which is said in ``complete``. ``summary`` is for people.
"""

from __future__ import annotations

import gzip
import io
import logging
from base64 import b64decode, b64encode
from typing import Any, Final

import msgspec

from railwise.discovery.publishing.publisher import Published
from railwise.fabric.fabric_map import Map
from railwise.formats.discovery.map_document import map_document, read_map
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError
from railwise.kubeapi.resources import CONFIG_MAPS
from railwise.model.errors import InputError
from railwise.report.fabric_tables import headline

FILE: Final = "map.json.gz"
LARGEST_UNPACKED: Final = 256 * 1024 * 1024
log: Final = logging.getLogger("railwise.discovery")

LARGEST: Final = 900_000
"""Bytes of base64 that are written; a server refuses 1,048,576 with everything around them."""


class ConfigMapMeta(msgspec.Struct, rename="camel", kw_only=True, frozen=True, gc=False):
    """The identity of a ConfigMap."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class StoredMap(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A ConfigMap as it is read back."""

    metadata: ConfigMapMeta = ConfigMapMeta()
    data: dict[str, str] | None = None
    binary_data: dict[str, str] | None = None


class ConfigMapWriter:
    """The driver."""

    name: Final = "configmap"

    def __init__(self, client: Client, namespace: str, object_name: str = "railwise-fabric") -> None:
        """Keep where the map goes."""
        self._client: Final = client
        self._namespace: Final = namespace
        self._object: Final = object_name

    async def publish(self, drawn: Map, *, dry_run: bool = False) -> Published:
        """Write the map if it says something else than what is there. Raises DeposedError if we no longer lead."""
        result = Published()
        body = content(drawn)
        where = f"configmap {self._namespace}/{self._object}"
        try:
            there = await self._client.find(CONFIG_MAPS, StoredMap, self._namespace, self._object)
            if there is not None and there.data == body["data"] and there.binary_data == body["binaryData"]:
                return result
            if not dry_run:
                metadata = {"labels": {"app.kubernetes.io/managed-by": "railwise"}}
                apply = self._client.apply
                await apply(CONFIG_MAPS, self._namespace, self._object, {"metadata": metadata, **body}, force=True)
        except DeposedError:
            raise
        except ApiError as error:
            result.failed.append(f"{where}: {error}")
            return result
        result.changed.append(f"{where}: {body['data']['summary']}")
        return result


def content(drawn: Map) -> dict[str, Any]:
    """Return ``data`` and ``binaryData`` of the ConfigMap, which say nothing of when the map was drawn or confirmed."""
    document = map_document(drawn)
    document.pop("time")
    document.pop("heard")
    for link in document["links"]:
        link.pop("age")
    packed, complete = _packed(document), "true"
    if len(packed) > LARGEST:
        packed, complete = _packed({**document, "links": []}), "without links"
    data = {"summary": headline(drawn), "findings": str(len(drawn.findings)), "complete": complete}
    return {"data": data, "binaryData": {FILE: packed}}


async def stored_map(client: Client, namespace: str, object_name: str = "railwise-fabric") -> Map | None:
    """Return the map that was stored last, to start from; None where there is none that can be read.

    Raises ApiError if the server cannot be reached or refuses.
    """
    there = await client.find(CONFIG_MAPS, StoredMap, namespace, object_name)
    packed = (there.binary_data or {}).get(FILE, "") if there is not None else ""
    if not packed:
        return None
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(b64decode(packed))) as content_of:
            return read_map(content_of.read(LARGEST_UNPACKED), f"configmap {namespace}/{object_name}")
    except (OSError, EOFError, ValueError, InputError) as error:
        log.warning("the map in configmap %s/%s cannot be read, starting without it: %s", namespace, object_name, error)
        return None


def _packed(document: dict[str, Any]) -> str:
    return b64encode(gzip.compress(msgspec.json.encode(document), mtime=0)).decode()
