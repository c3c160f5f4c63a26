"""The messages are those of the protocol, and both ends of a connection understand each other."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from grpc.aio import ServicerContext, insecure_channel, server

from railwise.gnmi import gnmi_pb2 as ours
from railwise.gnmi.paths import parse_path, path_text
from railwise.gnmi.service import Stub, serve
from tests.conftest import ROOT

INDEPENDENT = """
import json
from pygnmi.spec.v080 import gnmi_pb2 as theirs
fields = {
    message.name: {field.name: [field.number, field.type] for field in message.fields}
    for message in theirs.DESCRIPTOR.message_types_by_name.values()
}
enums = {enum.name: {value.name: value.number for value in enum.values}
         for enum in theirs.DESCRIPTOR.enum_types_by_name.values()}
print(json.dumps([theirs.DESCRIPTOR.package, fields, enums]))
"""


def test_names_and_numbers_are_those_of_an_independent_client() -> None:
    if importlib.util.find_spec("pygnmi") is None:
        pytest.skip("pygnmi is not installed")
    command = [sys.executable, "-W", "ignore", "-c", INDEPENDENT]
    package, fields, enums = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert ours.DESCRIPTOR.package == package
    newer = {"Error", "Notification.atomic"}
    for name, message in ours.DESCRIPTOR.message_types_by_name.items():
        for field in message.fields:
            if f"{name}.{field.name}" not in newer:
                assert fields[name].get(field.name) == [field.number, field.type], f"{name}.{field.name}"
    for name, enum in ours.DESCRIPTOR.enum_types_by_name.items():
        assert {value.name: value.number for value in enum.values} == enums[name]


def test_the_messages_are_compiled_from_the_proto_beside_them(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools.protoc", reason="grpcio-tools is not installed")
    arguments = [f"-I{ROOT / 'src'}", f"--python_out={tmp_path}", f"--pyi_out={tmp_path}"]
    source = str(ROOT / "src/railwise/gnmi/gnmi.proto")
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments, source], check=True)
    for name in ("gnmi_pb2.py", "gnmi_pb2.pyi"):
        made = (tmp_path / "railwise" / "gnmi" / name).read_text()
        assert made == (ROOT / "src/railwise/gnmi" / name).read_text(), "make protos"


class Echo:
    """A switch that answers every question with the question."""

    async def capabilities(
        self, _: ours.CapabilityRequest, __: ServicerContext[ours.CapabilityRequest, ours.CapabilityResponse]
    ) -> ours.CapabilityResponse:
        return ours.CapabilityResponse(gNMI_version="0.10.0", supported_encodings=[ours.JSON_IETF])

    async def get(
        self, request: ours.GetRequest, _: ServicerContext[ours.GetRequest, ours.GetResponse]
    ) -> ours.GetResponse:
        return ours.GetResponse(
            notification=[ours.Notification(update=[ours.Update(path=one) for one in request.path])]
        )

    async def subscribe(
        self,
        requests: AsyncIterator[ours.SubscribeRequest],
        _: ServicerContext[ours.SubscribeRequest, ours.SubscribeResponse],
    ) -> AsyncIterator[ours.SubscribeResponse]:
        async for request in requests:
            for number, one in enumerate(request.subscribe.subscription):
                update = ours.Update(path=one.path, val=ours.TypedValue(uint_val=number))
                yield ours.SubscribeResponse(update=ours.Notification(timestamp=7, update=[update]))
            yield ours.SubscribeResponse(sync_response=True)


async def test_client_and_server_speak_to_each_other() -> None:
    switch = server()
    serve(Echo(), switch)
    port = switch.add_insecure_port("127.0.0.1:0")
    await switch.start()
    try:
        async with insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = Stub(channel)
            assert (await stub.capabilities(ours.CapabilityRequest())).gNMI_version == "0.10.0"
            path = parse_path("/lldp/interfaces/interface[name=Ethernet0]")
            got = await stub.get(ours.GetRequest(path=[path]))
            assert path_text(got.notification[0].update[0].path) == "/lldp/interfaces/interface[name=Ethernet0]"
            asked = ours.SubscriptionList(subscription=[ours.Subscription(path=path, mode=ours.ON_CHANGE)])
            call = stub.subscribe(iter([ours.SubscribeRequest(subscribe=asked)]))
            answers = [answer async for answer in call]
            assert [answer.WhichOneof("response") for answer in answers] == ["update", "sync_response"]
            assert answers[0].update.timestamp == 7
    finally:
        await switch.stop(None)
