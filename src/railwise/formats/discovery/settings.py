"""What a discovery document says, as plain values: whom to ask, how to get in, what to believe and for how long."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from railwise.fabric.observations import Speaker

SECOND: Final = 1_000_000
"""µs."""


@dataclass(frozen=True, slots=True)
class Login:
    """A user, and where the password stands: in a file or in an environment variable, never in the document."""

    user: str = ""
    password_file: str = ""
    password_variable: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """What the other end must prove. ``authority`` is a file (empty: the authorities of the system).

    ``certificate`` and ``key`` are what we show, where the other end asks for it; ``server_name`` is what its
    certificate is made out to, where that is not the host. ``insecure`` gives up encryption.
    """

    insecure: bool = False
    authority: str = ""
    certificate: str = ""
    key: str = ""
    server_name: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """One switch that speaks gNMI; ``port`` 0 tries the usual ones, ``dialect`` auto asks the switch."""

    name: str
    host: str
    port: int = 0
    dialect: str = "auto"
    trust: Trust = Trust()
    login: Login = Login()


@dataclass(frozen=True, slots=True)
class HostFiles:
    """Files of one kind; ``path`` may hold one ``*``, which stands for the server's name (else ``server`` says it)."""

    kind: str
    path: str
    server: str = ""


@dataclass(frozen=True, slots=True)
class Manager:
    """A fabric manager that answers over HTTP: ``ufm``, ``netq`` or ``nmx``; asked again ``every`` µs."""

    kind: str
    url: str
    trust: Trust = Trust()
    login: Login = Login()
    every: int = 30 * SECOND


@dataclass(frozen=True, slots=True)
class Local:
    """What this machine itself can tell: ``lldpd``, ``nvml``, ``nvidia-smi``, ``kfd`` or ``affinity``.

    ``server`` is the machine's name (empty: its host name). ``path`` is lldpd's socket, or the root of sysfs;
    ``program`` is ``lldpcli`` or ``nvidia-smi`` under another name. Asked again ``every`` µs.
    """

    kind: str
    server: str = ""
    path: str = ""
    program: str = ""
    every: int = 30 * SECOND


@dataclass(frozen=True, slots=True)
class InCluster:
    """What an API server can tell: ``agents``, ``gfd``, ``aws``, ``gke``, ``oci`` or ``ascend``.

    ``kubeconfig`` and ``context`` say which server (empty: the one that everything else goes to); ``namespace`` is
    where the objects of ``ascend`` are.
    """

    kind: str
    kubeconfig: str = ""
    context: str = ""
    namespace: str = "kube-system"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long (µs) a change must hold before it counts, and a silent source may be before it is called stale."""

    hold_down: int = 2 * SECOND
    stale_after: int = 90 * SECOND


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole discovery document.

    ``speakers`` say more about switches than their names; ``inventory`` are the servers that may be labelled (empty:
    all that are heard); ``intent`` is a file that says how the fabric is meant to be; ``lab`` the folder of a
    laboratory that is to be discovered.
    """

    name: str = ""
    targets: tuple[Target, ...] = ()
    speakers: dict[str, Speaker] = field(default_factory=dict)
    files: tuple[HostFiles, ...] = ()
    managers: tuple[Manager, ...] = ()
    local: tuple[Local, ...] = ()
    cluster: tuple[InCluster, ...] = ()
    inventory: tuple[str, ...] = ()
    intent: str = ""
    lab: str = ""
    patience: Patience = Patience()
    warnings: tuple[str, ...] = ()
