"""Kubeconfigs of a cluster on this machine: everything inline, readable by their owner alone."""

from __future__ import annotations

import base64
import json

from railwise.devcluster.certificates import Authority, KeyPair, signing_key, write_secret
from railwise.devcluster.commands import USERS, Layout


def kubeconfig_text(server: str, authority: str, name: str, user: str, pair: KeyPair) -> str:
    """Return a kubeconfig with one context, called ``name``; JSON, which is YAML too."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": _packed(authority)}}],
        "users": [
            {
                "name": user,
                "user": {
                    "client-certificate-data": _packed(pair.certificate),
                    "client-key-data": _packed(pair.key),
                },
            }
        ],
        "contexts": [{"name": name, "context": {"cluster": name, "user": user}}],
        "current-context": name,
    }
    return json.dumps(document, indent=2) + "\n"


def _packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def write_identities(layout: Layout, name: str) -> None:
    """Write certificates, keys and kubeconfigs of a new cluster called ``name``.

    Raises:
        MissingExtraError: the package cryptography is not installed.
    """
    authority = Authority(f"railwise {name}")
    folder = layout.folder / "pki"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_secret(folder / "ca.crt", authority.pem())
    accounts = signing_key()
    write_secret(folder / "accounts.pub", accounts.certificate)
    write_secret(folder / "accounts.key", accounts.key)
    for file, pair in (
        ("etcd", authority.issue("etcd", server=True)),
        ("etcd-client", authority.issue("kube-apiserver")),
        ("apiserver", authority.issue("kube-apiserver", server=True)),
    ):
        write_secret(folder / f"{file}.crt", pair.certificate)
        write_secret(folder / f"{file}.key", pair.key)
    for user, (common, group) in USERS.items():
        pair = authority.issue(common, group)
        text = kubeconfig_text(layout.server(), authority.pem(), f"railwise-{name}", user, pair)
        write_secret(layout.kubeconfig(user), text)
