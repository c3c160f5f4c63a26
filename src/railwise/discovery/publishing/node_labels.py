"""The map as labels of Kubernetes nodes, which every scheduler can use.

Only labels below our own prefixes are touched. A node that the map does not know keeps what it has: it may be new, or a
source may be down, and a label taken away moves work. So does a map that suddenly knows far fewer places than the nodes
have labels: it is not believed, and said so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import msgspec

from railwise.discovery.publishing.publisher import Published
from railwise.fabric.fabric_map import Map
from railwise.fabric.topologies import FABRIC_LABEL, NVLINK_LABEL, labels
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, ConflictError, DeposedError, NotFoundError
from railwise.kubeapi.resources import NODES
from railwise.model.node import MAINTENANCE_LABEL

PLACES: Final = (FABRIC_LABEL, NVLINK_LABEL)
PREFIXES: Final = (*PLACES, MAINTENANCE_LABEL)
AT_ONCE: Final = 16
"""So many nodes are written at the same time."""

MOST_REMOVED: Final = 50
"""Percent of the labelled nodes that may lose labels at once, where there are more than ``FEW``."""

FEW: Final = 8


class LabelledMeta(msgspec.Struct, rename="camel", kw_only=True, frozen=True, gc=False):
    """The identity of a node and its labels."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None


class LabelledNode(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """A node of which only the labels are of interest."""

    metadata: LabelledMeta = LabelledMeta()


class NodeLabels:
    """The driver. ``client`` may be fenced by a leadership."""

    name: Final = "labels"

    def __init__(self, client: Client) -> None:
        """Prepare, without reading."""
        self._client: Final = client

    async def publish(self, drawn: Map, *, dry_run: bool = False) -> Published:
        """Write what differs. Raises ApiError if the nodes cannot be listed, DeposedError if we no longer lead."""
        result = Published()
        wanted = labels(drawn)
        nodes = (await self._client.list(NODES, LabelledNode)).objects
        changes: list[tuple[LabelledMeta, dict[str, str | None]]] = []
        labelled = losing = 0
        for node in nodes:
            mine = own_labels(node.metadata.labels or {})
            labelled += any(key.startswith(PLACES) for key in mine)
            if node.metadata.name not in wanted:
                continue
            change = difference(mine, wanted[node.metadata.name])
            losing += any(value is None and key.startswith(PLACES) for key, value in change.items())
            if change:
                changes.append((node.metadata, change))
        if losing > FEW and 100 * losing > MOST_REMOVED * labelled:
            result.passed_over.append(
                f"{losing} of {labelled} labelled nodes would lose labels at once; not believed, nothing written"
            )
            return result
        gate = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._write(gate, meta, change, result, dry_run=dry_run) for meta, change in changes))
        for lines in (result.changed, result.failed):
            lines.sort()
        return result

    async def _write(
        self,
        gate: asyncio.Semaphore,
        meta: LabelledMeta,
        change: Mapping[str, str | None],
        result: Published,
        *,
        dry_run: bool,
    ) -> None:
        said = ", ".join(f"{key}={value}" if value else f"{key} removed" for key, value in sorted(change.items()))
        async with gate:
            try:
                if not dry_run:
                    await self._client.label(NODES, "", meta.name, change, meta.uid)
            except (NotFoundError, ConflictError):
                return  # the node is gone, or another one has its name: the next map meets what is there then
            except DeposedError:
                raise
            except ApiError as error:
                result.failed.append(f"node {meta.name}: {error}")
                return
        result.changed.append(f"node {meta.name}: {said}")


def own_labels(present: Mapping[str, str]) -> dict[str, str]:
    """Return the labels below our prefixes."""
    return {key: value for key, value in present.items() if key.startswith(PREFIXES)}


def difference(present: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str | None]:
    """Return the labels to set, and None for those to remove."""
    change: dict[str, str | None] = {key: value for key, value in wanted.items() if present.get(key) != value}
    return change | dict.fromkeys(present.keys() - wanted.keys())
