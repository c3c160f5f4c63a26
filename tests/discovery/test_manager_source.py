"""Managers are asked over HTTP, with a login, with verified certificates, and what they said stands when they fail."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from aiohttp import web

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Failed, Hearing, Told
from railwise.discovery.manager_source import ManagerSource
from railwise.fabric.elements import Action, Dialect, Event
from railwise.formats.discovery.settings import Login, Manager, Trust
from railwise.formats.managers.netq import read_netq
from railwise.formats.managers.nmx import read_nmx
from railwise.lab.gnmi_switch import Access
from railwise.lab.laboratory import Laboratory
from railwise.lab.rest.endpoints import Endpoints
from railwise.model.errors import InputError
from tests.conftest import SHARED
from tests.lab.test_laboratory import fabric

FIXTURES = SHARED / "fixtures" / "topograph"
UUID = "3fbfc98b-7f95-4749-ab11-bd351a2aab3e"


def source_of(kind: str, port: int, login: Login = Login(), trust: Trust = Trust(insecure=True)) -> ManagerSource:  # noqa: B008
    return ManagerSource(Manager(kind, f"http://127.0.0.1:{port}", trust, login), Backoff(Random(0)))


async def told(source: ManagerSource) -> list[Hearing]:
    heard: list[Hearing] = []
    await source.once(heard.append)
    return heard


@pytest.mark.parametrize(
    ("kind", "devices"),
    [
        ("ufm", ["gpu-0", "gpu-1", "leaf-0", "leaf-1"]),
        ("netq", ["gpu-0", "gpu-1", "leaf-0", "leaf-1", "spine-0"]),
        ("nmx", ["gpu-0"]),
    ],
)
async def test_every_manager_tells_of_its_devices(tmp_path: Path, kind: str, devices: list[str]) -> None:
    (tmp_path / "password").write_text("secret")
    endpoints = Endpoints(Laboratory(fabric(below=Dialect.INFINIBAND)), Access("reader", "secret"))
    await endpoints.start()
    try:
        login = Login("reader", str(tmp_path / "password"))
        assert [one.device for one in await told(source_of(kind, endpoints.port, login))] == devices
        (refused,) = await told(source_of(kind, endpoints.port))
        assert isinstance(refused, Failed)
        assert refused.reason.startswith("HTTP 401")
        (tmp_path / "password").unlink()
        (unread,) = await told(source_of(kind, endpoints.port, login))
        assert isinstance(unread, Failed)
        assert "password: No such file" in unread.reason
    finally:
        await endpoints.stop()


async def test_a_device_that_is_no_longer_told_of_has_no_links() -> None:
    laboratory = Laboratory(fabric())
    endpoints = Endpoints(laboratory)
    await endpoints.start()
    source = source_of("ufm", endpoints.port)
    try:
        assert await told(source) == []
    finally:
        await endpoints.stop()
    laboratory = Laboratory(fabric(below=Dialect.INFINIBAND))
    endpoints = Endpoints(laboratory)
    await endpoints.start()
    source = source_of("ufm", endpoints.port)
    try:
        first = await told(source)
        laboratory.apply(Event(0, Action.SWITCH, on=False, device="leaf-0"))
        second = {one.device: one for one in await told(source)}
    finally:
        await endpoints.stop()
    assert len(first) == len(second) == 4
    gone = second["leaf-0"]
    assert isinstance(gone, Told)
    assert gone.report.observations == ()
    (failed,) = await told(source)
    assert isinstance(failed, Failed)


BOMB = b"[" * 5_000_000
"""Brackets that a careless reader would follow to the end of its stack."""


@pytest.mark.parametrize(
    "body", [b"", b"[[[", b'{"nodes": 7}', b"\x00" * 10, b"[1]", BOMB], ids=lambda one: str(one[:9])
)
async def test_answers_that_make_no_sense_are_failures(body: bytes) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        port = runner.addresses[0][1]
        for kind in ("ufm", "netq", "nmx"):
            heard = await told(source_of(kind, port))
            assert all(isinstance(one, Failed) for one in heard), heard
    finally:
        await runner.cleanup()


async def test_a_certificate_of_nobody_is_refused(tmp_path: Path) -> None:
    (one,) = await told(source_of("ufm", 1, trust=Trust(authority=str(tmp_path / "none.pem"))))
    assert isinstance(one, Failed)
    assert "No such file" in one.reason


def test_a_recorded_graph_of_netq() -> None:
    path = FIXTURES / "netq-topologygraph.json"
    if not path.exists():
        pytest.skip("no recorded answers beside the checkout")
    reports = {report.speaker.name: report for report in read_netq(path.read_bytes())}
    kinds = [report.speaker.kind for report in reports.values()]
    assert (len(reports), kinds.count("server")) == (len(kinds), sum(report.ports != () for report in reports.values()))
    heard = {(row.name, row.remote_port) for row in reports["net-unit-l2"].observations}
    assert all((report.speaker.kind == "switch") == (report.speaker.role != "") for report in reports.values())
    assert all(
        ("net-unit-l2", row.port) in {(r.name, r.remote_port) for r in reports[row.name].observations}
        for row in reports["net-unit-l2"].observations
    )
    assert heard


def test_the_recorded_compute_nodes_of_nmx() -> None:
    path = FIXTURES / "nmx-compute-nodes.json"
    if not path.exists():
        pytest.skip("no recorded answers beside the checkout")
    reports = read_nmx(path.read_bytes())
    assert {report.scale_up[0].domain for report in reports} >= {UUID}
    assert reports[0].scale_up[0].chassis == "1825024170029"
    assert reports[0].scale_up[0].gpus == 4


@pytest.mark.parametrize(
    "document", [{"nodes": []}, [{"nodes": [], "links": [{"compounded_links": [{"interfaces": [1]}]}]}]]
)
def test_graphs_with_nothing_in_them_say_nothing(document: object) -> None:
    assert read_netq(json.dumps(document).encode()) == []


@pytest.mark.parametrize("data", [b"{}", b"[1]", b"[]", b"x"])
def test_other_graphs_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_netq(data)
