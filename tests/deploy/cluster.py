"""The manifests of ``deploy/`` on a real API server, its accounts, and what its audit log says they did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from railwise.devcluster.cluster import Cluster
from railwise.formats.kubernetes.rbac import Permission
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client
from railwise.kubeapi.resources import SERVICE_ACCOUNTS, Resource
from tests.deploy.generate import NAMESPACE

PLURALS = {
    "PodDisruptionBudget": "poddisruptionbudgets",
    "MutatingAdmissionPolicy": "mutatingadmissionpolicies",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
}
EVERYWHERE = ("ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace")


class Deed(NamedTuple):
    """A request of an account: group, resource with sub-resource, verb, namespace, name, and the answer's code."""

    group: str
    resource: str
    verb: str
    namespace: str
    name: str
    code: int


def resource_of(one: dict[str, Any]) -> Resource:
    """Return where an object of a manifest belongs."""
    group, _, version = one["apiVersion"].rpartition("/")
    kind = one["kind"]
    everywhere = kind in EVERYWHERE or "AdmissionPolicy" in kind
    return Resource(group, version, PLURALS.get(kind, f"{kind.lower()}s"), kind, namespaced=not everywhere)


async def applied(client: Client, objects: Sequence[dict[str, Any]], *, dry_run: bool = False) -> None:
    """Apply objects as ``kubectl apply --server-side`` would, the server checking every field of them."""
    trial = "&dryRun=All" if dry_run else ""
    for one in objects:
        meta = one["metadata"]
        resource = resource_of(one)
        query = f"fieldManager=tests&force=true&fieldValidation=Strict{trial}"
        path = f"{resource.path(meta.get('namespace', ''), meta['name'])}?{query}"
        await client.write("PATCH", path, resource, one, "application/apply-patch+yaml")


async def token_of(client: Client, account: str, pod: dict[str, str] | None = None) -> str:
    """Return a new token of an account; ``pod`` (name and uid) binds it to a pod, and so to its node."""
    spec: dict[str, Any] = {"expirationSeconds": 3600}
    if pod:
        spec["boundObjectRef"] = {"kind": "Pod", "apiVersion": "v1", **pod}
    path = SERVICE_ACCOUNTS.path(NAMESPACE, account, "token")
    answer = await client.write("POST", path, SERVICE_ACCOUNTS, {"spec": spec})
    token: str = msgspec.json.decode(answer)["status"]["token"]
    return token


def kubeconfig(folder: Path, admin: Access, token: str) -> Path:
    """Write a kubeconfig for a token, and return its path."""
    (folder / "ca.crt").write_text(admin.authority)
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": admin.server, "certificate-authority": "ca.crt"}}],
        "users": [{"name": "u", "user": {"token": token}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path = folder / "kubeconfig"
    path.write_text(json.dumps(document))
    return path


@contextmanager
def running(*arguments: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``railwise run …`` as a process of its own for a while, and end it as a kubelet would."""
    with log.open("wb") as out:
        command = [sys.executable, "-m", "railwise", "run", *arguments]
        process = subprocess.Popen(command, stdout=out, stderr=out, env=dict(os.environ))
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def deeds(cluster: Cluster, account: str) -> set[Deed]:
    """Return what an account has asked the API server for, as its audit log tells; not what everybody may ask."""
    layout = cluster.layout()
    assert layout is not None
    found = set()
    whole, _, _ = layout.audit().read_text().rpartition("\n")  # what follows is still being written
    for line in whole.splitlines():
        event = json.loads(line)
        if event["user"]["username"] != f"system:serviceaccount:{NAMESPACE}:{account}" or "objectRef" not in event:
            continue
        ref = event["objectRef"]
        resource = "/".join(filter(None, (ref["resource"], ref.get("subresource", ""))))
        code = event.get("responseStatus", {}).get("code", 0)
        where = (ref.get("namespace", ""), ref.get("name", ""))
        found.add(Deed(ref.get("apiGroup", ""), resource, event["verb"], *where, code))
    return found


def unused(table: Sequence[Permission], done: set[Deed]) -> list[str]:
    """Return what a table grants and nobody made use of, without a reason for that."""
    verbs = {(one.group, one.resource, one.verb) for one in done if one.code not in (401, 403)}
    return [
        f"{verb} {one.resource}.{one.group}"
        for one in table
        for verb in one.expected()
        if (one.group, one.resource, verb) not in verbs
    ]
