"""The jobs of Alibaba's PAI (2020; NSDI'22, CC BY 4.0): roles with parts of a GPU, from the job and the task table.

A job is launched as tasks (roles such as ``ps`` and ``worker``) of several instances each. The task table says what an
instance asks for, the job table who submitted when; without it a job starts with its first task. Tables are published
without a header line. A job runs from the start of its first task to its end, so that its wait does not count as work.

The table of instances (7.5 million rows) adds on which machine each ran, which a replay decides anew; it is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake, fitting
from railwise.formats.traces.job_trace import TraceJob, TracePart
from railwise.formats.traces.loader import Loader, base_name
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError

JOBS, TASKS = "pai_job_table.csv", "pai_task_table.csv"
JOB_COLUMNS = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
TASK_COLUMNS = (
    "job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu",
    "gpu_type",
)  # fmt: skip
MOST_MEMORY = 1 << 40
MOST_CPU = 1 << 40


class _Tasks(NamedTuple):
    """What is known of a job from its tasks: its parts, the first start and the last end in µs (-1: not told)."""

    parts: list[TracePart]
    start: int
    end: int


def read_pai(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read the task table, and the job table where there is one."""
    by_name = {base_name(name): name for name in files}
    tasks = by_name.get(TASKS) or next((name for name in files if base_name(name) != JOBS), "")
    if not tasks:
        raise InputError([Fault("", f"pai: the file {TASKS} is missing", "only it says what a job asks for")])
    intake.begin(tasks)
    known = _tasks(Table(files[tasks], tasks, names=TASK_COLUMNS), intake)
    if JOBS in by_name:
        source = by_name[JOBS]
        intake.begin(source)
        intake.read(Table(files[source], source, names=JOB_COLUMNS), lambda row: _job(row, known, intake))
        for _ in known:
            intake.count("jobs of the task table that the job table does not have, left out")
    else:
        intake.note(f"no {JOBS}: a job is submitted when its first task starts, and all are in one queue")
        for name, job in known.items():
            if job.end >= job.start >= 0:
                intake.add(_made(intake.name(name, 0), job, job.start, ""))
            else:
                intake.count("jobs that did not start or end within the trace, left out")


def _tasks(table: Table, intake: Intake) -> dict[str, _Tasks]:
    known: dict[str, _Tasks] = {}
    for row in table.rows():
        try:
            row.check()
            name = row.text("job_name")
            part = _part(row)
            start = -1 if row.empty("start_time") else row.seconds("start_time")
            end = -1 if row.empty("end_time") else row.seconds("end_time")
        except CellError as error:
            intake.bad(table.source, row.line, str(error))
            continue
        job = known.setdefault(name, _Tasks([], -1, -1))
        first = start if job.start < 0 else min(job.start, start) if start >= 0 else job.start
        known[name] = _Tasks([*job.parts, part], first, max(job.end, end))
    return known


def _part(row: Cells) -> TracePart:
    pods = 1 if row.empty("inst_num") else row.count("inst_num")
    return TracePart(
        name=fitting(row.optional("task_name")).replace(".", "-") or "task",
        gpus=pods * (0 if row.empty("plan_gpu") else row.cards("plan_gpu", 10)),
        pods=pods,
        cpu=pods * (0 if row.empty("plan_cpu") else row.scaled("plan_cpu", 10, MOST_CPU)),
        memory=pods * (0 if row.empty("plan_mem") else row.scaled("plan_mem", 1024, MOST_MEMORY)),
    )


def _job(row: Cells, known: dict[str, _Tasks], intake: Intake) -> TraceJob | None:
    published = row.text("job_name")
    name = intake.name(published, row.line)
    job = known.pop(published, None)
    if job is None:
        intake.count("jobs without a task, left out")
        return None
    if job.start < 0 or job.end < job.start or row.empty("start_time"):
        intake.count("jobs that did not start or end within the trace, left out")
        return None
    return _made(name, job, min(row.seconds("start_time"), job.start), row.optional("user"), row.optional("status"))


def _made(name: str, job: _Tasks, submit: int, user: str, status: str = "") -> TraceJob:
    parts = tuple(
        part if sum(other.name == part.name for other in job.parts) == 1 else _renamed(part, place)
        for place, part in enumerate(job.parts)
        if part.pods
    )
    return TraceJob(
        name=name,
        submit=submit,
        duration=job.end - job.start,
        gpus=sum(part.gpus for part in parts),
        queue=f"user-{user}" if user else "",
        user=user,
        cpu=sum(part.cpu for part in parts),
        memory=sum(part.memory for part in parts),
        status=status,
        parts=parts,
    )


def _renamed(part: TracePart, place: int) -> TracePart:
    return TracePart(f"{part.name}-{place}", part.gpus, part.pods, part.cpu, part.memory)


LOADER = Loader(
    kind="pai",
    folder="alibaba-gpu-v2020",
    title="Alibaba PAI, 2020",
    files=(JOBS, TASKS),
    read=read_pai,
    columns=(
        "job_name: name",
        "start_time (job table): submission",
        "start_time, end_time (task table): duration, from the first start to the last end",
        "task_name, inst_num: roles and their pods",
        "plan_gpu: hundredths of a card a pod, plan_cpu: hundredths of a core, plan_mem: GiB",
        "user: user and queue",
        "status: outcome",
    ),
    silent=(
        "gpu_type is what a task got, not what it asked for: any card will do",
        "no priorities: first come, first served within a queue",
    ),
)
