"""Every published data set that lies beside the repository, read as a whole: counts that its authors give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces import JobTrace, combine, load
from railwise.formats.traces.clusters import flat_cluster
from railwise.formats.traces.streams import loader_of

GPU_HOUR = 3_600_000_000 * 1000

PUBLISHED = {
    "philly": (82_247, 978_078),
    "helios": (10_796, 358_607),
    "itp": (69_351, 1_632_719),
    "gpu-v2025": (7_386, None),
    "mooncake": (12, None),
    "azure": (24, None),
    "gavel": (15_264, 1_117_242),
    "shockwave": (120, 197),
    "tiresias": (60, 7),
    "muri": (1_494, 383_326),
    "chronus": (30_735, 368_510),
    "pollux": (160, None),
    "sia": (160, None),
}
"""Jobs, and their GPU-hours where the trace has durations."""

pytestmark = pytest.mark.slow


def read(kind: str, shared: Callable[[str], Path]) -> JobTrace:
    loader = loader_of(kind)
    folder = shared(f"traces/{loader.folder}")
    return load(kind, {str(file): file.read_bytes() for file in folder.iterdir() if loader.knows(str(file))})


@pytest.mark.parametrize("kind", PUBLISHED)
def test_a_published_stream_has_its_jobs_and_goes_onto_a_cluster(kind: str, shared: Callable[[str], Path]) -> None:
    trace = read(kind, shared)
    jobs, hours = PUBLISHED[kind]
    assert len(trace.jobs) == jobs
    assert trace.skipped == 0
    assert trace.jobs[0].submit == 0
    assert [job.submit for job in trace.jobs] == sorted(job.submit for job in trace.jobs)
    if hours is not None:
        assert trace.work() // GPU_HOUR == hours
    scenario = combine(trace, flat_cluster(500, 8))
    assert len({workload.name for workload in scenario.workloads}) == jobs
    assert {workload.queue for workload in scenario.workloads} <= {queue.name for queue in scenario.queues} | {
        "default"
    }
