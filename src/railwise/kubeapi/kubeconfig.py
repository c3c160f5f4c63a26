"""Credentials as kubectl understands them: the files of KUBECONFIG merged, a context chosen, paths made absolute.

Rules of merging, as for kubectl: the first file that names a cluster, user or context defines it whole, the first
``current-context`` counts, files of KUBECONFIG that do not exist are passed over, and a path is relative to the file
that holds it. Inside a pod without any kubeconfig, its service account is used.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from railwise.formats.document import load
from railwise.kubeapi.access import Access, ClientCertificate, Credentials
from railwise.kubeapi.credentials import FixedCredentials, TokenFile, basic, bearer
from railwise.kubeapi.errors import KubeconfigError
from railwise.kubeapi.exec_plugin import ExecPlugin
from railwise.kubeapi.kubeconfig_schema import Cluster, Context, Kubeconfig, User
from railwise.kubeapi.proxies import proxy_for
from railwise.model.errors import InputError

VARIABLE = "KUBECONFIG"
MOST_BYTES = 16 << 20

T = TypeVar("T")


class Merged:
    """Several kubeconfig files as one; each entry remembers the file it came from."""

    def __init__(self) -> None:
        """Start empty."""
        self.clusters: dict[str, tuple[Path, Cluster]] = {}
        self.users: dict[str, tuple[Path, User]] = {}
        self.contexts: dict[str, tuple[Path, Context]] = {}
        self.current = ""
        self.files: list[Path] = []

    def add(self, path: Path) -> None:
        """Merge a file; what is there already stays.

        Raises:
            KubeconfigError: the file cannot be read or is no kubeconfig.
        """
        config = _read(path)
        self.files.append(path)
        for cluster in config.clusters or ():
            self.clusters.setdefault(cluster.name, (path, cluster.cluster))
        for user in config.users or ():
            self.users.setdefault(user.name, (path, user.user))
        for context in config.contexts or ():
            self.contexts.setdefault(context.name, (path, context.context))
        self.current = self.current or config.current_context

    def source(self) -> str:
        """Return the files as one text for messages."""
        return os.pathsep.join(str(path) for path in self.files)


def _read(path: Path) -> Kubeconfig:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except OSError as error:
        raise KubeconfigError(str(path), "", f"cannot be read: {error.strerror}") from None
    if not data.strip():
        return Kubeconfig()
    try:
        value = load(data, str(path))[0].value
        return msgspec.convert(_without_nulls(value), Kubeconfig)
    except InputError as error:
        raise KubeconfigError(str(path), error.faults[0].path, error.faults[0].message, error.faults[0].hint) from None
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise KubeconfigError(str(path), where.strip(".`"), text, "is this a kubeconfig?") from None


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 -- whatever a document holds
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def kubeconfig_files(named: str = "", environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files to merge: the one that is named, those of KUBECONFIG that exist, or ``~/.kube/config``."""
    if named:
        return [Path(named)]
    listed = [Path(part) for part in environment.get(VARIABLE, "").split(os.pathsep) if part]
    if listed:
        return [path for path in listed if path.exists()]
    usual = Path.home() / ".kube" / "config"
    return [usual] if usual.exists() else []


def merge(files: list[Path]) -> Merged:
    """Return the files as one.

    Raises:
        KubeconfigError: one of them cannot be read.
    """
    merged = Merged()
    for path in files:
        merged.add(path)
    return merged


def access_from(merged: Merged, context: str = "", environment: Mapping[str, str] = os.environ) -> Access:
    """Return how the server of a context (empty: the current one) is reached.

    Raises:
        KubeconfigError: no such context, cluster or user, or one that cannot be used.
    """
    source = merged.source()
    name = context or merged.current
    if not name:
        hint = f"name one with --context: {_listed(merged.contexts)}"
        raise KubeconfigError(source, "current-context", "no context is chosen", hint)
    found = _entry(source, "context", merged.contexts, name)[1]
    cluster_path, cluster = _entry(source, "cluster", merged.clusters, found.cluster)
    user_path, user = _entry(source, "user", merged.users, found.user) if found.user else (cluster_path, User())
    where = f"clusters[{found.cluster}]"
    parts = urlsplit(cluster.server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        hint = "as in https://10.0.0.1:6443"
        raise KubeconfigError(str(cluster_path), f"{where}.server", f"'{cluster.server}' is no address", hint)
    authority = _pem(
        cluster_path,
        f"{where}.certificate-authority",
        cluster.certificate_authority_data,
        cluster.certificate_authority,
    )
    return Access(
        server=cluster.server.rstrip("/"),
        credentials=_credentials(user_path, f"users[{found.user}]", user, _cluster_info(cluster, authority)),
        authority=authority,
        server_name=cluster.tls_server_name,
        insecure=cluster.insecure_skip_tls_verify,
        proxy=cluster.proxy_url or proxy_for(cluster.server, environment),
        namespace=found.namespace or "default",
        context=name,
        headers=_impersonation(user),
        compress=not cluster.disable_compression,
    )


def _entry(source: str, what: str, entries: Mapping[str, tuple[Path, T]], name: str) -> tuple[Path, T]:
    if name not in entries:
        raise KubeconfigError(source, f"{what}s", f"there is no {what} '{name}'", f"known: {_listed(entries)}")
    return entries[name]


def _listed(entries: Mapping[str, object]) -> str:
    return ", ".join(sorted(entries)) or "none"


def _pem(path: Path, where: str, data: str, file: str) -> str:
    """Return what stands inline in base64, else what the file holds; empty: neither is given."""
    if data:
        try:
            return base64.b64decode(data, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise KubeconfigError(str(path), f"{where}-data", "is not base64 of a PEM text") from None
    if not file:
        return ""
    try:
        return (path.parent / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KubeconfigError(str(path), where, f"cannot be read: {error}") from None


def _credentials(path: Path, where: str, user: User, cluster: Mapping[str, Any]) -> Credentials:
    """Return the proof that a user entry describes; a program goes before a file, a file before a token."""
    if user.auth_provider is not None:
        hint = "auth providers were removed from Kubernetes; use the exec plugin of your provider"
        raise KubeconfigError(str(path), f"{where}.auth-provider", "is not supported", hint)
    certificate = _pem(path, f"{where}.client-certificate", user.client_certificate_data, user.client_certificate)
    key = _pem(path, f"{where}.client-key", user.client_key_data, user.client_key)
    if bool(certificate) != bool(key):
        lack = "client-key" if certificate else "client-certificate"
        raise KubeconfigError(str(path), f"{where}.{lack}", "is missing: certificate and key belong together")
    pair = ClientCertificate(certificate, key) if certificate else None
    if user.exec is not None:
        return ExecPlugin(str(path), user.exec, cluster, pair)
    if user.token_file:
        return TokenFile(path.parent / user.token_file, pair)
    if user.token:
        return FixedCredentials(bearer(user.token), pair)
    if user.username:
        return FixedCredentials(basic(user.username, user.password), pair)
    return FixedCredentials(certificate=pair)


def _cluster_info(cluster: Cluster, authority: str) -> dict[str, Any]:
    """Return what a plugin may be told about the server."""
    told = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": base64.b64encode(authority.encode()).decode() if authority else "",
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    return {key: value for key, value in told.items() if value}


def _impersonation(user: User) -> tuple[tuple[str, str], ...]:
    """Return the headers for acting as somebody else; each group needs one of its own."""
    told = [("Impersonate-User", user.as_), ("Impersonate-Uid", user.as_uid)]
    told += [("Impersonate-Group", group) for group in user.as_groups or ()]
    return tuple((key, value) for key, value in told if value)
