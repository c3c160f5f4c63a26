"""A real etcd and API server for tests: started once a session and shared; each test has a namespace of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from railwise.devcluster.cluster import Cluster, Wish, programs_of
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.programs import find_programs, why_not_buildable
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import connect
from railwise.kubeapi.errors import ConflictError
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.resources import NAMESPACES, NODES, PODS

WISH = Wish()


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a running cluster without nodes; skip, and say why, where there are no programs for one."""
    try:
        programs = find_programs(programs_of(WISH.parts))
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    if programs is None:
        pytest.skip(
            f"no control plane: {why_not_buildable() or '`make control-plane` builds one, in about 20 minutes'}"
        )
    cluster = Cluster(tmp_path_factory.mktemp("clusters") / "tests")
    cluster.up(programs, WISH, lambda _line: None, patience=120)
    try:
        yield cluster
    finally:
        cluster.down()


@pytest.fixture
def admin(control_plane: Cluster) -> Access:
    """Return the administrator's access, with credentials of its own."""
    return access_from(merge([control_plane.kubeconfig]))


@pytest.fixture
def space(admin: Access, request: pytest.FixtureRequest) -> str:
    """Return a new namespace for one test."""
    name = "t-" + "".join(char if char.isalnum() else "-" for char in request.node.name.lower())[:40].strip("-")
    return asyncio.run(_new_namespace(admin, name))


async def _new_namespace(admin: Access, name: str) -> str:
    async with connect(admin) as client:
        for number in range(1000):
            unique = f"{name}-{number}"
            try:
                await client.create(NAMESPACES, "", {"metadata": {"name": unique}})
            except ConflictError:
                continue
            return unique
    raise AssertionError(name)


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """Return a pod that waits for a scheduler that is not there."""
    body = {"schedulerName": "nobody", "containers": [{"name": "main", "image": "none"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name[:63]}}, "spec": body}


def node(name: str, **labels: str) -> dict[str, Any]:
    """Return a node that is ready and has 8 cards."""
    room = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
    status = {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def uid_of(answer: bytes) -> str:
    """Return the uid in an answer."""
    found: str = msgspec.json.decode(answer)["metadata"]["uid"]
    return found


__all__ = ["NODES", "PODS", "admin", "control_plane", "node", "pod", "space", "uid_of"]
