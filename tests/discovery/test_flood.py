"""A switch that floods costs a bounded amount of memory and time, is one finding, and harms no other switch."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from random import Random

import pytest
from grpc.aio import ServicerContext, server

from railwise.discovery import flood
from railwise.discovery.backoff import Backoff
from railwise.discovery.collector import Collector
from railwise.discovery.flood import Budget, FloodError
from railwise.discovery.gnmi_source import GnmiSource
from railwise.discovery.gnmi_target import LARGEST_MESSAGE
from railwise.discovery.tables import Tables
from railwise.fabric.elements import Port
from railwise.fabric.settling import Patience
from railwise.formats.discovery.settings import Target, Trust
from railwise.formats.lldp.record import MOST_PORTS
from railwise.gnmi import gnmi_pb2 as gnmi
from railwise.gnmi.paths import parse_path
from railwise.gnmi.service import serve
from railwise.lab.dialects.sonic import SonicDatabase
from railwise.lab.gnmi_switch import GnmiSwitch
from railwise.lab.neighbour import PortState
from tests.discovery.test_collector import watching
from tests.discovery.test_gnmi_source import served
from tests.lab.asking import SPINE, leaf

Messages = Callable[[], Iterator[gnmi.SubscribeResponse]]
ROWS = 1000
SYNC = gnmi.SubscribeResponse(sync_response=True)


def rows(first: int, number: int, name: str) -> gnmi.SubscribeResponse:
    """Return a notification with a row for each of some ports."""
    updates = []
    for at in range(first, first + number):
        row = {f"Ethernet{at}": {"lldp_rem_sys_name": name, "lldp_rem_chassis_id": "02:00:00:00:00:09"}}
        value = gnmi.TypedValue(json_ietf_val=json.dumps(row).encode())
        updates.append(gnmi.Update(path=parse_path("/LLDP_ENTRY_TABLE"), val=value))
    return gnmi.SubscribeResponse(update=gnmi.Notification(update=updates))


def new_ports() -> Iterator[gnmi.SubscribeResponse]:
    """Never end the first table: a hundred thousand ports in a hundred messages, and no end."""
    return (rows(ROWS * at, ROWS, "x") for at in count())


def changes() -> Iterator[gnmi.SubscribeResponse]:
    """End the first table, and then change one port for ever."""
    yield SYNC
    yield from (rows(0, 1, f"host-{at}") for at in count())


def syncs() -> Iterator[gnmi.SubscribeResponse]:
    """Say nothing, and say it for ever."""
    return (SYNC for _ in count())


def one_huge() -> Iterator[gnmi.SubscribeResponse]:
    """Send a single message that nobody could mean."""
    value = gnmi.TypedValue(json_ietf_val=b" " * (LARGEST_MESSAGE + 1))
    yield gnmi.SubscribeResponse(update=gnmi.Notification(update=[gnmi.Update(val=value)]))


class Flooding(GnmiSwitch):
    """A switch that answers every subscription with the same messages; ``sent`` counts those that went out."""

    def __init__(self, messages: Messages) -> None:
        super().__init__(leaf(), SonicDatabase())
        self._messages = messages
        self.sent = 0
        self.sessions = 0

    async def subscribe(
        self,
        requests: AsyncIterator[gnmi.SubscribeRequest],
        context: ServicerContext[gnmi.SubscribeRequest, gnmi.SubscribeResponse],
    ) -> AsyncIterator[gnmi.SubscribeResponse]:
        del context
        await anext(requests)
        self.sessions += 1
        for message in self._messages():
            self.sent += 1
            yield message


@asynccontextmanager
async def at_a_port(switch: Flooding) -> AsyncIterator[int]:
    end = server(options=(("grpc.so_reuseport", 0),))
    serve(switch, end)
    port = end.add_insecure_port("127.0.0.1:0")
    await end.start()
    try:
        yield port
    finally:
        await end.stop(None)


def source(name: str, port: int) -> GnmiSource:
    return GnmiSource(Target(name, "127.0.0.1", port, trust=Trust(insecure=True)), Backoff(Random(0), 0.05, 0.1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("messages", "reason", "most_sent"),
    [
        (new_ports, "it floods", 2 * flood.BURST // ROWS),
        (changes, "it floods", 10_000),
        (syncs, "it floods", 50_000),
        (one_huge, "RESOURCE_EXHAUSTED", 1_000),
    ],
)
async def test_a_flood_is_cut_off_and_others_go_on(
    messages: Messages, reason: str, most_sent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if messages is not new_ports:
        monkeypatch.setattr(flood, "BURST", 2_000)  # single rows are slow to send
        monkeypatch.setattr(flood, "EACH_SECOND", 20)
    honest, switch = leaf(), Flooding(messages)
    wanted = Port("leaf-1", "Ethernet4")
    async with served(honest, SonicDatabase()) as port, at_a_port(switch) as other, asyncio.timeout(60):
        tables = Tables({})
        sources = [source("leaf-1", port), source("leaf-2", other)]
        collector = Collector(sources, tables, lambda: time.monotonic_ns() // 1000, patience=Patience(hold=0))
        async with watching(collector) as until:
            await until(lambda _: True)
            honest.set_port("Ethernet4", PortState(neighbours=(SPINE,)))
            await until(lambda found: wanted in found.edges)
            while "gnmi:leaf-2" not in collector.failures:  # noqa: ASYNC110 # a failure makes no map
                await asyncio.sleep(0.05)
            assert collector.failures.keys() == {"gnmi:leaf-2"}
            failed = collector.failures["gnmi:leaf-2"]
            assert reason in failed.reason
            if reason == "it floods":
                assert failed.retry >= flood.PAUSE
                assert switch.sessions == 1, "it is left alone"
            assert switch.sent <= most_sent
            assert all(len(report.observations) <= MOST_PORTS for report in tables.reports())


def test_the_whole_table_of_the_largest_switch_fits_and_ticking_time_marks_are_free() -> None:
    budget = Budget(0.0)
    leaves = [gnmi.Update(path=parse_path(f"/lldp/{at}"), val=gnmi.TypedValue(string_val="x")) for at in range(8)]
    one_port = gnmi.Notification(update=leaves)
    for _ in range(MOST_PORTS):
        budget.spend(one_port, 0.0)
    marks = rows(0, 512, "x").update
    for at in range(1, 1000):
        budget.spend(marks, 10.0 * at)


def test_bytes_cost_as_much_as_rows_and_time_fills_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flood, "BURST", 1024)
    budget = Budget(0.0)
    document = gnmi.TypedValue(json_ietf_val=b" " * (flood.BURST * flood.UNIT // 4))
    large = gnmi.Notification(update=[gnmi.Update(val=document)])
    for _ in range(3):
        budget.spend(large, 0.0)
    with pytest.raises(FloodError, match="it floods: more than 1,024 rows at once and 2,048 a second"):
        budget.spend(large, 0.0)
    patient = Budget(0.0)
    for at in range(20):
        patient.spend(large, at * flood.BURST / flood.EACH_SECOND)
