"""The document by which a laboratory is discovered like a real hall: each switch, manager and file by its address.

``railwise discover --lab`` needs only the folder. But who wants to know what to write for switches of their own, or
runs a laboratory with certificates and a password, needs the document; so a laboratory writes the one that fits it.
Passwords stand in files, and only the name of a file is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from railwise.fabric.elements import Dialect, Fabric
from railwise.formats.document_writer import document_text
from railwise.lab.serving import Listening

HOST_FILES = (("nvidia-smi", "nvidia-smi.csv"), ("kfd", "kfd"))
"""What servers show beside LLDP, where any of them has it: the kind, and the name in a server's folder."""


def discovery_document(
    fabric: Fabric, ports: Mapping[str, int], managers: int, listening: Listening, folder: Path
) -> str:
    """Return the document as YAML; ``ports`` are those of the switches, ``managers`` that of UFM, NetQ and NMX.

    UFM is asked where there is InfiniBand, NMX where there are NVLink domains.
    """
    host = listening.host
    login = _login(listening)
    switches = [
        {"name": name, "host": host, "port": port, **_trust(listening), **login} for name, port in ports.items()
    ]
    files = [{"kind": "lldpctl", "path": "hosts/*/lldpctl.json"}]
    files += [
        {"kind": kind, "path": f"hosts/*/{name}"} for kind, name in HOST_FILES if any(folder.glob(f"hosts/*/{name}"))
    ]
    spec: dict[str, Any] = {"switches": switches} if switches else {}
    kinds = ["ufm"] if any(switch.dialect is Dialect.INFINIBAND for switch in fabric.switches) else []
    kinds += ["nmx"] if any(domain.kind == "nvlink" for domain in fabric.domains) else []
    if kinds:
        url = f"http://{host}:{managers}"
        spec["managers"] = [{"kind": kind, "url": url, "insecure": True, **login} for kind in kinds]
    return document_text(
        {"apiVersion": "railwise.dev/v1alpha1", "kind": "Discovery", "spec": {**spec, "files": files}}, "yaml"
    )


def _trust(listening: Listening) -> dict[str, Any]:
    """Return what the switches prove; a certificate that nobody else signed is its own authority."""
    pair = listening.certificates
    return {"tls": {"authority": str(pair.chain.resolve())}} if pair else {"insecure": True}


def _login(listening: Listening) -> dict[str, Any]:
    if not listening.access.user:
        return {}
    named = {"passwordFile": str(listening.password_file.resolve())} if listening.password_file else {}
    return {"user": listening.access.user, **named}
