"""What NetQ and NMX were recorded to answer, written back in their own form, means the same."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from railwise.fabric.elements import Cable, Domain, Fabric, Nic, Port, Role, Server, Switch
from railwise.fabric.mapper import build
from railwise.fabric.observations import SERVER, Report
from railwise.formats.managers.netq import read_netq
from railwise.formats.managers.nmx import read_nmx
from railwise.lab.laboratory import Laboratory
from railwise.lab.rest.documents import netq_topology, nmx_compute_nodes
from tests.conftest import SHARED

FIXTURES = SHARED / "fixtures" / "topograph"


def recorded(name: str) -> bytes:
    path = FIXTURES / name
    if not path.exists():
        pytest.skip("no recorded answers beside the checkout")
    return path.read_bytes()


def fabric_of(reports: list[Report]) -> Fabric:
    """Return the fabric that reports tell: every device with the ports that hear somebody, every link once."""
    ports: dict[str, set[str]] = defaultdict(set)
    cables = set()
    for report in reports:
        for row in report.observations:
            ends = sorted((Port(report.speaker.name, row.port), Port(row.name, row.remote_port)))
            cables.add((ends[0], ends[1]))
            for end in ends:
                ports[end.device].add(end.name)
    switches, servers = [], []
    for name, speaker in sorted((report.speaker.name, report.speaker) for report in reports):
        if speaker.kind == SERVER:
            servers.append(Server(name, tuple(Nic(port) for port in sorted(ports[name]))))
        else:
            switches.append(Switch(name, Role(speaker.role), ports=tuple(sorted(ports[name]))))
    return Fabric("back", tuple(switches), tuple(servers), tuple(Cable(*ends) for ends in sorted(cables)))


def test_a_recorded_graph_of_netq() -> None:
    reports = read_netq(recorded("netq-topologygraph.json"))
    written = json.dumps(netq_topology(Laboratory(fabric_of(reports)))).encode()
    again = read_netq(written)
    assert again == reports
    assert build(again).places == build(reports).places


def test_the_recorded_compute_nodes_of_nmx() -> None:
    reports = read_nmx(recorded("nmx-compute-nodes.json"))
    members: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        members[report.scale_up[0].domain].append(report.speaker.name)
    chassis = {report.scale_up[0].domain: report.scale_up[0].chassis for report in reports}
    domains = tuple(
        Domain(f"d-{number}", tuple(names), cluster_uuid=uuid, chassis=chassis[uuid])
        for number, (uuid, names) in enumerate(members.items())
    )
    servers = tuple(Server(report.speaker.name, gpus=report.scale_up[0].gpus) for report in reports)
    written = json.dumps(nmx_compute_nodes(Laboratory(Fabric("back", servers=servers, domains=domains)))).encode()

    def meant(found: list[Report]) -> list[tuple[str, str, int]]:
        return [(one.speaker.name, one.scale_up[0].domain, one.scale_up[0].gpus) for one in found]

    assert meant(read_nmx(written)) == meant(reports)
    assert [(one.identity, one.servers) for one in build(read_nmx(written)).scale_up] == [
        (one.identity, one.servers) for one in build(reports).scale_up
    ]
