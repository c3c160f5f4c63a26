"""Agents on a real API server, with the rights of ``deploy/agent``: each may speak of its own node and of no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from railwise.devcluster.cluster import Cluster
from railwise.discovery.agent import NODE_REPORTS
from railwise.discovery.hearing import Failed, Gone, Hearing, Told
from railwise.discovery.permissions import AGENT
from railwise.discovery.report_source import NodeReport, ReportSource
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.credentials import FixedCredentials
from railwise.kubeapi.errors import ForbiddenError, StatusError
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.resources import NODES, PODS
from tests.conftest import ROOT
from tests.control_plane import node, pod, uid_of
from tests.controllers.test_cluster_scheduler import until
from tests.deploy.cluster import applied, deeds, kubeconfig, running, token_of, unused
from tests.deploy.generate import NAMESPACE
from tests.deploy.kustomize import built
from tests.discovery.cables import cable, ip, update
from tests.discovery.machines import sysfs_with_nics

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ACCOUNT = "railwise-agent"

__all__ = ["cable"]


class Agent(NamedTuple):
    """A node, its uid, and the kubeconfig of the agent on it."""

    node: str
    uid: str
    kubeconfig: Path


async def agent_on(boss: Client, admin: Access, name: str, folder: Path) -> Agent:
    """Make a node with an agent's pod on it, and take the token that its kubelet would have asked for."""
    uid = uid_of(await boss.create(NODES, "", node(name)))
    body = pod(f"agent-{name}", serviceAccountName=ACCOUNT, nodeName=name)
    there = {"name": f"agent-{name}", "uid": uid_of(await boss.create(PODS, NAMESPACE, body))}
    folder.mkdir()  # noqa: ASYNC240 -- nobody else waits
    return Agent(name, uid, kubeconfig(folder, admin, await token_of(boss, ACCOUNT, there)))


@pytest.fixture
async def boss(admin: Access) -> AsyncIterator[Client]:
    async with connect(admin) as client:
        namespace = yaml.safe_load((ROOT / "deploy" / "namespace.yaml").read_text())
        await applied(client, [namespace, *(one for one in built(ROOT / "deploy" / "agent"))])

        async def known() -> bool:
            return await client.serves(NODE_REPORTS)

        await until(known)
        yield client


def spec(**more: Any) -> dict[str, Any]:
    return {"everySeconds": 60, "beat": "2026-01-01T00:00:00Z", "sources": [], **more}


async def report(client: Client, about: str, value: dict[str, Any], **metadata: Any) -> None:
    await client.apply(NODE_REPORTS, "", about, {"metadata": metadata, "spec": value}, force=True)


async def until_guarded(boss: Client, agent: Agent) -> None:
    """Wait until the API server has taken up the policy, which it does within a moment of its creation."""
    async with connect(access_from(merge([agent.kubeconfig]))) as client, asyncio.timeout(30):
        while True:
            try:
                await report(client, "nobody", spec())
            except ForbiddenError:
                break
            await asyncio.sleep(0.2)
    await boss.delete(NODE_REPORTS, "", "nobody")


