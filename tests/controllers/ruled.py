"""Pods with rules, and nodes with a host name, for caches in memory."""

from __future__ import annotations

from typing import Any

import msgspec

from railwise.formats.kubernetes.schema import NodeObject
from tests.controllers.world import node

OTHERS = "default-scheduler"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def host(name: str, gpus: int = 8, **labels: str) -> NodeObject:
    found = node(name, gpus)
    meta = msgspec.structs.replace(found.metadata, labels={HOST: name, **labels})
    return msgspec.structs.replace(found, metadata=meta)


def far(app: str, key: str = HOST) -> dict[str, Any]:
    return {"podAntiAffinity": {REQUIRED: [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}]}}


def near(app: str, key: str = HOST) -> dict[str, Any]:
    return {"podAffinity": far(app, key)["podAntiAffinity"]}


def with_port(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": "main", "ports": [{"hostPort": number, **more}]}]
