"""The jobs of Alibaba's Lingjun cluster (2023; Apache-2.0, Crux, SIGCOMM'24): the only stream with its real Clos map.

``job.csv`` says when a job was submitted, ran and ended, ``worker.csv`` what each of its workers asked for, as JSON in
the column ``RES``. Workers of one kind and request are a part of the job. Times are given to the minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake, fitting
from railwise.formats.traces.job_trace import TraceJob, TracePart
from railwise.formats.traces.loader import Loader, base_name
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import parse_cpu, parse_memory, parse_thousandths

JOBS, WORKERS = "job.csv", "worker.csv"
JOB_COLUMNS = ("job_name", "gmt_job_submitted", "gmt_job_running", "gmt_job_finished")
WORKER_COLUMNS = ("job_name", "replica_type", "RES")
GPU = "nvidia.com/gpu"

Request = tuple[str, int, int, int]
"""(role, thousandths of a card, millicores, MiB) of one worker."""


def read_lingjun_jobs(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read both tables; InputError where one is missing."""
    by_name = {base_name(name): name for name in files}
    missing = [name for name in (JOBS, WORKERS) if name not in by_name]
    if missing:
        raise InputError(
            [Fault("", f"lingjun: the file {name} is missing", f"give {JOBS} and {WORKERS}") for name in missing]
        )
    source = by_name[WORKERS]
    intake.begin(source)
    workers = _workers(Table(files[source], source), intake)
    source = by_name[JOBS]
    intake.begin(source)
    intake.absolute = True
    table = Table(files[source], source)
    table.need(JOB_COLUMNS)
    intake.read(table, lambda row: _job(row, workers, intake))


def _workers(table: Table, intake: Intake) -> dict[str, Counter[Request]]:
    table.need(WORKER_COLUMNS)
    found: dict[str, Counter[Request]] = {}
    for row in table.rows():
        try:
            request = _request(row)
            found.setdefault(row.text("job_name"), Counter())[request] += 1
        except CellError as error:
            intake.bad(table.source, row.line, str(error))
    return found


def _request(row: Cells) -> Request:
    try:
        asked = msgspec.json.decode(row.optional("RES") or "{}", type=dict[str, str | int | float])
        gpus, cpu, memory = (str(asked.get(name, 0)) for name in (GPU, "cpu", "memory"))
        amounts = parse_thousandths(gpus), parse_cpu(cpu), parse_memory(memory)
    except (ValueError, msgspec.DecodeError) as error:
        raise CellError(f"column RES: {error}") from None
    return fitting(row.text("replica_type")).replace(".", "-") or "worker", *amounts


def _job(row: Cells, workers: dict[str, Counter[Request]], intake: Intake) -> TraceJob | None:
    published = row.text("job_name")
    name = intake.name(published, row.line)
    end = "gmt_job_stopped" if row.empty("gmt_job_finished") else "gmt_job_finished"
    if published not in workers:
        intake.count("jobs without a worker, left out")
        return None
    if row.empty("gmt_job_running") or row.empty(end):
        intake.count("jobs that did not start or end within the trace, left out")
        return None
    submit, start = row.stamp("gmt_job_submitted"), row.stamp("gmt_job_running")
    duration = row.stamp(end) - start
    if duration < 0:
        raise CellError(f"column {end}: before gmt_job_running")
    if start < submit:
        raise CellError("column gmt_job_running: before gmt_job_submitted")
    parts = tuple(_parts(workers[published]))
    return TraceJob(
        name=name,
        submit=submit,
        duration=duration,
        gpus=sum(part.gpus for part in parts),
        queue=row.optional("workspace_name") or row.optional("namespace"),
        cpu=sum(part.cpu for part in parts),
        memory=sum(part.memory for part in parts),
        status=row.optional("status"),
        parts=parts,
    )


def _parts(workers: Counter[Request]) -> list[TracePart]:
    """Return a part for each kind of worker; of several kinds in one role, all but the first are numbered."""
    seen: Counter[str] = Counter()
    parts = []
    for (role, gpus, cpu, memory), pods in sorted(workers.items()):
        seen[role] += 1
        name = role if seen[role] == 1 else f"{role}-{seen[role]}"
        parts.append(TracePart(name, gpus * pods, pods, cpu * pods, memory * pods))
    return parts


LOADER = Loader(
    kind="lingjun",
    folder="alibaba-lingjun-2023",
    title="Alibaba Lingjun, 2023",
    files=(JOBS, WORKERS),
    read=read_lingjun_jobs,
    columns=(
        "job_name: name",
        "gmt_job_submitted: submission",
        "gmt_job_running to gmt_job_finished or gmt_job_stopped: duration",
        "replica_type (worker table): roles and their pods",
        "RES (worker table): nvidia.com/gpu, cpu and memory of a pod",
        "workspace_name, namespace: queue, where there is one",
        "status: outcome",
    ),
    silent=("times are given to the minute", "host_ip is where a worker ran: the replay decides anew"),
)
