"""OpenConfig on an enterprise system and on Cumulus: the same paths, other ways."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pytest

from railwise.gnmi import gnmi_pb2 as gnmi
from railwise.gnmi.paths import parse_path, path_text
from railwise.lab.dialects.cumulus import Cumulus
from railwise.lab.dialects.openconfig import OpenConfig
from railwise.lab.neighbour import PortState
from tests.conftest import SHARED
from tests.lab.asking import SPINE, Listener, asked, leaf, subscription

STREAM, ONCE = gnmi.SubscriptionList.STREAM, gnmi.SubscriptionList.ONCE
LLDP = "/openconfig-lldp:lldp/interfaces"
STATUS = "/openconfig-interfaces:interfaces/interface[name=Ethernet0]/state/oper-status"
RECORDED = SHARED / "fixtures" / "sonic" / "openconfig-lldp-01-get-all-intf-response.json"


def shape(value: Any) -> Any:
    """Return names and types of a document, of a list its first member."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in sorted(value.items()) if name != "ttl"}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


async def test_neighbours_come_as_one_document_keyed_by_the_local_port() -> None:
    async with asked(leaf(), OpenConfig()) as stub:
        got = await stub.get(gnmi.GetRequest(path=[parse_path(LLDP)]))
    document = json.loads(got.notification[0].update[0].val.json_ietf_val)
    interfaces = document["openconfig-lldp:interfaces"]["interface"]
    assert [(one["name"], one["neighbors"]["neighbor"][0]["id"]) for one in interfaces] == [
        ("Ethernet0", "Ethernet0"),
        ("Ethernet12", "Ethernet12"),
    ]


async def test_the_document_has_the_shape_of_a_recorded_one() -> None:
    if not RECORDED.exists():
        pytest.skip("no recorded answer of a switch beside the checkout")
    recorded = json.loads(RECORDED.read_text().replace('\\"', '"').replace("\\\\", "\\"))
    switch = leaf()
    switch.set_port("Ethernet0", PortState(neighbours=(SPINE,)))
    async with asked(switch, OpenConfig()) as stub:
        got = await stub.get(gnmi.GetRequest(path=[parse_path(LLDP)]))
    assert shape(json.loads(got.notification[0].update[0].val.json_ietf_val)) == shape(recorded)


async def test_neighbours_do_not_stream_on_change_but_are_sampled() -> None:
    async with asked(leaf(), OpenConfig()) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await Listener(stub, subscription(LLDP, STREAM)).until_sync()
        assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        sampled = subscription(LLDP, STREAM, how=gnmi.SAMPLE, every=1_000_000_000)
        assert len(await Listener(stub, sampled).until_sync()) == 1


async def test_the_state_of_a_port_streams_on_change() -> None:
    switch = leaf()
    async with asked(switch, OpenConfig()) as stub:
        listener = Listener(stub, subscription(STATUS, STREAM))
        (first,) = await listener.until_sync()
        assert first.update[0].val.json_ietf_val == b'"UP"'
        switch.set_port("Ethernet4", PortState(up=False))
        switch.set_port("Ethernet0", PortState(up=False))
        assert (await listener.next()).update[0].val.json_ietf_val == b'"DOWN"'


@pytest.mark.parametrize("path", ["/", "/openconfig-lldp:lldp", "/openconfig-lldp:lldp/config", "/no/such/place"])
async def test_other_paths_are_not_served(path: str) -> None:
    async with asked(leaf(), OpenConfig()) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await stub.get(gnmi.GetRequest(path=[parse_path(path)]))
    assert refusal.value.code() is grpc.StatusCode.NOT_FOUND


async def test_cumulus_has_no_get() -> None:
    async with asked(leaf(), Cumulus()) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await stub.get(gnmi.GetRequest(path=[parse_path("/lldp/interfaces")]))
    assert refusal.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_cumulus_tells_leaf_by_leaf() -> None:
    async with asked(leaf(), Cumulus()) as stub:
        found = await Listener(stub, subscription("/lldp", ONCE)).until_sync()
    leaves = {path_text(one.path): one.val for notification in found for one in notification.update}
    base = "/lldp/interfaces/interface[name=Ethernet12]/neighbors/neighbor[id=1]/state/"
    assert leaves[base + "system-name"].string_val == "spine-1"
    assert leaves[base + "ttl"].uint_val == 120
    assert leaves["/lldp/state/system-name"].string_val == "leaf-1"


async def test_cumulus_deletes_the_paths_of_a_neighbour_that_is_gone() -> None:
    switch = leaf()
    async with asked(switch, Cumulus()) as stub:
        listener = Listener(stub, subscription("/lldp/interfaces/interface[name=*]/neighbors", STREAM))
        await listener.until_sync()
        switch.set_port("Ethernet0", PortState())
        gone = await listener.next()
    assert [path_text(path) for path in gone.delete] == ["/lldp/interfaces/interface[name=Ethernet0]/neighbors"]
    assert not gone.update
