"""The jobs of Microsoft's Philly clusters (2017; published with the ATC'19 study, CC BY 4.0), in its three forms.

``philly.csv`` is the list that later papers use: submission, duration, cards and virtual cluster of 82,247 jobs.
``philly_last15000_with_status.csv`` has users and outcomes of 15,000 jobs, with the time since the previous job instead
of a date. ``cluster_job_log`` is the publisher's own log, with every attempt of every job. A job here is rigid: it asks
for cards, and nobody wrote down its CPU or memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cells import Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.interval_log import COLUMNS as INTERVAL_COLUMNS
from railwise.formats.traces.interval_log import read_interval_log
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.philly_log import read_philly_log
from railwise.formats.traces.table import Table

COLUMNS = ("timestamp", "duration", "num_gpus", "cluster")


def read_philly(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read any of the three forms, recognised by what the file begins with."""
    for source, data in files.items():
        intake.begin(source, f"philly-{stem(source)}" if len(files) > 1 else "")
        if source.endswith(".json") or stem(source) == "cluster_job_log":
            read_philly_log(data, source, intake)
            continue
        table = Table(data, source)
        if table.has(*INTERVAL_COLUMNS):
            read_interval_log(table, intake)
        else:
            table.need(COLUMNS)
            intake.absolute = True
            intake.read(table, lambda row: _job(row, intake))


def _job(row: Cells, intake: Intake) -> TraceJob:
    return TraceJob(
        name=intake.name("", row.line),
        submit=row.stamp("timestamp"),
        duration=row.seconds("duration"),
        gpus=row.count("num_gpus") * 1000,
        queue=row.text("cluster"),
    )


LOADER = Loader(
    kind="philly",
    folder="philly",
    title="Microsoft Philly, 2017",
    files=("philly.csv", "cluster_job_log*", "philly_*.csv"),
    read=read_philly,
    columns=(
        "timestamp, submitted_time: submission",
        "interval: time since the submission before",
        "duration, run_time: duration in s",
        "attempts: the run time of all attempts together",
        "num_gpus, gpu_num, attempts.detail: cards",
        "cluster, vc: queue",
        "user: user, and queue where there is no virtual cluster",
    ),
    silent=("no request of CPU or memory: not counted", "no priorities: first come, first served within a queue"),
    one=True,
)
