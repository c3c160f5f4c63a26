"""Hourly Parquet tables of pods and servers."""

from __future__ import annotations

import pytest

from railwise.formats.traces import LoadOptions, combine, load, parquet
from railwise.formats.traces.registry import convert
from railwise.model.errors import InputError, MissingExtraError
from tests.formats.traces import samples

HOUR = 3_600_000_000
MINUTE = 60_000_000


def test_pods_become_jobs_and_training_pods_that_begin_together_gangs() -> None:
    trace = load("asi", samples.asi())
    assert [
        (job.submit, job.duration, job.gpus, job.pods, job.queue, job.kind, job.evictable) for job in trace.jobs
    ] == [
        (0, 2 * HOUR, 16_000, 2, "HP-training", "training", False),
        (MINUTE, 3 * HOUR, 500, 1, "LP-online_inference", "inference", True),
        (HOUR, 3 * HOUR // 2, 8_000, 1, "HP-training", "training", False),
    ]
    assert trace.jobs[0].cpu == 32_000
    assert trace.jobs[0].models == ("GPU-A",)
    assert "asi: jobs that still ran in the last hour, which end with it: 1" in trace.notes


def test_bad_rows_are_named_by_their_number() -> None:
    files = samples.asi()
    name = samples.ASI_PODS.format(110, 0)
    files[name] = samples.parquet(
        [samples.pod("a", gpus=-1.0), samples.pod("b", schedule_delay_sec=-5), samples.pod("c")]
    )
    with pytest.raises(InputError) as caught:
        load("asi", files)
    assert [(fault.path, fault.message) for fault in caught.value.faults] == [
        (f"{name}:1", "column gpu_request: expected a number of cards, found -1.0"),
        (f"{name}:2", "column cpu_request_cores or schedule_delay_sec: below 0"),
    ]
    assert load("asi", files, LoadOptions(skip_bad=True)).skipped == 2


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"PAR1 and nothing", "no readable Parquet file"),
        (b"", "no readable Parquet file"),
        (samples.parquet([{"pod_id": "a"}]), "missing: workload_id"),
        (samples.asi()[samples.ASI_PODS.format(110, 0)][:-20], "no readable Parquet file"),
    ],
)
def test_what_is_no_such_table_is_named(data: bytes, word: str) -> None:
    with pytest.raises(InputError, match=word):
        load("asi", {samples.ASI_PODS.format(110, 0): data})


def test_a_path_tells_the_hour() -> None:
    with pytest.raises(InputError, match="no day=…/hour=… in its path"):
        load("asi", {"asi_opensource_pod_hourly/part-000.parquet": b""})
    with pytest.raises(InputError, match="no table of pods"):
        load("asi", {samples.ASI_SUMMARY: b""})


def test_servers_become_nodes_below_their_access_switches() -> None:
    cluster = convert("", {samples.ASI_SERVERS: samples.servers(), "README.md": b""})
    assert cluster.topologies[0].level_names() == ("cluster", "leaf")
    assert [(node.name, node.places["fabric"], node.card_count()) for node in cluster.nodes] == [
        ("server-1", {"cluster": "cluster-1", "leaf": "asw-1"}, 4),
        ("server-2", {"cluster": "cluster-1", "leaf": "asw-1"}, 8),
        ("server-3", {"cluster": "cluster-1", "leaf": "asw-2"}, 8),
        ("server-4", {"cluster": "cluster-2"}, 0),
    ]
    scenario = combine(load("asi", samples.asi()), cluster)
    assert [one.root.request.resources for one in scenario.workloads] == [(("cpu", 16_000),)] * 3
    assert [one.root.card_rule.models for one in scenario.workloads] == [("GPU-A",)] * 3


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(parquet, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"railwise\[parquet\]"):
        load("asi", samples.asi())


def test_a_file_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="more than 2 rows"):
        load("asi", samples.asi())
