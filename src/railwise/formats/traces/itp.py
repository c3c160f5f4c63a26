"""The jobs of ten Microsoft ITP clusters (2021; MIT, published with ElasticFlow): large gangs, no users."""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cells import Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.table import Table

COLUMNS = ("job_id", "submission_time", "duration", "num_gpu")


def read_itp(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read one or several clusters; each is a queue."""
    for source, data in files.items():
        cluster = stem(source)
        intake.begin(source, cluster)
        table = Table(data, source)
        table.need(COLUMNS)

        def job(row: Cells, cluster: str = cluster) -> TraceJob:
            return TraceJob(
                name=intake.name(row.text("job_id"), row.line),
                submit=row.seconds("submission_time"),
                duration=row.seconds("duration"),
                gpus=row.count("num_gpu") * 1000,
                queue=cluster,
            )

        intake.read(table, job)


LOADER = Loader(
    kind="itp",
    folder="microsoft-itp-2021",
    title="Microsoft ITP, ten clusters, 2021",
    files=("cluster[0-9]*.csv",),
    read=read_itp,
    columns=(
        "job_id: name",
        "submission_time: submission in s",
        "duration: duration in s (the publisher left out jobs below 600 s)",
        "num_gpu: cards",
    ),
    silent=(
        "no users: each cluster of the trace is a queue",
        "no request of CPU or memory: not counted",
        "jobs below 600 s are not in the trace",
    ),
)
