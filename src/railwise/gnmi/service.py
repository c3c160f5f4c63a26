"""The three read methods of the gNMI service, for a client's channel and for a server.

The generated companion of the messages would tie users to one release of grpcio; the few lines it consists of are
written here against grpcio's stable interface instead, with types.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final, Protocol

from grpc import RpcMethodHandler, method_handlers_generic_handler
from grpc import stream_stream_rpc_method_handler as stream_method
from grpc import unary_unary_rpc_method_handler as unary_method
from grpc.aio import Channel, Server, ServicerContext, StreamStreamMultiCallable, UnaryUnaryMultiCallable

from railwise.gnmi.gnmi_pb2 import (
    CapabilityRequest,
    CapabilityResponse,
    GetRequest,
    GetResponse,
    SubscribeRequest,
    SubscribeResponse,
)

SERVICE: Final = "gnmi.gNMI"


class Stub:
    """The methods of a switch at the other end of a channel."""

    def __init__(self, channel: Channel) -> None:
        """Bind the methods to a channel; nothing is sent yet."""
        self.capabilities: Final[UnaryUnaryMultiCallable[CapabilityRequest, CapabilityResponse]] = channel.unary_unary(
            f"/{SERVICE}/Capabilities", CapabilityRequest.SerializeToString, CapabilityResponse.FromString
        )
        self.get: Final[UnaryUnaryMultiCallable[GetRequest, GetResponse]] = channel.unary_unary(
            f"/{SERVICE}/Get", GetRequest.SerializeToString, GetResponse.FromString
        )
        self.subscribe: Final[StreamStreamMultiCallable[SubscribeRequest, SubscribeResponse]] = channel.stream_stream(
            f"/{SERVICE}/Subscribe", SubscribeRequest.SerializeToString, SubscribeResponse.FromString
        )


class Servicer(Protocol):
    """What answers the methods."""

    async def capabilities(
        self, request: CapabilityRequest, context: ServicerContext[CapabilityRequest, CapabilityResponse]
    ) -> CapabilityResponse:
        """Say which models and encodings are spoken."""
        ...

    async def get(self, request: GetRequest, context: ServicerContext[GetRequest, GetResponse]) -> GetResponse:
        """Return the values below the asked paths."""
        ...

    def subscribe(
        self,
        requests: AsyncIterator[SubscribeRequest],
        context: ServicerContext[SubscribeRequest, SubscribeResponse],
    ) -> AsyncIterator[SubscribeResponse]:
        """Yield values as the first request asks: once, when polled, or as they change."""
        ...


def serve(servicer: Servicer, server: Server) -> None:
    """Let a server answer the methods through ``servicer``."""
    # The messages of the three methods differ, so what they have in common says nothing.
    handlers: dict[str, RpcMethodHandler[Any, Any]] = {
        "Capabilities": unary_method(
            servicer.capabilities, CapabilityRequest.FromString, CapabilityResponse.SerializeToString
        ),
        "Get": unary_method(servicer.get, GetRequest.FromString, GetResponse.SerializeToString),
        "Subscribe": stream_method(
            servicer.subscribe, SubscribeRequest.FromString, SubscribeResponse.SerializeToString
        ),
    }
    server.add_generic_rpc_handlers((method_handlers_generic_handler(SERVICE, handlers),))
