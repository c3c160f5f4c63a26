"""The map as objects of other schedulers: Topologies of Kueue and KAI, HyperNodes of Volcano.

Objects that we made carry a label that says so, and only those are ever changed or deleted. An object of the same name
that somebody else made is left alone and named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from railwise.discovery.publishing.node_labels import LabelledMeta
from railwise.discovery.publishing.publisher import Published, published_tree
from railwise.fabric.fabric_map import Map
from railwise.formats.fabric.hypernodes import hypernodes_documents
from railwise.formats.fabric.objects import KAI, KUEUE, topology_document
from railwise.formats.fabric.tree import Tree
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError, NotFoundError
from railwise.kubeapi.resources import Resource

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
OURS: Final = "railwise"
NAME: Final = "railwise"

KUEUE_TOPOLOGIES: Final = Resource(
    "kueue.x-k8s.io", KUEUE.partition("/")[2], "topologies", "Topology", namespaced=False
)
KAI_TOPOLOGIES: Final = Resource("kai.scheduler", KAI.partition("/")[2], "topologies", "Topology", namespaced=False)
HYPERNODES: Final = Resource("topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", namespaced=False)


class PlainObject(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """An object of which labels and spec are of interest."""

    metadata: LabelledMeta = LabelledMeta()
    spec: dict[str, Any] | None = None


class ObjectSet:
    """The driver of one kind: what ``wanted`` makes of a map is what there is to be."""

    def __init__(
        self, name: str, client: Client, resource: Resource, wanted: Callable[[Tree], list[dict[str, Any]]]
    ) -> None:
        """Prepare, without reading."""
        self._name: Final = name
        self._client: Final = client
        self._resource: Final = resource
        self._wanted: Final = wanted

    @property
    def name(self) -> str:
        """How the driver is called."""
        return self._name

    async def publish(self, drawn: Map, *, dry_run: bool = False) -> Published:
        """Write what differs. Raises DeposedError if we no longer lead."""
        result = Published()
        wanted = {one["metadata"]["name"]: one["spec"] for one in self._wanted(published_tree(drawn))}
        try:
            there = {one.metadata.name: one for one in (await self._client.list(self._resource, PlainObject)).objects}
        except NotFoundError:
            result.failed.append(f"{self._resource.label()}: the cluster does not know this kind")
            return result
        for name, spec in wanted.items():
            await self._write(name, spec, there.get(name), result, dry_run=dry_run)
        for name, one in there.items():
            if name not in wanted and _ours(one):
                await self._delete(name, one, result, dry_run=dry_run)
        return result

    async def _write(
        self, name: str, spec: Mapping[str, Any], there: PlainObject | None, result: Published, *, dry_run: bool
    ) -> None:
        where = f"{self._resource.kind} {name}"
        if there is not None and there.spec == spec:
            return
        if there is not None and not _ours(there):
            result.passed_over.append(f"{where}: somebody else made it, left alone")
            return
        try:
            if not dry_run:
                body = {"metadata": {"labels": {MANAGED_BY: OURS}}, "spec": spec}
                await self._client.apply(self._resource, "", name, body, force=True)
        except DeposedError:
            raise
        except ApiError as error:
            result.failed.append(f"{where}: {error}")
            return
        result.changed.append(f"{where}: {'changed' if there is not None else 'made'}")

    async def _delete(self, name: str, there: PlainObject, result: Published, *, dry_run: bool) -> None:
        where = f"{self._resource.kind} {name}"
        try:
            if not dry_run:
                await self._client.delete(self._resource, "", name, there.metadata.uid)
        except DeposedError:
            raise
        except ApiError as error:
            result.failed.append(f"{where}: {error}")
            return
        result.changed.append(f"{where}: deleted, it is no longer true")


def kueue(client: Client) -> ObjectSet:
    """Return the driver of Kueue's Topology."""
    return ObjectSet("kueue", client, KUEUE_TOPOLOGIES, lambda tree: [_named(topology_document(tree, KUEUE))])


def kai(client: Client) -> ObjectSet:
    """Return the driver of KAI's Topology."""
    return ObjectSet("kai", client, KAI_TOPOLOGIES, lambda tree: [_named(topology_document(tree, KAI))])


def hypernodes(client: Client) -> ObjectSet:
    """Return the driver of Volcano's HyperNodes."""
    return ObjectSet("hypernode", client, HYPERNODES, hypernodes_documents)


def _named(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "metadata": {"name": NAME}}


def _ours(one: PlainObject) -> bool:
    return (one.metadata.labels or {}).get(MANAGED_BY) == OURS
