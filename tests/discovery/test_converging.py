"""How long a change took is counted from its first word, holding down included; what changes nothing is not counted."""

from __future__ import annotations

from pathlib import Path

from prometheus_client import CollectorRegistry

from railwise.discovery.metrics import DiscoveryMetrics
from railwise.discovery.tables import Tables
from railwise.fabric.elements import Action, Event, Port
from tests.discovery.test_collector import clock, collector, laboratory, units, watching

EVERY_LINK = 48


async def test_the_time_from_the_first_word_of_a_change_is_told_once(tmp_path: Path) -> None:
    async with laboratory(units(), tmp_path) as lab:
        watched = collector(tmp_path)
        async with watching(watched) as until:
            first = await until(lambda one: len(one.links()) == EVERY_LINK)
            assert watched.take_wait() is not None
            assert watched.take_wait() is None
            ports = (Port("leaf-3", "Ethernet0"), Port("leaf-7", "Ethernet0"))
            begin = clock()
            lab.apply(Event(0, Action.REPLUG, on=True, ports=ports))
            await until(lambda one: one.edges.get(ports[0]) not in (None, first.edges[ports[0]]))
            waited = watched.take_wait()
            assert waited is not None
            assert 0.0 < waited <= (clock() - begin) / 1_000_000


def test_it_is_a_figure_of_its_own() -> None:
    registry = CollectorRegistry()
    metrics = DiscoveryMetrics(Tables({}), clock, registry)
    metrics.converged(2.4)
    assert registry.get_sample_value("railwise_converge_seconds_count") == 1
    assert registry.get_sample_value("railwise_converge_seconds_bucket", {"le": "3.0"}) == 1
    assert registry.get_sample_value("railwise_converge_seconds_bucket", {"le": "2.0"}) == 0
