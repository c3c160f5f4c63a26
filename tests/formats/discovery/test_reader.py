"""Discovery documents: what they may say, and that everything else is refused with path and hint."""

from __future__ import annotations

import json
from typing import Any

import pytest

from railwise.formats.discovery.reader import read_discovery, read_discovery_text
from railwise.formats.discovery.settings import HostFiles, Login, Manager, Patience, Settings, Target, Trust
from railwise.formats.schema import schema_of
from railwise.model.errors import InputError

DOCUMENT = """
apiVersion: railwise.dev/v1alpha1
kind: Discovery
metadata: {name: hall-2}
spec:
  switches:
  - {name: 'leaf-[1-4]', host: '10.0.0.[1-4]', port: 9339, user: reader, passwordFile: secret, rail_index: [0, 1],
     scalable_unit: 'su-[1-2]'}
  - {name: old, insecure: true, dialect: sonic, role: spine}
  - {name: far, tls: {authority: ca.pem, certificate: me.pem, key: me.key, serverName: far.example}}
  files:
  - {kind: lldpctl, path: 'hosts/*/lldpctl.json'}
  - {kind: ibnetdiscover, path: ib.txt}
  - {kind: kfd, path: /sys/class/kfd/kfd/topology, server: gpu-1}
  managers:
  - {kind: ufm, url: 'https://ufm.example/', user: reader, passwordEnv: UFM_PASSWORD, every: 1m}
  - {kind: nmx, url: 'http://127.0.0.1:8080', insecure: true}
  nodes: gpu-[1-3]
  intent: fabric.yaml
  patience: {holdDown: 5s}
"""


def spec(**members: Any) -> dict[str, Any]:
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": "Discovery", "spec": members}


def faults(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        read_discovery(document)
    return [(fault.path, fault.message) for fault in refused.value.faults]


def test_a_whole_document_is_read() -> None:
    settings = read_discovery_text(DOCUMENT.encode(), "discover.yaml")
    reader = Login("reader", "secret")
    assert settings.targets[0] == Target("leaf-1", "10.0.0.1", 9339, "auto", Trust(), reader)
    assert [target.host for target in settings.targets] == [
        "10.0.0.1",
        "10.0.0.2",
        "10.0.0.3",
        "10.0.0.4",
        "old",
        "far",
    ]
    assert settings.targets[4].trust.insecure
    assert settings.targets[5].trust == Trust(False, "ca.pem", "me.pem", "me.key", "far.example")
    assert [(one.unit, one.rail) for one in settings.speakers.values()][:5] == [
        ("su-1", 0), ("su-1", 0), ("su-2", 1), ("su-2", 1), ("", -1),
    ]  # fmt: skip
    assert settings.speakers["old"].role == "spine"
    assert settings.files[2] == HostFiles("kfd", "/sys/class/kfd/kfd/topology", "gpu-1")
    login = Login("reader", "", "UFM_PASSWORD")
    assert settings.managers[0] == Manager("ufm", "https://ufm.example", Trust(), login, 60_000_000)
    assert settings.managers[1].every == 30_000_000
    assert (settings.inventory, settings.intent) == (("gpu-1", "gpu-2", "gpu-3"), "fabric.yaml")
    assert settings.patience == Patience(5_000_000, 90_000_000)


@pytest.mark.parametrize("host", ["10.0.0.1", "leaf.example", "fe80::1", "::1", "2001:db8::10"])
def test_a_host_is_a_name_or_an_address(host: str) -> None:
    assert read_discovery(spec(switches=[{"name": "a", "host": host}])).targets[0].host == host


def test_a_source_with_a_fault_is_no_lack_of_sources() -> None:
    with pytest.raises(InputError) as caught:
        read_discovery(spec(switches=[{"name": "a[1-2]", "host": "h"}]))
    assert "nothing to discover" not in str(caught.value)


def test_a_lab_alone_is_enough() -> None:
    assert read_discovery(spec(lab="railwise-lab")) == Settings(lab="railwise-lab")


@pytest.mark.parametrize(
    ("members", "path", "message"),
    [
        ({}, "spec", "nothing to discover"),
        ({"switchs": []}, "spec.switchs", "did you mean 'switches'?"),
        ({"switches": [{"name": "a", "password": "x"}]}, "spec.switches[0].password", "a password never stands"),
        ({"switches": [{"name": "a"}, {"name": "a"}]}, "spec.switches[1].name", "stands twice"),
        ({"switches": [{"name": "a[1-2]", "host": "h"}]}, "spec.switches[0].host", "1 hosts for 2 switches"),
        ({"switches": [{"name": "a", "host": "h:8080"}]}, "spec.switches[0].host", "without its port, not 'h:8080'"),
        (
            {"switches": [{"name": "a[1-2]", "host": "h[1-2]:1"}]},
            "spec.switches[0].host",
            "without its port, not 'h1:1'",
        ),
        ({"switches": [{"name": "a", "port": 0}]}, "spec.switches[0].port", "from 1 to 65535"),
        ({"switches": [{"name": "a", "user": "u"}]}, "spec.switches[0]", "a user needs a password"),
        (
            {"switches": [{"name": "a", "user": "u", "passwordFile": "f", "passwordEnv": "E"}]},
            "spec.switches[0].passwordEnv",
            "either",
        ),
        (
            {"switches": [{"name": "a", "insecure": True, "tls": {"authority": "x"}}]},
            "spec.switches[0].insecure",
            "either 'insecure' or 'tls'",
        ),
        ({"switches": [{"name": "a", "tls": {"key": "x"}}]}, "spec.switches[0].tls", "a certificate needs its key"),
        ({"switches": [{"name": "a[1-3]", "rail_index": [0, 1]}]}, "spec.switches[0].rail_index", "do not divide"),
        ({"files": [{"kind": "lldpctl", "path": "x"}]}, "spec.files[0]", "whose lldpctl is it?"),
        ({"files": [{"kind": "lldpctl", "path": "*/*"}]}, "spec.files[0].path", "at most one *"),
        (
            {"files": [{"kind": "lldpctl", "path": "*", "server": "a"}]},
            "spec.files[0].server",
            "names the servers itself",
        ),
        ({"files": [{"kind": "csv", "path": "x"}]}, "spec.files[0].kind", "expected lldpctl"),
        ({"managers": [{"kind": "ufm", "url": "http://u"}]}, "spec.managers[0].url", "http is not encrypted"),
        ({"managers": [{"kind": "ufm", "url": "ftp://u"}]}, "spec.managers[0].url", "expected an address"),
    ],
)
def test_what_cannot_be_meant_is_refused(members: dict[str, Any], path: str, message: str) -> None:
    assert any(path == where and message in what for where, what in faults(spec(**members))), faults(spec(**members))


@pytest.mark.parametrize("document", [None, [], "x", {"kind": "Fabric"}, {"apiVersion": "v1", "kind": "Discovery"}])
def test_other_documents_are_refused(document: Any) -> None:
    assert faults(document)


def test_the_schema_knows_every_key() -> None:
    schema = schema_of("discovery")
    assert set(schema["$defs"]["DiscoverySpec"]["properties"]) >= {"switches", "files", "managers", "patience"}
    assert "passwordFile" in json.dumps(schema)
