from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from railwise.fabric.elements import Action, Cable, Dialect, Fabric, Port, Role
from railwise.formats.fabric.reader import read_fabric, read_fabric_text
from railwise.formats.fabric.writer import fabric_document, fabric_text
from railwise.formats.schema import schema_of
from railwise.model.errors import InputError
from tests.examples import examples
from tests.fabric.fabrics import drawn, small
from tests.formats.schema_check import problems

BASE = """
apiVersion: railwise.dev/v1alpha1
kind: Fabric
metadata: {name: two-leaves}
spec:
  switches:
  - {name: "leaf-[1-2]", ports: 8, rail_index: [0, 1], scalable_unit: su-1, speed: 400Gbps, group: blue}
  - {name: spine-1, role: spine, dialect: cumulus}
  servers:
  - name: gpu-[1-2]
    gpus: 4
    nics: [{name: "eth[0-1]", rail_index: [0, 1], gpus: [0, 1, 2, 3]}]
  cables:
  - ["gpu-[1-2]/eth0", "leaf-1/Ethernet[0,4]"]
  - {ends: ["gpu-[1-2]/eth1", "leaf-2/Ethernet[0,4]"], speed: 200Gbps, cable_length: 1.5m}
  - ["leaf-[1-2]/Ethernet8", "spine-1/swp[1-2]"]
  domains: [{name: nvl-1, servers: "gpu-[1-2]"}]
  actual:
  - {cable: [gpu-1/rail0, leaf-1], set: {up: false}}
  - {replug: [leaf-1/Ethernet4, leaf-2/Ethernet28]}
  timeline:
  - {at: 10s, switch: "leaf-[1-2]", set: {maintenance: true}}
  - {at: 20s, nic: gpu-2/eth1, flap: {every: 2s, times: 3}}
"""


def faults_of(text: str) -> dict[str, str]:
    with pytest.raises(InputError) as caught:
        read_fabric_text(text.encode(), "f.yaml")
    return {fault.path: fault.message for fault in caught.value.faults}


def test_one_entry_stands_for_many() -> None:
    fabric = read_fabric_text(BASE.encode(), "f.yaml")
    assert [(switch.name, switch.rail, switch.role) for switch in fabric.switches] == [
        ("leaf-1", 0, Role.LEAF),
        ("leaf-2", 1, Role.LEAF),
        ("spine-1", -1, Role.SPINE),
    ]
    assert fabric.switches[0].ports[:3] == ("Ethernet0", "Ethernet4", "Ethernet8")
    assert fabric.switches[0].labels == {"group": "blue"}
    assert fabric.switches[2].dialect is Dialect.CUMULUS
    assert [(nic.name, nic.rail, nic.gpus) for nic in fabric.servers[0].nics] == [
        ("eth0", 0, (0, 1)),
        ("eth1", 1, (2, 3)),
    ]
    assert fabric.cables[3] == Cable(Port("gpu-2", "eth1"), Port("leaf-2", "Ethernet4"), 200_000, 150)
    assert len({nic.mac for server in fabric.servers for nic in server.nics}) == 4
    assert [event.action for event in fabric.actual] == [Action.CABLE, Action.REPLUG]
    assert (fabric.actual[0].cable, fabric.actual[0].on) == (0, False)
    assert [event.device for event in fabric.timeline] == ["leaf-1", "leaf-2", ""]
    assert (fabric.timeline[2].every, fabric.timeline[2].times) == (2_000_000, 3)


def test_a_written_fabric_reads_back_the_same() -> None:
    fabric = read_fabric_text(BASE.encode(), "f.yaml")
    for form in ("yaml", "json"):
        assert read_fabric_text(fabric_text(fabric, form).encode(), f"f.{form}") == fabric


@examples(40)
@given(drawn())
def test_every_fabric_reads_back_the_same(fabric: Fabric) -> None:
    document = fabric_document(fabric)
    assert read_fabric(json.loads(json.dumps(document))) == fabric
    assert not problems(document, schema_of("fabric"))


def test_a_large_fabric_stays_a_short_file() -> None:
    assert fabric_text(small("rail-optimised", units=4, servers=32, rails=8, spines=8)).count("\n") < 150


