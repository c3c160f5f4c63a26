"""Job logs of large clusters in the columns of Slurm: one row a job, with submission, start and end.

Helios (SenseTime) and Acme (Shanghai AI Laboratory) use the same columns for the same things. A job that never started
has no duration; it asked for cards and got none, so there is nothing to replay.
"""

from __future__ import annotations

from railwise.formats.traces.cells import Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.table import Table

COLUMNS = ("job_id", "user", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "duration")
DESCRIBED = (
    "job_id: name",
    "submit_time: submission",
    "duration: duration in s; jobs that never started are left out",
    "gpu_num, cpu_num: cards and CPUs of all pods",
    "state: outcome",
)
"""What is read of them, for the reference."""


def read_cluster_log(table: Table, intake: Intake) -> None:
    """Read the rows; the queue is the virtual cluster, where there is one, else the user."""
    table.need(COLUMNS)
    intake.absolute = True
    intake.read(table, lambda row: _job(row, intake))


def _job(row: Cells, intake: Intake) -> TraceJob | None:
    name = intake.name(row.text("job_id"), row.line)
    if row.empty("duration"):
        intake.count("jobs that never started, left out")
        return None
    memory = 0
    if not row.empty("mem_per_pod_GB"):
        memory = row.scaled("mem_per_pod_GB", 1024, 1 << 40) * row.count("node_num")
    return TraceJob(
        name=name,
        submit=row.stamp("submit_time"),
        duration=row.seconds("duration"),
        gpus=row.count("gpu_num") * 1000,
        queue=row.optional("vc") or f"user-{row.text('user')}",
        user=row.text("user"),
        cpu=0 if row.empty("cpu_num") else row.scaled("cpu_num", 1000, 1 << 40),
        memory=memory,
        status=row.optional("state"),
    )
