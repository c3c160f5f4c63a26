"""Workloads of the Pollux and Sia simulators: jobs by application and number of cards, without a duration.

There a job lasts as long as its training takes to converge on what the scheduler gives it. The Pollux paper sorts the
applications by the GPU-hours they need (small below 1, medium below 10, large below 100, else more); the middle of each
class on a logarithmic scale is taken, divided by the cards that are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.faults import guess
from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader, base_name
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import HOUR

GPU_TIME = {
    "cifar10": 3 * HOUR // 10,
    "ncf": 3 * HOUR // 10,
    "bert": 3 * HOUR,
    "deepspeech2": 3 * HOUR,
    "yolov3": 30 * HOUR,
    "imagenet": 300 * HOUR,
}
"""GPU time of a job of each application, in µs of one card."""

USUAL = ("workloads/1", "philly/1")
"""The workloads that are taken unless another one is named: the first of those the papers report on."""

COLUMNS = ("name", "application", "num_replicas")


def read_adaptive(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read one workload of a file with several, or a file that is one workload."""
    for source, data in files.items():
        intake.begin(source)
        table = Table(data, source)
        table.need(COLUMNS)
        arrival = "submit_time_s" if table.has("submit_time_s") else "time"
        table.need((arrival,))
        wanted = _part(data, source, intake) if table.has("set", "index") else ""

        def job(row: Cells, arrival: str = arrival, wanted: str = wanted) -> TraceJob | None:
            if wanted and _part_of(row) != wanted:
                return None
            return _job(row, arrival, intake)

        intake.read(table, job)


def _part_of(row: Cells) -> str:
    return f"{row.text('set')}/{row.text('index')}"


def _part(data: bytes, source: str, intake: Intake) -> str:
    """Return which of the workloads in a file is wanted: the one that was named, else the first."""
    seen: dict[str, None] = {}
    for row in Table(data, source).rows():
        seen.setdefault(f"{row.optional('set')}/{row.optional('index')}")
    parts = [part for part in seen if part != "/"]
    first = next((part for part in USUAL if part in seen), parts[0] if parts else "")
    wanted = intake.options.part or first
    if wanted not in parts:
        near = guess(wanted, parts)
        sets = ", ".join(dict.fromkeys(part.rpartition("/")[0] for part in parts))
        raise InputError(
            [Fault(source, f"no workload '{wanted}' in it{near}", f"SET/NUMBER, of the sets {sets}")], source
        )
    intake.note(f"workload {wanted} of {len(parts)} in {base_name(source)} (--assume part=SET/NUMBER)")
    return wanted


def _job(row: Cells, arrival: str, intake: Intake) -> TraceJob:
    application = row.text("application")
    cards = row.count("num_replicas")
    if not cards:
        raise CellError("column num_replicas: expected at least 1 card")
    if application not in GPU_TIME:
        intake.count("jobs of an application of unknown length, which take --assume duration")
    known = GPU_TIME.get(application)
    return TraceJob(
        name=intake.name(row.text("name"), row.line),
        submit=row.seconds(arrival),
        duration=intake.options.duration if known is None else known // cards,
        gpus=cards * 1000,
    )


_DESCRIBED = (
    "name: name",
    "submit_time_s, time: submission in s",
    "num_replicas: cards",
    "application: duration, by the class of the application",
    "set, index: which workload (--assume part)",
)
_SILENT = (
    "no durations: GPU-hours of the application's class (0.3, 3, 30, 300) over the cards asked for",
    "no users: one queue",
    "jobs do not grow or shrink here: each keeps the cards it asked for",
    "no request of CPU or memory: not counted",
)

POLLUX = Loader(
    kind="pollux",
    folder="pollux-osdi21",
    title="Pollux (OSDI'21), 160 jobs a workload",
    files=("workloads.csv", "workload-*.csv"),
    read=read_adaptive,
    columns=_DESCRIBED,
    silent=_SILENT,
    one=True,
)

SIA = Loader(
    kind="sia",
    folder="sia-sosp23",
    title="Sia (SOSP'23), samples of Philly, Helios and others",
    files=("workloads.csv", "workload-*.csv"),
    read=read_adaptive,
    columns=_DESCRIBED,
    silent=_SILENT,
    one=True,
)