async def test_an_agent_reports_about_its_own_node_only(
    boss: Client, admin: Access, space: str, tmp_path: Path
) -> None:
    a, b = [await agent_on(boss, admin, f"{space}-{name}", tmp_path / name) for name in "ab"]
    await until_guarded(boss, a)
    owner = {"apiVersion": "v1", "kind": "Node", "name": a.node, "uid": a.uid}
    async with connect(access_from(merge([a.kubeconfig]))) as client:
        await report(client, a.node, spec(), ownerReferences=[owner])
        with pytest.raises(ForbiddenError, match=f"a token of node {a.node} cannot report about {b.node}"):
            await report(client, b.node, spec())
        async with connect(access_from(merge([b.kubeconfig]))) as other:
            await report(other, b.node, spec())
        with pytest.raises(ForbiddenError, match="cannot report about"):  # nor change what is there
            await client.patch(NODE_REPORTS, "", b.node, {"spec": {"beat": "2026-01-01T00:00:01Z"}})
        with pytest.raises(ForbiddenError, match="belongs to its node"):
            await report(client, a.node, spec(), ownerReferences=[{**owner, "name": b.node}])
        for forbidden in (
            client.delete(NODE_REPORTS, "", a.node),
            client.get(NODE_REPORTS, NodeReport, "", b.node),
            client.label(NODES, "", a.node, {"fabric.railwise.dev/rack": "r1"}),
        ):
            with pytest.raises(ForbiddenError):
                await forbidden
    for name, allowed in (("generic-garbage-collector", True), ("some-controller", False)):
        user = f"system:serviceaccount:kube-system:{name}"
        headers = (("Impersonate-User", user), ("Impersonate-Group", "system:masters"))
        async with connect(replace(admin, headers=(*admin.headers, *headers))) as client:
            with nullcontext() if allowed else pytest.raises(ForbiddenError, match="bound to a pod"):
                await client.patch(NODE_REPORTS, "", b.node, {"spec": {"beat": f"2026-01-01T00:00:0{len(name) % 9}Z"}})
    (tmp_path / "free").mkdir()
    unbound = kubeconfig(tmp_path / "free", admin, await token_of(boss, ACCOUNT))
    async with connect(access_from(merge([unbound]))) as client:
        with pytest.raises(ForbiddenError, match="bound to a pod"):
            await report(client, a.node, spec())


async def test_what_is_too_much_is_refused_by_the_server(boss: Client, space: str) -> None:
    neighbour = {"port": "eth0", "name": "x" * 255}
    for wrong in (
        {"sources": [{"name": "lldpd", "neighbours": [neighbour] * 513}]},
        {"sources": [{"name": "lldpd", "neighbours": [{"port": "p", "name": "x" * 256}]}]},
        {"sources": [{"name": "rumour"}]},
        {"aliases": ["a"] * 5},
    ):
        with pytest.raises(StatusError) as refused:
            await report(boss, f"{space}-x", spec(**wrong))
        assert refused.value.code == 422
    await report(boss, f"{space}-x", spec(sources=[{"name": "lldpd", "neighbours": [neighbour] * 512}]))


async def test_an_agent_tells_discovery_what_its_node_has(
    boss: Client, admin: Access, control_plane: Cluster, space: str, tmp_path: Path
) -> None:
    agent = await agent_on(boss, admin, f"{space}-n1", tmp_path / "n1")
    root = sysfs_with_nics(tmp_path / "sys", 2)
    heard: asyncio.Queue[Hearing] = asyncio.Queue()
    following = asyncio.create_task(ReportSource(lambda: admin).watch(heard.put_nowait))
    arguments = ["agent", "--kubeconfig", str(agent.kubeconfig), "--source", "affinity", "--source", "lldpd"]
    arguments += ["--sysfs", str(root), "--every", "5", "--heartbeat", "10", "--lldpcli", str(tmp_path / "none")]
    try:
        with running(*arguments, log=tmp_path / "log"):
            told = await _told(heard, agent.node)
            assert [(port.name, port.gpus) for port in told.report.ports] == [("eth0", (0,)), ("eth1", (1,))]
            assert told.report.speaker.name == agent.node
            assert "cannot be started" in (await _failed(heard, agent.node)).reason
            (root / "class" / "net" / "eth1" / "operstate").write_text("down\n")
            while all(port.up for port in (await _told(heard, agent.node)).report.ports):
                pass
            first = await boss.get(NODE_REPORTS, NodeReport, "", agent.node)
            now = first

            async def lives() -> bool:
                nonlocal now
                now = await boss.get(NODE_REPORTS, NodeReport, "", agent.node)
                return now != first

            await until(lives)  # and nothing but a sign of life is written from then on
            assert {**(first.spec or {}), "beat": ""} == {**(now.spec or {}), "beat": ""}
        await boss.delete(NODE_REPORTS, "", agent.node)
        async with asyncio.timeout(40):  # who has gone is not waited for
            while not isinstance(one := await heard.get(), Gone) or one.device != agent.node:
                pass
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    done = {one for one in deeds(control_plane, ACCOUNT) if one.name == agent.node}
    assert [one for one in done if one.code in (401, 403)] == [], (tmp_path / "log").read_text()
    assert unused(AGENT, done) == []


