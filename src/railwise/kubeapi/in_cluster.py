"""The service account of a pod: where its token, its authority and the server's address are found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from railwise.kubeapi.access import Access
from railwise.kubeapi.credentials import TokenFile
from railwise.kubeapi.errors import KubeconfigError
from railwise.kubeapi.kubeconfig import access_from, kubeconfig_files, merge

FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")
HOST = "KUBERNETES_SERVICE_HOST"
PORT = "KUBERNETES_SERVICE_PORT"


def in_cluster(environment: Mapping[str, str] = os.environ, folder: Path = FOLDER) -> Access | None:
    """Return how a pod reaches its own cluster; None outside of a pod."""
    host = environment.get(HOST)
    if not host or not (folder / "token").exists():
        return None
    address = f"[{host}]" if ":" in host else host
    try:
        authority = (folder / "ca.crt").read_text(encoding="utf-8")
    except OSError as error:
        raise KubeconfigError(str(folder), "ca.crt", f"cannot be read: {error.strerror}") from None
    space = folder / "namespace"
    return Access(
        server=f"https://{address}:{environment.get(PORT) or 443}",
        credentials=TokenFile(folder / "token"),
        authority=authority,
        namespace=space.read_text(encoding="utf-8").strip() if space.exists() else "default",
        context="in-cluster",
    )


def find_access(kubeconfig: str = "", context: str = "", environment: Mapping[str, str] = os.environ) -> Access:
    """Return how the cluster is reached that the user means.

    ``kubeconfig`` names a file; without one KUBECONFIG and ``~/.kube/config`` are merged; without any of these, a pod
    uses its service account.

    Raises:
        KubeconfigError: there is nothing to use, or it cannot be used.
    """
    files = kubeconfig_files(kubeconfig, environment)
    if not files and not context:
        found = in_cluster(environment)
        if found is not None:
            return found
    if not files:
        hint = "name one with --kubeconfig, or start a cluster on this machine: railwise dev cluster up"
        raise KubeconfigError("", "", "there is no kubeconfig, and this is no pod of a cluster", hint)
    return access_from(merge(files), context, environment)
