"""SONiC's native reader, with its documented ways."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import grpc
import pytest

from railwise.gnmi import gnmi_pb2 as gnmi
from railwise.gnmi.paths import parse_path
from railwise.lab.dialects.sonic import SonicDatabase
from railwise.lab.gnmi_switch import Access
from railwise.lab.neighbour import PortState
from tests.lab.asking import HOST, SPINE, Listener, asked, leaf, subscription

ONCE, POLL, STREAM = gnmi.SubscriptionList.ONCE, gnmi.SubscriptionList.POLL, gnmi.SubscriptionList.STREAM


def table(mode: gnmi.SubscriptionList.Mode, path: str = "/LLDP_ENTRY_TABLE") -> gnmi.SubscribeRequest:
    return subscription(path, mode, target="APPL_DB")


def value(notification: gnmi.Notification) -> Any:
    (update,) = notification.update
    return json.loads(update.val.json_ietf_val)


async def test_the_whole_table_comes_first_and_then_the_sync() -> None:
    async with asked(leaf(), SonicDatabase()) as stub:
        (first,) = await Listener(stub, table(STREAM)).until_sync()
    rows = value(first)
    assert list(rows) == ["Ethernet0", "Ethernet12"]
    assert rows["Ethernet0"]["lldp_rem_port_id_subtype"] == "3"
    assert rows["Ethernet0"]["lldp_rem_sys_name"] == "node-1"
    assert rows["Ethernet12"]["lldp_rem_sys_cap_enabled"] == "28 00"


async def test_a_changed_row_leaves_a_hole_and_comes_back() -> None:
    switch = leaf()
    async with asked(switch, SonicDatabase()) as stub:
        listener = Listener(stub, table(STREAM))
        await listener.until_sync()
        switch.set_port("Ethernet0", PortState(neighbours=(SPINE,)))
        assert value(await listener.next()) == {"Ethernet0": {}}
        assert value(await listener.next())["Ethernet0"]["lldp_rem_sys_name"] == "spine-1"


async def test_a_deleted_row_is_an_update_with_nothing_in_it() -> None:
    switch = leaf()
    async with asked(switch, SonicDatabase()) as stub:
        listener = Listener(stub, table(STREAM))
        await listener.until_sync()
        switch.set_port("Ethernet0", PortState(up=False, neighbours=(HOST,)))
        said = await listener.next()
        assert (value(said), list(said.delete)) == ({"Ethernet0": {}}, [])


async def test_who_watches_one_row_never_hears_that_it_is_gone() -> None:
    switch = leaf()
    async with asked(switch, SonicDatabase()) as stub:
        listener = Listener(stub, table(STREAM, "/LLDP_ENTRY_TABLE/Ethernet0"))
        await listener.until_sync()
        switch.set_port("Ethernet0", PortState())
        await asyncio.sleep(0.05)
        switch.set_port("Ethernet0", PortState(neighbours=(SPINE,)))
        assert value(await listener.next())["lldp_rem_sys_name"] == "spine-1"


async def test_a_poll_does_tell_of_deleted_rows() -> None:
    switch = leaf()
    async with asked(switch, SonicDatabase()) as stub:
        listener = Listener(stub, table(POLL))
        poll = gnmi.SubscribeRequest(poll=gnmi.Poll())
        listener.ask(poll)
        assert len(await listener.until_sync()) == 1
        switch.set_port("Ethernet0", PortState())
        listener.ask(poll)
        _, gone = await listener.until_sync()
        assert [path.elem[-1].name for path in gone.delete] == ["Ethernet0"]


async def test_time_marks_are_rewritten_though_nothing_changed() -> None:
    dialect = SonicDatabase()
    dialect.rewrites = 0.05
    async with asked(leaf(), dialect) as stub:
        listener = Listener(stub, table(STREAM))
        await listener.until_sync()
        again = [value(await listener.next()) for _ in range(2)]
    assert [list(row) for row in again] == [["Ethernet0"], ["Ethernet12"]]


async def test_the_state_of_ports_is_a_table_too() -> None:
    switch = leaf(1)
    async with asked(switch, SonicDatabase()) as stub:
        got = await stub.get(gnmi.GetRequest(prefix=gnmi.Path(target="APPL_DB"), path=[parse_path("/PORT_TABLE")]))
        assert value(got.notification[0])["Ethernet0"]["oper_status"] == "up"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (subscription("/LLDP_ENTRY_TABLE", STREAM, target="NO_DB"), grpc.StatusCode.INVALID_ARGUMENT),
        (subscription("/NO_TABLE", STREAM, target="APPL_DB"), grpc.StatusCode.NOT_FOUND),
        (
            subscription("/LLDP_ENTRY_TABLE", STREAM, target="APPL_DB", how=gnmi.TARGET_DEFINED),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            subscription("/LLDP_ENTRY_TABLE", STREAM, target="APPL_DB", how=gnmi.SAMPLE, every=1_000_000),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (gnmi.SubscribeRequest(poll=gnmi.Poll()), grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
async def test_what_is_not_served_is_refused(request_: gnmi.SubscribeRequest, status: grpc.StatusCode) -> None:
    async with asked(leaf(), SonicDatabase()) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await Listener(stub, request_).until_sync()
    assert refusal.value.code() is status


async def test_a_second_subscription_on_a_connection_is_refused() -> None:
    async with asked(leaf(), SonicDatabase()) as stub:
        first = Listener(stub, table(STREAM))
        await first.until_sync()
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await Listener(stub, table(STREAM)).until_sync()
        assert refusal.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        first.call.cancel()
        await asyncio.sleep(0.05)
        assert await Listener(stub, table(ONCE)).until_sync()


async def test_a_wrong_password_is_refused() -> None:
    async with asked(leaf(), SonicDatabase(), Access("admin", "secret")) as stub:
        asking = gnmi.CapabilityRequest()
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await stub.capabilities(asking, metadata=(("username", "admin"), ("password", "guess")))
        assert refusal.value.code() is grpc.StatusCode.UNAUTHENTICATED
        answer = await stub.capabilities(asking, metadata=(("username", "admin"), ("password", "secret")))
        assert answer.supported_models[0].name == "sonic-db"


async def test_a_switch_that_is_off_answers_nobody() -> None:
    switch = leaf()
    async with asked(switch, SonicDatabase()) as stub:
        listener = Listener(stub, table(STREAM))
        await listener.until_sync()
        switch.set_reachable(reachable=False)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await listener.until_sync()
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.capabilities(gnmi.CapabilityRequest())