async def test_what_lldpd_hears_on_a_node_reaches_discovery(
    boss: Client, admin: Access, space: str, tmp_path: Path, cable: tuple[Path, Path, str]
) -> None:
    agent = await agent_on(boss, admin, f"{space}-n1", tmp_path / "n1")
    mine, other, namespaces = cable
    heard: asyncio.Queue[Hearing] = asyncio.Queue()
    following = asyncio.create_task(ReportSource(lambda: admin).watch(heard.put_nowait))
    arguments = ["agent", "--kubeconfig", str(agent.kubeconfig), "--source", "lldpd", "--lldpd-socket", str(mine)]

    async def until_told(wanted: list[str]) -> None:
        while [one.description for one in (await _told(heard, agent.node)).report.observations] != wanted:
            pass

    try:
        with running(*arguments, log=tmp_path / "log"):
            await asyncio.to_thread(update, other)
            await until_told(["swp7"])
            ip("-n", f"{namespaces}b", "link", "set", "swp7", "down")
            await until_told([])
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_an_agent_that_falls_silent_has_failed_until_it_lives_again(
    boss: Client, admin: Access, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("railwise.discovery.report_source.MISSED", 0.1)
    monkeypatch.setattr("railwise.discovery.report_source.LOOK_EVERY", 0.1)
    name = f"{space}-n1"
    said = {"name": "lldpd", "links": True, "neighbours": [{"port": "eth0", "name": "leaf-1"}]}
    await report(boss, name, spec(everySeconds=10, sources=[said]))
    heard: asyncio.Queue[Hearing] = asyncio.Queue()
    following = asyncio.create_task(ReportSource(lambda: admin).watch(heard.put_nowait))
    try:
        first = await _told(heard, name)
        assert "has been silent for" in (await _failed(heard, name)).reason
        await boss.patch(NODE_REPORTS, "", name, {"spec": {"beat": "1970-01-01T00:00:00Z"}})  # its clock is its own
        assert (await _told(heard, name)).report == first.report
        assert "has been silent for" in (await _failed(heard, name)).reason
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_reports_that_lie_or_break_are_bounded(boss: Client, admin: Access, space: str) -> None:
    said = {"name": "lldpd", "links": True, "neighbours": [{"port": "eth0", "name": "leaf\u0007-1", "kind": "switch"}]}
    said["ports"] = [{"name": "eth0", "rail": 4096, "gpus": [0, 99]}]
    await report(boss, f"{space}-liar", spec(sources=[said], aliases=["other"]))
    heard: list[Hearing] = []
    await ReportSource(lambda: admin).once(heard.append)
    (told,) = [one for one in heard if one.device == f"{space}-liar" and isinstance(one, Told)]
    assert told.report.speaker.name == f"{space}-liar"
    assert [one.name for one in told.report.observations] == ["leaf-1"]
    assert [(port.rail, port.gpus) for port in told.report.ports] == [(-1, (0,))]


async def test_an_api_server_that_is_not_there_is_a_failure_of_this_source_alone() -> None:
    def lost() -> Access:
        return Access("http://127.0.0.1:9", FixedCredentials())

    heard: list[Hearing] = []
    await ReportSource(lost).once(heard.append)
    assert [type(one) for one in heard] == [Failed]


async def _told(heard: asyncio.Queue[Hearing], node_name: str) -> Told:
    async with asyncio.timeout(40):
        while True:
            one = await heard.get()
            if isinstance(one, Told) and one.device == node_name:
                return one


async def _failed(heard: asyncio.Queue[Hearing], node_name: str, source: str = "agent:lldpd") -> Failed:
    async with asyncio.timeout(40):
        while True:
            one = await heard.get()
            if isinstance(one, Failed) and (one.device, one.source) == (node_name, source):
                return one
