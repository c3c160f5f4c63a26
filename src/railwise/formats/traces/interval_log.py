"""The table of 15,000 jobs that exists of several clusters in the same columns: users, outcomes, times between jobs.

The lists of the last 15,000 jobs of Philly and Helios were made by the same hand. A row says how long after the row
before it was submitted, how long it ran and waited, on how many nodes, for whom and with what end.
"""

from __future__ import annotations

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.table import Table
from railwise.model.quantity import MOST_DURATION

COLUMNS = ("u_id", "user", "gpu_num", "cpu_num", "node_num", "interval", "run_time", "new_status")


def read_interval_log(table: Table, intake: Intake) -> None:
    """Read the rows; a bad row moves the clock if its interval can be read, so that later jobs keep their time."""
    now = 0

    def job(row: Cells) -> TraceJob:
        nonlocal now
        now += row.seconds("interval")
        if now > MOST_DURATION:
            raise CellError("column interval: the intervals add up to more than 100 years")
        return TraceJob(
            name=intake.name(row.text("u_id"), row.line),
            submit=now,
            duration=row.seconds("run_time"),
            gpus=row.count("gpu_num") * 1000,
            queue=f"user-{row.text('user')}",
            user=row.text("user"),
            cpu=row.count("cpu_num") * 1000,
            status=row.optional("new_status"),
        )

    intake.note("node_num is where a job ran, not what it asked for: pods follow from the target cluster")
    intake.read(table, job)
