"""Standard Workload Format (SWF 2.2): logs of parallel machines, one job a line of 18 numbers, -1 for "not told".

The archive's logs come from clusters of CPUs. A processor is taken for a card, which keeps the pattern of sizes and
arrivals and puts it on GPUs; ``--assume processor=cpu`` takes it for a core of a job without cards. Header comments
(lines that begin with ``;``) tell when the log starts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.lines import lines
from railwise.formats.traces.loader import Loader, stem
from railwise.model.errors import Fault, InputError

FIELDS = (
    "job", "submit", "wait", "run time", "allocated processors", "average CPU time", "used memory",
    "requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
    "partition", "preceding job", "think time",
)  # fmt: skip
STATUS = {"0": "failed", "1": "completed", "2": "partial", "3": "partial", "4": "partial", "5": "cancelled"}
_START = re.compile(r";\s*UnixStartTime:\s*([0-9]{1,12})\s*", re.ASCII)


def read_swf(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read logs; each is a cluster of its own on the one clock."""
    as_cards = intake.options.processor == "gpu"
    intake.note(f"one processor is one {'GPU' if as_cards else 'core'} (--assume processor=gpu or cpu)")
    for source, data in files.items():
        intake.begin(source, stem(source) if len(files) > 1 else "")
        start = 0
        count = 0
        for number, line in enumerate(lines(data, source), start=1):
            found = _START.fullmatch(line.rstrip())
            if found:
                start = int(found[1])
                intake.absolute = True
            if line.lstrip().startswith(";") or not line.strip():
                continue
            count += 1
            _take(line, number, start, source, intake, as_cards=as_cards)
        if not count:
            expected = "expected the Standard Workload Format: lines of 18 numbers"
            raise InputError([Fault(source, "no jobs in it", expected)])


def _take(line: str, number: int, start: int, source: str, intake: Intake, *, as_cards: bool) -> None:
    fields = line.split()
    if len(fields) != len(FIELDS):
        intake.bad(source, number, f"{len(fields)} fields where the format has {len(FIELDS)}")
        return
    try:
        intake.next_row()
        job = _job(Cells(_INDEX, fields, number), start, intake, as_cards=as_cards)
        if job is not None:
            intake.add(job)
    except CellError as error:
        intake.bad(source, number, str(error))


_INDEX = {name: place for place, name in enumerate(FIELDS)}


def _job(row: Cells, start: int, intake: Intake, *, as_cards: bool) -> TraceJob | None:
    name = intake.name(row.text("job"), row.line)
    if row.optional("run time") == "-1":
        intake.count("jobs that never ran, left out")
        return None
    field = "requested processors" if row.optional("requested processors") != "-1" else "allocated processors"
    if row.optional(field) in {"-1", "0"}:
        intake.count("jobs that do not say how many processors they had, left out")
        return None
    processors = row.count(field)
    told = {column: row.optional(column) for column in ("user", "group", "queue", "status")}
    queue = next((f"{column}-{told[column]}" for column in ("queue", "group", "user") if told[column] != "-1"), "")
    memory = 0 if row.optional("requested memory") == "-1" else row.scaled("requested memory", 1, 1 << 50)
    return TraceJob(
        name=name,
        submit=start * 1_000_000 + row.seconds("submit"),
        duration=row.seconds("run time"),
        gpus=processors * 1000 if as_cards else 0,
        queue=queue,
        user="" if told["user"] == "-1" else told["user"],
        cpu=0 if as_cards else processors * 1000,
        memory=-(-memory * processors // 1024),
        status=STATUS.get(told["status"], ""),
    )


LOADER = Loader(
    kind="swf",
    folder="swf",
    title="Standard Workload Format",
    files=("*.swf",),
    read=read_swf,
    columns=(
        "1 job: name",
        "2 submit: submission in s",
        "4 run time: duration in s; jobs that never ran are left out",
        "8 requested processors, else 5 allocated processors: cards, or cores",
        "10 requested memory: KB a processor",
        "15 queue, else 13 group, else 12 user: queue",
        "11 status: outcome",
    ),
    silent=(
        "partitions, dependencies and think times: not counted",
        "no priorities: first come, first served within a queue",
    ),
)
