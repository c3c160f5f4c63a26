"""Who we are, to a real API server: rotated tokens, plugins, refusals; and who leads, by a real Lease."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from railwise.devcluster.cluster import Cluster
from railwise.kubeapi.access import Access
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.credentials import TokenFile
from railwise.kubeapi.election import Election, ElectionTimes, Leadership
from railwise.kubeapi.errors import DeposedError, ForbiddenError, UnauthorizedError
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.lease import LeaseStore
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.recorder import EventRates, Recorder, Regarding
from railwise.kubeapi.resources import CONFIG_MAPS, EVENTS, PODS, SERVICE_ACCOUNTS, Resource
from railwise.kubeapi.watching import Scope
from tests.control_plane import pod, uid_of

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ROLES = Resource("rbac.authorization.k8s.io", "v1", "roles", "Role")
ROLE_BINDINGS = Resource("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding")


async def token_of(client: Client, space: str, account: str) -> str:
    """Return a new token of a service account."""
    body = {"spec": {"expirationSeconds": 600}}
    path = SERVICE_ACCOUNTS.path(space, account, "token")
    token: str = msgspec.json.decode(await client.write("POST", path, SERVICE_ACCOUNTS, body))["status"]["token"]
    return token


async def account_that_reads(client: Client, space: str, account: str) -> None:
    """Make a service account that may list config maps of its namespace, and no more."""
    await client.create(SERVICE_ACCOUNTS, space, {"metadata": {"name": account}})
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    await client.create(ROLES, space, {"metadata": {"name": account}, "rules": [rule]})
    subject = {"kind": "ServiceAccount", "name": account, "namespace": space}
    reference = {"apiGroup": ROLES.group, "kind": "Role", "name": account}
    await client.create(
        ROLE_BINDINGS, space, {"metadata": {"name": account}, "subjects": [subject], "roleRef": reference}
    )


async def test_a_rotated_token_is_taken_up_when_the_old_one_is_refused(
    admin: Access, space: str, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    async with connect(admin) as boss:
        await account_that_reads(boss, space, "reader")
        path.write_text(await token_of(boss, space, "reader"))
        access = Access(admin.server, TokenFile(path), authority=admin.authority)
        async with connect(access) as client:
            await client.list(CONFIG_MAPS, PartialObject, Scope(space))
            await boss.delete(SERVICE_ACCOUNTS, space, "reader")  # and with it every token it has
            await boss.create(SERVICE_ACCOUNTS, space, {"metadata": {"name": "reader"}})
            fresh = await token_of(boss, space, "reader")
            path.write_text(fresh)
            async with asyncio.timeout(30):
                while True:  # the server remembers for some seconds that a token was good
                    found = await access.credentials.headers()
                    if found["Authorization"].endswith(fresh):
                        break
                    await client.list(CONFIG_MAPS, PartialObject, Scope(space))
                    await asyncio.sleep(0.2)
            await client.list(CONFIG_MAPS, PartialObject, Scope(space))
            with pytest.raises(ForbiddenError, match=f"system:serviceaccount:{space}:reader"):
                await client.list(PODS, PartialObject, Scope(space))


async def test_a_plugin_hands_out_the_token(admin: Access, control_plane: Cluster, space: str, tmp_path: Path) -> None:
    async with connect(admin) as boss:
        await account_that_reads(boss, space, "plugged")
        token = await token_of(boss, space, "plugged")
    version = "client.authentication.k8s.io/v1"
    credential = {"apiVersion": version, "kind": "ExecCredential", "status": {"token": token}}
    program = tmp_path / "plugin"
    program.write_text(f"#!/bin/sh\necho '{msgspec.json.encode(credential).decode()}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    document: dict[str, Any] = msgspec.json.decode(control_plane.kubeconfig.read_bytes())
    document["users"][0]["user"] = {"exec": {"apiVersion": version, "command": "./plugin"}}
    (tmp_path / "config").write_bytes(msgspec.json.encode(document))
    async with connect(access_from(merge([tmp_path / "config"]))) as client:
        assert (await client.list(CONFIG_MAPS, PartialObject, Scope(space))).objects == []


async def test_a_wrong_token_is_named_as_such(admin: Access, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("wrong")
    async with connect(Access(admin.server, TokenFile(path), authority=admin.authority)) as client:
        with pytest.raises(UnauthorizedError, match="401 Unauthorized"):
            await client.list(CONFIG_MAPS, PartialObject)


TIMES = ElectionTimes(valid=3, renew=0.3, retry=0.2, margin=0.5)


async def test_a_leader_that_stands_still_is_followed_and_cannot_bind(admin: Access, space: str) -> None:
    """The first leader's loop is blocked, as by a frozen process; when it wakes up its writes are refused here."""
    asleep = 0.0

    def clock() -> float:
        return asyncio.get_running_loop().time() + asleep

    async with connect(admin) as first, connect(admin) as second:
        waiting = PodName(space, "p", uid_of(await first.create(PODS, space, pod("p"))))
        led: asyncio.Future[Leadership] = asyncio.get_running_loop().create_future()

        async def stand() -> None:
            async with Election(LeaseStore(second, space, "lease"), "second", TIMES).held() as leadership:
                led.set_result(leadership)
                await asyncio.Event().wait()

        async with Election(LeaseStore(first, space, "lease"), "first", TIMES, clock).held() as leadership:
            standing = asyncio.create_task(stand())
            await asyncio.sleep(1.0)
            assert not led.done(), "while the first one renews, nobody else leads"
            assert leadership.guard() > 0
            asleep = 3600.0  # it slept for an hour, and does not know yet
            assert not leadership.lost.is_set()
            with pytest.raises(DeposedError):
                await bind(first.fenced(leadership.guard), waiting, "n-1")
            await asyncio.wait_for(leadership.lost.wait(), 10)
        follower = await asyncio.wait_for(led, 20)
        assert (await bind(second.fenced(follower.guard), waiting, "n-2")).node == "n-2"
        standing.cancel()
        await asyncio.gather(standing, return_exceptions=True)
        with pytest.raises(DeposedError):
            follower.guard()


class _Series(msgspec.Struct):
    count: int = 0


class _Event(PartialObject, frozen=True):
    note: str = ""
    series: _Series | None = None


async def test_events_are_written_and_counted(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        uid = uid_of(await client.create(PODS, space, pod("p")))
        recorder = Recorder(client, "tests", EventRates(rate=1000))
        for _ in range(2):
            for _ in range(2):
                recorder.say(Regarding(PODS, space, "p", uid), "TooFragmented", "0 of 8 racks", warning=True)
            await recorder.drain(10)
        recorder.say(Regarding(PODS, space, "p", uid), "Other", "ä" * 3000)
        await recorder.drain(10)
        found = (await client.list(EVENTS, _Event, Scope(space))).objects
    assert sorted((one.note[:4], one.series.count if one.series else 1) for one in found) == [("0 of", 4), ("ääää", 1)]
