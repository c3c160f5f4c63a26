"""The drivers by name, and one round of all that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from railwise.discovery.publishing.config_map import ConfigMapWriter
from railwise.discovery.publishing.files import file_writer
from railwise.discovery.publishing.node_labels import NodeLabels
from railwise.discovery.publishing.objects import hypernodes, kai, kueue
from railwise.discovery.publishing.publisher import Published, Publisher
from railwise.fabric.fabric_map import Map
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError
from railwise.model.errors import Fault, InputError

IN_CLUSTER: Final = ("labels", "configmap", "kueue", "kai", "hypernode")
"""The places that need a cluster, in the order in which they are written."""

AS_FILE: Final = ("slurm", "topograph")
"""The places that are written as ``NAME=FILE``."""


def drivers(names: Sequence[str], client: Client | None, namespace: str) -> list[Publisher]:
    """Return the drivers of those names (``labels``, ``slurm=FILE``, …), in the order in which they should write.

    Raises InputError for a name that is none, or that needs a file.
    """
    found: list[Publisher] = []
    wanted = dict.fromkeys(names)
    for name in wanted:
        kind, equals, path = name.partition("=")
        if kind not in IN_CLUSTER + AS_FILE:
            raise InputError(
                [Fault("--publish", f"unknown place '{kind}'", f"one of {', '.join(IN_CLUSTER + AS_FILE)}")]
            )
        if (kind in AS_FILE) != bool(equals and path):
            hint = f"{kind}=FILE" if kind in AS_FILE else kind
            raise InputError([Fault("--publish", f"'{name}' is no place", f"write {hint}")])
        if kind in AS_FILE:
            found.append(file_writer(kind, Path(path)))
    if client is not None:
        made: dict[str, Publisher] = {
            "labels": NodeLabels(client),
            "configmap": ConfigMapWriter(client, namespace),
            "kueue": kueue(client),
            "kai": kai(client),
            "hypernode": hypernodes(client),
        }
        found = [made[name] for name in IN_CLUSTER if name in wanted] + found
    return found


def needs_cluster(names: Sequence[str]) -> bool:
    """Return whether any of the places is in a cluster."""
    return any(name in IN_CLUSTER for name in names)


async def publish(drawn: Map, to: Sequence[Publisher], *, dry_run: bool = False) -> list[tuple[str, Published]]:
    """Bring every place up to date; one that fails does not keep the others. Raises DeposedError when deposed."""
    found = []
    for one in to:
        try:
            result = await one.publish(drawn, dry_run=dry_run)
        except DeposedError:
            raise
        except ApiError as error:
            result = Published(failed=[f"{one.name}: {error}"])
        found.append((one.name, result))
    return found
