"""The drivers by name, and one round of all that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from railwise.discovery.publishing.config_map import ConfigMapWriter
from railwise.discovery.publishing.node_labels import NodeLabels
from railwise.discovery.publishing.publisher import Published, Publisher
from railwise.fabric.fabric_map import Map
from railwise.kubeapi.client import Client
from railwise.kubeapi.errors import ApiError, DeposedError

DRIVERS: Final = ("labels", "configmap")


def drivers(names: Sequence[str], client: Client, namespace: str) -> list[Publisher]:
    """Return the drivers of those names, in the order in which they should write. Raises KeyError for other names."""
    made: dict[str, Publisher] = {"labels": NodeLabels(client), "configmap": ConfigMapWriter(client, namespace)}
    wanted = set(names)
    for name in wanted - made.keys():
        raise KeyError(name)
    return [made[name] for name in DRIVERS if name in wanted]


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