FAULTS = [
    ("ports: 8", "prots: 8", "spec.switches[0].prots", "did you mean 'ports'"),
    ("role: spine", "role: spin", "spec.switches[1].role", "did you mean 'spine'"),
    ("ports: 8", "ports: [1]", "spec.switches[0].ports", "expected a number of ports or a hostlist"),
    ("rail_index: [0, 1], scalable", "rail_index: [0, 1, 2], scalable", "spec.switches[0].rail_index", "no equal runs"),
    ("name: spine-1", "name: leaf-1", "spec.switches[1].name", "already named by spec.switches[0]"),
    ("speed: 400Gbps", "speed: 400", "spec.switches[0].speed", "expected a bandwidth"),
    ("gpus: [0, 1, 2, 3]", "gpus: [0, 1, 2, 4]", "spec.servers[0].nics[0].gpus", "a card that is not there"),
    ("gpus: [0, 1, 2, 3]", "mac: 02:00:00:00:00:01", "spec.servers[0].nics[0].mac", "one address for 4 NICs"),
    ("gpus: [0, 1, 2, 3]", "mac: nonsense", "spec.servers[0].nics[0].mac", "expected a MAC address"),
    ("leaf-1/Ethernet[0,4]", "leaf-1/Ethernet[0,4,8]", "spec.cables[0]", "equally many ports, not 2 and 3"),
    ("leaf-1/Ethernet[0,4]", "leaf-1/Ethernet[0,5]", "spec.cables[0]", "'leaf-1' has no port 'Ethernet5'"),
    ("leaf-1/Ethernet[0,4]", "leaf-9/Ethernet[0,4]", "spec.cables[0]", "no switch or server 'leaf-9', did you mean"),
    ("leaf-1/Ethernet[0,4]", "leaf-1", "spec.cables[0][1]", "expected device/port, not 'leaf-1'"),
    ("leaf-2/Ethernet[0,4]", "leaf-1/Ethernet[4,8]", "spec.cables[1]", "is taken by spec.cables[0]"),
    ("leaf-1/Ethernet[0,4]", "gpu-1/eth1,gpu-2/eth1", "spec.cables[0]", "both ends are on"),
    ("1.5m", "long", "spec.cables[1].cable_length", "expected a length"),
    ('servers: "gpu-[1-2]"', 'servers: "gpu-[1-3]"', "spec.domains[0].servers", "there is no server 'gpu-3'"),
    ("[gpu-1/rail0, leaf-1]", "[gpu-1/rail2, leaf-1]", "spec.actual[0].cable", "no cable runs between"),
    ("[gpu-1/rail0, leaf-1]", "[leaf-1, gpu-9]", "spec.actual[0].cable", "no switch or server 'gpu-9'"),
    ("leaf-2/Ethernet28]", "leaf-2/Ethernet29]", "spec.actual[1].replug", "there is no port 'leaf-2/Ethernet29'"),
    ("{maintenance: true}", "{telemtry: false}", "spec.timeline[0].set.telemtry", "did you mean 'telemetry'"),
    ("{maintenance: true}", "{}", "spec.timeline[0].set", "nothing changes"),
    ("at: 10s, ", "", "spec.timeline[0].at", "is required"),
    ("nic: gpu-2/eth1", "nic: leaf-2/Ethernet0", "spec.timeline[1].nic", "NICs belong to servers"),
    ("nic: gpu-2/eth1", "server: gpu-2", "spec.timeline[1].flap", "a server does not flap"),
    ('switch: "leaf-[1-2]"', "switch: gpu-1", "spec.timeline[0].switch", "'gpu-1' is a server"),
    ("spec:", "sepc:", "sepc", "did you mean 'spec'"),
    ("kind: Fabric", "kind: Fabrik", "kind", "did you mean 'Fabric'"),
]


@pytest.mark.parametrize(("old", "new", "path", "message"), FAULTS, ids=[f"{old}->{new}" for old, new, *_ in FAULTS])
def test_a_fault_is_told_with_its_path(old: str, new: str, path: str, message: str) -> None:
    assert old in BASE
    faults = faults_of(BASE.replace(old, new, 1))
    assert path in faults, faults
    assert message in faults[path]


def test_all_faults_come_in_one_go() -> None:
    assert len(faults_of(BASE.replace("role: spine", "role: x").replace("gpus: 4", "gpus: -1"))) > 1


def test_two_nics_of_one_address_are_refused() -> None:
    servers = (
        "[{name: a, nics: [{name: e0, mac: 02-00-00-00-00-01}]}, {name: b, nics: [{name: e0, mac: '0200.0000.0001'}]}]"
    )
    text = f"apiVersion: railwise.dev/v1alpha1\nkind: Fabric\nspec: {{servers: {servers}}}"
    assert "have the same address 02:00:00:00:00:01" in faults_of(text)["spec.servers"]


def test_a_server_without_a_cable_is_a_warning() -> None:
    fabric = read_fabric_text(BASE.replace("name: gpu-[1-2]\n", "name: gpu-[1-4]\n").encode(), "f")
    assert fabric.warnings == ("spec.cables: no cable reaches 'gpu-3' and servers like it: 2 in all",)


def test_two_cables_between_two_devices_need_ports() -> None:
    text = BASE.replace('["leaf-[1-2]/Ethernet8"', '["leaf-1/Ethernet8,leaf-1/Ethernet12"').replace(
        "[gpu-1/rail0, leaf-1]", "[leaf-1, spine-1]"
    )
    assert faults_of(text)["spec.actual[0].cable"] == "2 cables run between leaf-1 and spine-1, name their ports"


@pytest.mark.parametrize("value", [None, [], "Fabric", {"kind": "Fabric"}, {"apiVersion": "railwise.dev/v1alpha1"}])
def test_what_is_no_fabric_is_refused(value: Any) -> None:
    with pytest.raises(InputError):
        read_fabric(value)
