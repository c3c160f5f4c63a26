"""Lists, watches and writes against a real API server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import msgspec
import pytest

from railwise.devcluster.cluster import Cluster
from railwise.formats.kubernetes.schema import Condition, NodeObject, Pod
from railwise.kubeapi.access import Access
from railwise.kubeapi.changes import Change, ChangeKind, Snapshot
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.errors import ConflictError, ForbiddenError, NotFoundError, StatusError
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import Outcome, PodName, bind, evict, set_conditions
from railwise.kubeapi.resources import (
    CONFIG_MAPS,
    DISRUPTION_BUDGETS,
    NODES,
    PODS,
    Resource,
)
from railwise.kubeapi.settings import Settings
from railwise.kubeapi.watching import Scope
from tests.control_plane import node, pod, uid_of

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


class _Status(msgspec.Struct):
    conditions: tuple[Condition, ...] = ()


class Conditioned(PartialObject, frozen=True):
    status: _Status = msgspec.field(default_factory=_Status)


WIDGETS = Resource("example.com", "v1", "widgets", "Widget")


async def made(client: Client, space: str, name: str, **spec: object) -> PodName:
    return PodName(space, name, uid_of(await client.create(PODS, space, pod(name, **spec))))


async def test_the_version_is_the_one_that_was_asked_for(admin: Access) -> None:
    async with connect(admin) as client:
        assert (await client.version()).startswith("v1.")
        assert await client.serves(PODS)
        assert not await client.serves(WIDGETS)


@pytest.mark.parametrize("streaming", [True, False])
async def test_everything_comes_first_and_then_each_change(admin: Access, space: str, streaming: bool) -> None:
    scope = Scope(space, labels="kind=watched")

    def config(name: str, **data: str) -> dict[str, object]:
        return {"metadata": {"name": name, "labels": {"kind": "watched"}}, "data": data}

    async with connect(admin, Settings(streaming=streaming, page=3)) as client:
        for number in range(8):
            await client.create(CONFIG_MAPS, space, config(f"c-{number}"))
        await client.create(CONFIG_MAPS, space, {"metadata": {"name": "other"}})
        async with aclosing(client.follow(CONFIG_MAPS, PartialObject, scope)) as news, asyncio.timeout(30):
            first = await anext(news)
            assert isinstance(first, Snapshot)
            assert sorted(one.metadata.name for one in first.objects) == [f"c-{number}" for number in range(8)]
            await client.create(CONFIG_MAPS, space, config("late"))
            await client.replace(CONFIG_MAPS, space, "late", config("late", a="1"))
            await client.delete(CONFIG_MAPS, space, "late")
            changes = [await anext(news) for _ in range(3)]
    assert [change.kind for change in changes if isinstance(change, Change)] == list(ChangeKind)
    assert {change.object.metadata.name for change in changes if isinstance(change, Change)} == {"late"}


async def test_a_watch_that_ends_goes_on_where_it_stood(admin: Access, space: str) -> None:
    seen: list[str] = []
    async with connect(admin, Settings(watch_time=1)) as client:

        async def write() -> None:
            for number in range(40):
                await client.create(CONFIG_MAPS, space, {"metadata": {"name": f"c-{number:02}"}})
                await asyncio.sleep(0.1)

        writing = asyncio.create_task(write())
        snapshots = 0
        async with aclosing(client.follow(CONFIG_MAPS, PartialObject, Scope(space))) as news, asyncio.timeout(60):
            async for event in news:
                if isinstance(event, Snapshot):
                    snapshots += 1
                    seen += [one.metadata.name for one in event.objects]
                elif isinstance(event, Change):
                    seen.append(event.object.metadata.name)
                if len(seen) == 40:
                    break
        await writing
    assert (snapshots, sorted(seen)) == (1, [f"c-{number:02}" for number in range(40)])


async def test_objects_are_decoded_to_what_the_engine_reads(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        await client.create(NODES, "", node(f"n-{space}", **{"example.com/rack": "r1"}))
        await made(client, space, "a", nodeSelector={"x": "y"})
        found = await client.get(NODES, NodeObject, "", f"n-{space}")
        listing = await client.list(PODS, Pod, Scope(space))
        with pytest.raises(NotFoundError) as missing:
            await client.get(PODS, Pod, space, "b")
        await client.delete(NODES, "", f"n-{space}")
    assert found.metadata.labels["example.com/rack"] == "r1"
    assert found.status.allocatable["nvidia.com/gpu"] == "8"
    assert found.metadata.resource_version
    assert [one.spec.node_selector for one in listing.objects] == [{"x": "y"}]
    assert str(missing.value) == f'GET /api/v1/namespaces/{space}/pods/b: 404 NotFound: pods "b" not found'


async def test_a_pod_is_bound_once_and_every_answer_tells_how_it_stands(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        one = await made(client, space, "one")
        assert (await bind(client, one, "n-1")).outcome == Outcome.DONE
        assert (await bind(client, one, "n-1")).outcome == Outcome.DONE, "a repeated bind to the same node is done"
        other = await bind(client, one, "n-2")
        assert (other.outcome, other.node) == (Outcome.ELSEWHERE, "n-1")
        assert "already assigned" in other.message
        stranger = one._replace(uid="00000000-0000-0000-0000-000000000000")
        assert (await bind(client, stranger, "n-1")).outcome == Outcome.GONE
        assert (await bind(client, one._replace(name="none"), "n-1")).outcome == Outcome.GONE
        assert (await client.get(PODS, Pod, space, "one")).spec.node_name == "n-1"


async def test_conditions_are_set_by_type(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        one = await made(client, space, "one")
        waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "TooFragmented: …"}
        own = {"type": "railwise.dev/Seen", "status": "True"}
        assert (await set_conditions(client, one, [waits])).outcome == Outcome.DONE
        assert (await set_conditions(client, one, [own])).outcome == Outcome.DONE
        found = await client.get(PODS, Conditioned, space, "one")
        assert {(each.type, each.status) for each in found.status.conditions} == {
            ("PodScheduled", "False"),
            ("railwise.dev/Seen", "True"),
        }
        gone = one._replace(uid="00000000-0000-0000-0000-000000000000")
        assert (await set_conditions(client, gone, [own])).outcome == Outcome.GONE
        assert (await set_conditions(client, one._replace(name="none"), [own])).outcome == Outcome.GONE
        assert (await set_conditions(client, one, [{"type": "x", "status": {}}])).outcome == Outcome.REFUSED


async def test_a_stale_write_is_a_conflict(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        made_one = msgspec.json.decode(await client.create(CONFIG_MAPS, space, {"metadata": {"name": "c"}}))
        await client.label(CONFIG_MAPS, space, "c", {"a": "b"})
        with pytest.raises(ConflictError) as stale:
            await client.replace(CONFIG_MAPS, space, "c", made_one)
        with pytest.raises(ConflictError):
            await client.label(CONFIG_MAPS, space, "c", {"a": None}, uid="00000000-0000-0000-0000-000000000000")
        with pytest.raises(ConflictError) as twice:
            await client.create(CONFIG_MAPS, space, {"metadata": {"name": "c"}})
    assert (stale.value.reason, twice.value.reason) == ("Conflict", "AlreadyExists")


async def test_applied_fields_belong_to_their_manager(admin: Access, space: str) -> None:
    async with connect(admin) as client:
        await client.apply(CONFIG_MAPS, space, "c", {"data": {"a": "1", "b": "1"}})
        await client.apply(CONFIG_MAPS, space, "c", {"data": {"z": "1"}}, manager="somebody")
        await client.apply(CONFIG_MAPS, space, "c", {"data": {"a": "2"}})
        with pytest.raises(ConflictError) as taken:
            await client.apply(CONFIG_MAPS, space, "c", {"data": {"z": "2"}})
        forced = msgspec.json.decode(await client.apply(CONFIG_MAPS, space, "c", {"data": {"z": "3"}}, force=True))
    assert "FieldManagerConflict" in taken.value.causes
    assert forced["data"] == {"z": "3"}, "what a manager no longer names goes, others' fields stay"


async def test_an_eviction_respects_budgets(admin: Access, space: str) -> None:
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}}
    async with connect(admin) as client:
        free = await made(client, space, "free")
        kept = await made(client, space, "kept")
        for one in (free, kept):
            await bind(client, one, "n-1")
            running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
            await client.patch(PODS, space, one.name, running, sub="status")
        made_budget = msgspec.json.decode(await client.create(DISRUPTION_BUDGETS, space, budget))
        status = {"observedGeneration": made_budget["metadata"]["generation"], "disruptionsAllowed": 0}
        status |= {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
        await client.patch(DISRUPTION_BUDGETS, space, "b", {"status": status}, sub="status")
        blocked = await evict(client, kept)
        assert (blocked.outcome, "disruption budget" in blocked.message) == (Outcome.BLOCKED, True)
        assert (await evict(client, free._replace(uid="00000000-0000-0000-0000-000000000000"))).outcome == Outcome.GONE
        assert (await evict(client, free, grace=0)).outcome == Outcome.DONE
        assert (await evict(client, free)).outcome == Outcome.GONE
        assert [one.metadata.name for one in (await client.list(PODS, Pod, Scope(space))).objects] == ["kept"]


async def test_a_refusal_says_who_may_not_do_what(admin: Access, control_plane: Cluster, space: str) -> None:
    assert control_plane.running()
    nobody = Access(**{**vars(admin), "headers": (("Impersonate-User", "nobody"),)})
    async with connect(nobody) as client:
        with pytest.raises(ForbiddenError) as refused:
            await client.list(PODS, Pod, Scope(space))
        with pytest.raises(StatusError):
            async with aclosing(client.follow(PODS, Pod, Scope(space))) as news:
                await anext(news)
    message = f'User "nobody" cannot list resource "pods" in API group "" in the namespace "{space}"'
    assert message in str(refused.value)
    assert "Role" in refused.value.hint
