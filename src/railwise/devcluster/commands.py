"""How each program of a control plane is called: loopback only, certificates everywhere, nothing that needs a machine.

What differs from a cluster of machines, and why:

- Nodes send no heartbeats, so nobody may conclude from their silence that they are dead, nor taint new ones until they
  have been heard of.
- Without the controllers there are no default service accounts, so pods must not need one.
- The data is thrown away in the end, so etcd does not wait for the disk.
- Clients and schedulers are measured here, so nobody is slowed down by a client-side rate limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SCHEDULER = "scheduler"
CONTROLLERS = "controllers"
KWOK = "kwok"
RAILWISE = "railwise"

PARTS = {
    SCHEDULER: "kube-scheduler",
    CONTROLLERS: "kube-controller-manager",
    KWOK: "kwok",
    RAILWISE: "railwise-scheduler",
}
"""What can be added to etcd and the API server, by the name people use, and its program."""

OURS = {"railwise-scheduler": (sys.executable, "-m", "railwise")}
"""Programs that need not be found or built: they are what runs here."""

USERS = {
    "admin": ("railwise-dev-admin", "system:masters"),
    "kube-scheduler": ("system:kube-scheduler", ""),
    "kube-controller-manager": ("system:kube-controller-manager", ""),
    "kwok": ("kwok", "system:masters"),
    "railwise-scheduler": ("railwise-scheduler", "system:masters"),
}
"""Who has a certificate and a kubeconfig: file, then user name and group."""

STAGES = Path(__file__).with_name("stages.yaml")
AUDIT_POLICY = Path(__file__).with_name("audit.yaml")

RATE = ("--kube-api-qps=5000", "--kube-api-burst=10000")


class Layout(NamedTuple):
    """Where a cluster keeps its files, which ports it uses, and what was asked for.

    ``gates`` and ``apis`` are the values of ``--feature-gates`` and ``--runtime-config``.
    """

    folder: Path
    ports: dict[str, int]
    parts: tuple[str, ...] = ()
    gates: str = ""
    apis: str = ""

    def pki(self, name: str) -> str:
        """Return the path of a certificate or key."""
        return str(self.folder / "pki" / name)

    def kubeconfig(self, user: str) -> Path:
        """Return the path of a user's kubeconfig; the admin's stands where people look for it."""
        return self.folder / ("kubeconfig" if user == "admin" else f"pki/{user}.kubeconfig")

    def audit(self) -> Path:
        """Return where the API server writes down what the service accounts of Railwise do."""
        return self.folder / "logs" / "audit.jsonl"

    def server(self) -> str:
        """Return the API server's address."""
        return f"https://127.0.0.1:{self.ports['kube-apiserver']}"


def etcd(layout: Layout) -> list[str]:
    """Return the arguments of etcd: one member, clients and peers by certificate only."""
    client, peer = (f"https://127.0.0.1:{layout.ports[name]}" for name in ("etcd", "etcd-peer"))
    return [
        "--name=railwise",
        f"--data-dir={layout.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=railwise={peer}",
        *(
            f"--{kind}{flag}={layout.pki(file)}"
            for kind in ("", "peer-")
            for flag, file in (("cert-file", "etcd.crt"), ("key-file", "etcd.key"), ("trusted-ca-file", "ca.crt"))
        ),
        "--client-cert-auth",
        "--peer-client-cert-auth",
        "--unsafe-no-fsync",
        "--quota-backend-bytes=4294967296",
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=10m",
        "--log-level=warn",
    ]


def api_server(layout: Layout) -> list[str]:
    """Return the arguments of the API server: RBAC, client certificates, tokens of service accounts."""
    without = ["TaintNodesByCondition"] if CONTROLLERS in layout.parts else ["TaintNodesByCondition", "ServiceAccount"]
    return [
        f"--etcd-servers=https://127.0.0.1:{layout.ports['etcd']}",
        f"--etcd-cafile={layout.pki('ca.crt')}",
        f"--etcd-certfile={layout.pki('etcd-client.crt')}",
        f"--etcd-keyfile={layout.pki('etcd-client.key')}",
        "--bind-address=127.0.0.1",
        f"--secure-port={layout.ports['kube-apiserver']}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--client-ca-file={layout.pki('ca.crt')}",
        f"--tls-cert-file={layout.pki('apiserver.crt')}",
        f"--tls-private-key-file={layout.pki('apiserver.key')}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={layout.pki('accounts.pub')}",
        f"--service-account-signing-key-file={layout.pki('accounts.key')}",
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        "--profiling=false",
        f"--audit-policy-file={AUDIT_POLICY}",
        f"--audit-log-path={layout.audit()}",
        f"--disable-admission-plugins={','.join(without)}",
        *_gates(layout),
        *([f"--runtime-config={layout.apis}"] if layout.apis else []),
    ]


def _gates(layout: Layout) -> list[str]:
    return [f"--feature-gates={layout.gates}"] if layout.gates else []


def _component(layout: Layout, name: str) -> list[str]:
    config = layout.kubeconfig(name)
    return [
        f"--kubeconfig={config}",
        f"--authentication-kubeconfig={config}",
        f"--authorization-kubeconfig={config}",
        "--bind-address=127.0.0.1",
        f"--secure-port={layout.ports[name]}",
        f"--tls-cert-file={layout.pki('apiserver.crt')}",
        f"--tls-private-key-file={layout.pki('apiserver.key')}",
        "--leader-elect=false",
        *RATE,
        *_gates(layout),
    ]


def scheduler(layout: Layout) -> list[str]:
    """Return the arguments of the stock scheduler."""
    return _component(layout, "kube-scheduler")


def controller_manager(layout: Layout) -> list[str]:
    """Return the arguments of the controllers: all but the one that expects heartbeats of nodes."""
    return [
        *_component(layout, "kube-controller-manager"),
        "--controllers=*,-node-lifecycle-controller,-node-ipam-controller",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={layout.pki('accounts.key')}",
        f"--root-ca-file={layout.pki('ca.crt')}",
    ]


def kwok(layout: Layout) -> list[str]:
    """Return the arguments of kwok: our stages, our nodes, no leases."""
    return [
        f"--kubeconfig={layout.kubeconfig('kwok')}",
        f"--config={STAGES}",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-lease-duration-seconds=0",
        f"--server-address=127.0.0.1:{layout.ports['kwok']}",
    ]


def railwise(layout: Layout) -> list[str]:
    """Return the arguments of our own scheduler."""
    return [
        "run",
        "scheduler",
        f"--kubeconfig={layout.kubeconfig('railwise-scheduler')}",
        f"--metrics-address=127.0.0.1:{layout.ports['railwise-scheduler']}",
        "--no-leader-elect",
    ]


ARGUMENTS: dict[str, Callable[[Layout], list[str]]] = {
    "etcd": etcd,
    "kube-apiserver": api_server,
    "kube-scheduler": scheduler,
    "kube-controller-manager": controller_manager,
    "kwok": kwok,
    "railwise-scheduler": railwise,
}
"""Program and arguments, in the order in which they are started."""

HEALTH = {
    "kube-scheduler": ("https", "/readyz"),
    "kube-controller-manager": ("https", "/healthz"),
    "kwok": ("http", "/healthz"),
    "railwise-scheduler": ("http", "/readyz"),
}
"""Where a part of the control plane says that it is well."""
