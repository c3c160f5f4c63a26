"""Alibaba's GPU trace of 2025: instances of disaggregated recommendation services (Prism, NSDI'25), one row each.

An instance is one pod that lives for hours or days. Those of the GPU role (HN) have one card each; those of the CPU
role (CN) have none and count only where jobs without a GPU are replayed. Times are empty outside of the window: an
instance without creation was there before it, one without deletion outlives it.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import INFERENCE, TraceJob
from railwise.formats.traces.loader import Loader
from railwise.formats.traces.table import Table

COLUMNS = (
    "instance_sn", "role", "app_name", "cpu_request", "gpu_request", "memory_request", "creation_time", "deletion_time"
)  # fmt: skip


def read_instances(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read the rows; each service is a queue."""
    for source, data in files.items():
        intake.begin(source)
        table = Table(data, source)
        table.need(COLUMNS)
        intake.read(table, lambda row: _job(row, intake))


def _job(row: Cells, intake: Intake) -> TraceJob:
    start = 0 if row.empty("creation_time") else row.seconds("creation_time")
    end = None if row.empty("deletion_time") else row.seconds("deletion_time")
    if end is not None and end < start:
        raise CellError("column deletion_time: before creation_time")
    return TraceJob(
        name=intake.name(row.text("instance_sn"), row.line),
        submit=start,
        duration=None if end is None else end - start,
        gpus=row.cards("gpu_request"),
        pods=1,
        queue=row.text("app_name"),
        user=row.text("app_name"),
        kind=INFERENCE,
        cpu=row.scaled("cpu_request", 1000, 1 << 40),
        memory=row.scaled("memory_request", 1024, 1 << 40),
        status=row.optional("role"),
    )


LOADER = Loader(
    kind="gpu-v2025",
    folder="alibaba-gpu-v2025",
    title="Alibaba GPU trace 2025, serving instances",
    files=("disaggregated_DLRM_trace.csv",),
    read=read_instances,
    columns=(
        "instance_sn: name",
        "creation_time: submission in s (none: at 0)",
        "deletion_time: end in s (none: runs on)",
        "gpu_request: cards, cpu_request: vCPU, memory_request: GiB",
        "app_name: queue",
    ),
    silent=(
        "shares of a NIC, local disks and the most instances a node may hold: not counted",
        "no priorities: first come, first served within a queue",
    ),
)
