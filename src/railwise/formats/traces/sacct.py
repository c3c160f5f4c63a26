"""Your own Slurm cluster's history, as ``sacct --parsable2`` prints it: columns by name, separated by ``|``.

Cards come from the requested trackable resources (``gres/gpu=8`` in ReqTRES, else AllocTRES), and so do nodes, CPUs and
memory. What a job got decides how long it ran (Elapsed); jobs that still run or wait take their time limit. Steps
(``123.batch``) are not jobs. Slurm's priorities are the result of its own rules and change all the time: not counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from railwise.formats.faults import shown
from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import SECOND, parse_memory

NEEDED = ("JobID", "Submit", "Elapsed", "State")
COMMAND = (
    "sacct --allusers --parsable2 --starttime 2026-01-01 "
    "--format JobID,User,Account,Partition,QOS,Submit,Start,Elapsed,Timelimit,State,ReqTRES,AllocTRES"
)
"""What prints all that is read."""

GPU = "gres/gpu"
_SPAN = re.compile(r"(?:([0-9]{1,5})-)?(?:([0-9]{1,4}):)?([0-9]{1,4}):([0-9]{2})(?:\.[0-9]+)?", re.ASCII)
_UNFINISHED = {"RUNNING", "PENDING", "SUSPENDED", "REQUEUED", "RESIZING"}
_ENDLESS = {"", "UNLIMITED", "Partition_Limit", "INVALID"}


def read_sacct(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read one or several outputs; ids count per file, because clusters number their jobs alike."""
    for source, data in files.items():
        intake.begin(source, stem(source) if len(files) > 1 else "job")
        table = Table(data, source, delimiter="|")
        missing = [column for column in NEEDED if not table.has(column)]
        if missing or not (table.has("ReqTRES") or table.has("AllocTRES")):
            wanted = ", ".join((*missing, *(() if missing else ("ReqTRES or AllocTRES",))))
            raise InputError([Fault(f"{source}:1", f"no column {wanted}", f"print it with `{COMMAND}`")])
        intake.absolute = True
        intake.read(table, lambda row: _job(row, intake))


def _job(row: Cells, intake: Intake) -> TraceJob | None:
    published = row.text("JobID")
    if "." in published:
        return None
    name = intake.name(published, row.line)
    state = row.text("State").split()[0].rstrip("+")
    duration = _span(row, "Elapsed")
    if state in _UNFINISHED:
        intake.count("jobs that had not ended, which take their time limit or --assume duration")
        limit = row.optional("Timelimit")
        duration = intake.options.duration if limit in _ENDLESS else max(_span(row, "Timelimit"), duration)
    elif not duration:
        intake.count("jobs that never ran, left out")
        return None
    asked = _resources(row, "ReqTRES") or _resources(row, "AllocTRES")
    gpus = asked.get(GPU, "") or _resources(row, "AllocTRES").get(GPU, "0")
    nodes = _whole(asked.get("node", "0"), "node")
    queue = next((row.optional(column) for column in ("Account", "Partition", "User") if row.optional(column)), "")
    return TraceJob(
        name=name,
        submit=row.stamp("Submit"),
        duration=duration,
        gpus=_whole(gpus, GPU) * 1000,
        pods=nodes,
        queue=queue,
        user=row.optional("User"),
        cpu=_whole(asked.get("cpu", "0"), "cpu") * 1000,
        memory=_memory(asked.get("mem", "0")),
        models=_models(asked),
        status=state,
    )


def _span(row: Cells, column: str) -> int:
    """Return ``[DD-[HH:]]MM:SS`` in µs."""
    text = row.optional(column)
    match = _SPAN.fullmatch(text)
    if match is None:
        raise CellError(f"column {column}: expected a time such as 1-02:03:04, found {shown(text)}")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * SECOND


def _resources(row: Cells, column: str) -> dict[str, str]:
    """Return ``cpu=8,gres/gpu:a100=2`` as a table; cards of named types are added up under ``gres/gpu``."""
    found: dict[str, str] = {}
    typed = 0
    for item in filter(None, row.optional(column).split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise CellError(f"column {column}: expected NAME=AMOUNT, found {shown(item)}")
        found[key] = value
        if key.startswith(f"{GPU}:"):
            typed += _whole(value, column)
    if typed and GPU not in found:
        found[GPU] = str(typed)
    return found


def _models(asked: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted(key.removeprefix(f"{GPU}:") for key in asked if key.startswith(f"{GPU}:")))


def _whole(text: str, what: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:  # noqa: PLR2004 -- nobody has a thousand million
        raise CellError(f"{what}: expected a whole number, found {shown(text)}")
    return int(text)


def _memory(text: str) -> int:
    """Return ``64G``, ``512000M`` (units of 1024) in MiB."""
    try:
        return parse_memory(f"{text}i" if text[-1:] in {"K", "M", "G", "T", "P"} else text)
    except ValueError as error:
        raise CellError(f"mem: {error}, found {shown(text)}") from None


LOADER = Loader(
    kind="sacct",
    folder="sacct",
    title="Slurm accounting (sacct --parsable2)",
    files=("*sacct*.txt", "*sacct*.csv", "*sacct*.psv", "*sacct*.out"),
    read=read_sacct,
    columns=(
        "JobID: name; steps are skipped",
        "Submit: submission, in the clock of the cluster",
        "Elapsed: duration; Timelimit for jobs that had not ended",
        "ReqTRES, else AllocTRES: cards (gres/gpu), nodes as pods, CPUs and memory",
        "Account, else Partition, else User: queue",
        "State: outcome",
    ),
    silent=(
        "Slurm's priorities and QOS are results of its own rules: not counted",
        "dependencies and reservations: not counted",
    ),
)
