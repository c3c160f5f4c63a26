"""Job lists in the columns of the Tiresias simulator, which Muri and Chronus took over: numbered jobs with a duration.

They differ in the unit of their times. Tiresias writes seconds, Muri milliseconds; Chronus does not say, and minutes
are taken, because its mean of 260 is then the 4.3 h that its source, Philly, has (in seconds it would be 4 minutes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from railwise.formats.traces.cells import Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader
from railwise.formats.traces.table import Table
from railwise.model.quantity import MILLISECOND, MINUTE, SECOND, format_duration

COLUMNS = ("job_id", "num_gpu", "submit_time", "duration")
_DESCRIBED = ("job_id: name", "submit_time: submission", "num_gpu: cards", "user: queue, where there is one")


def _reader(unit: int) -> Callable[[Mapping[str, bytes], Intake], None]:
    """Return the reader of files whose times are in ``unit`` µs unless that is assumed otherwise."""

    def read(files: Mapping[str, bytes], intake: Intake) -> None:
        for source, data in files.items():
            intake.begin(source)
            table = Table(data, source)
            table.need(COLUMNS)
            used = intake.options.unit or unit
            if used != unit:
                intake.note(f"a time of 1 in the table is taken as {format_duration(used)}")
            intake.read(table, lambda row, used=used: _job(row, used, intake))  # type: ignore[misc]

    return read


def _job(row: Cells, unit: int, intake: Intake) -> TraceJob:
    user = row.optional("user")
    return TraceJob(
        name=intake.name(row.text("job_id"), row.line),
        submit=row.seconds("submit_time", unit),
        duration=row.seconds("duration", unit),
        gpus=row.count("num_gpu") * 1000,
        queue=user,
        user=user,
    )


TIRESIAS = Loader(
    kind="tiresias",
    folder="tiresias",
    title="Tiresias (NSDI'19), 60 jobs",
    files=("60_job.csv", "*_job.csv"),
    read=_reader(SECOND),
    columns=(*_DESCRIBED, "duration: duration in s"),
    silent=("no users: one queue", "no request of CPU or memory: not counted"),
    one=True,
)

MURI = Loader(
    kind="muri",
    folder="muri",
    title="Muri (SIGCOMM'22), four samples of Philly",
    files=("trace1.csv", "trace[0-9].csv", "cluster_trace.csv"),
    read=_reader(MILLISECOND),
    columns=(*_DESCRIBED, "duration: duration in ms"),
    silent=(
        "times are milliseconds, judging by their size",
        "no users: one queue",
        "stage times and priorities: not counted",
    ),
    one=True,
)

CHRONUS = Loader(
    kind="chronus",
    folder="chronus",
    title="Chronus (SoCC'21), Philly with deadlines",
    files=("trace_job_Philly_SLO.csv", "trace_job_*.csv"),
    read=_reader(MINUTE),
    columns=(*_DESCRIBED, "duration: duration in minutes"),
    silent=(
        "the unit of time is not told: minutes, unless --assume unit=1s",
        "deadlines and their values: not counted",
        "no request of CPU or memory: not counted",
    ),
    one=True,
)
