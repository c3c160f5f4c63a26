"""Job lists that count training steps: Gavel's traces from Philly, and Shockwave's, which have a duration as well.

How long a number of steps takes depends on the accelerator. Gavel publishes measured steps a second for each type of
job on K80, P100 and V100; with that table beside the trace a duration follows. Types that were not measured on so many
cards take the rate of one card, which is how the authors drew the numbers of steps from Philly's durations.

Both exist as CSV with named columns and as the authors' own lines separated by tabs.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.lines import lines
from railwise.formats.traces.loader import Loader, base_name, stem
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import MOST_DURATION, SECOND, format_duration

TABLE = "simulation_throughputs.json"
_COMMON = ("job_type", "command", "working_directory", "num_steps_arg", "needs_data_dir", "total_steps", "scale_factor")
GAVEL_LINE = (*_COMMON, "priority_weight", "slo", "arrival_time")
SHOCKWAVE_LINE = (*_COMMON, "mode", "priority_weight", "slo", "duration", "arrival_time")

Rates = Mapping[str, Mapping[str, Decimal | int | float]]
"""Steps a second by kind of job and cards, alone and next to others."""


def _open(data: bytes, source: str, line: tuple[str, ...]) -> tuple[Table, str, str, str]:
    """Return the table of either form, and the names of its columns for cards, arrival and duration."""
    if base_name(source).endswith(".trace"):
        return Table(data, source, names=line, delimiter="\t"), "scale_factor", "arrival_time", "duration"
    table = Table(data, source)
    table.need(("job_type", "total_steps", "scale_factor_gpus", "arrival_time_s"))
    return table, "scale_factor_gpus", "arrival_time_s", "duration_s"


def read_gavel(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read the virtual clusters of one seed, each a queue, and the throughput table if it is among the files."""
    found = next((name for name in files if base_name(name) == TABLE), "")
    worker = intake.options.worker
    rates = _rates(files[found], found, worker) if found else {}
    if rates:
        intake.note(f"durations are steps over the measured steps a second of one {worker} (--assume worker=…)")
    else:
        default = format_duration(intake.options.duration)
        intake.note(f"no {TABLE} beside the trace: every job takes {default} (--assume duration=…)")
    for source, data in files.items():
        if source == found:
            continue
        cluster = stem(source).rpartition("-")[2]
        intake.begin(source, cluster)
        table, cards, arrival, _ = _open(data, source, GAVEL_LINE)

        def job(row: Cells, cluster: str = cluster, cards: str = cards, arrival: str = arrival) -> TraceJob:
            count = row.count(cards)
            return TraceJob(
                name=intake.name("", row.line),
                submit=row.seconds(arrival),
                duration=_duration(row, count, rates, intake),
                gpus=count * 1000,
                queue=cluster,
            )

        intake.read(table, job)


def _duration(row: Cells, cards: int, rates: Rates, intake: Intake) -> int:
    if not rates:
        return intake.options.duration
    steps = row.count("total_steps", 1 << 60)
    kind = row.text("job_type")
    alone = rates.get(f"('{kind}', {cards})", {}).get("null", 0)
    if not alone:
        alone = rates.get(f"('{kind}', 1)", {}).get("null", 0)
        if not alone:
            raise CellError(f"column job_type: no measured steps a second of '{kind}'")
        intake.count("jobs that were not measured on so many cards, so that the rate of one card is taken")
    duration = int(Decimal(steps) * SECOND / Decimal(str(alone)))
    if duration > MOST_DURATION:
        raise CellError("column total_steps: more than 100 years of steps")
    return duration


def _rates(data: bytes, source: str, worker: str) -> Rates:
    """Return the measured steps a second of one accelerator."""
    try:
        table = msgspec.json.decode("\n".join(lines(data, source)), type=dict[str, dict[str, dict[str, msgspec.Raw]]])
        if worker not in table:
            hint = f"--assume worker=… with one of {', '.join(table)}"
            raise InputError([Fault(source, f"no accelerator '{worker}' in it", hint)])
        return {
            kind: {"null": msgspec.json.decode(rates["null"], type=float)}
            for kind, rates in table[worker].items()
            if "null" in rates
        }
    except msgspec.DecodeError as error:
        raise InputError([Fault(source, str(error), "expected Gavel's table of throughputs")]) from None


def read_shockwave(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read one list; its jobs have a duration at the batch size they start with."""
    for source, data in files.items():
        intake.begin(source)
        table, cards, arrival, duration = _open(data, source, SHOCKWAVE_LINE)
        table.need((duration,))

        def job(row: Cells, cards: str = cards, arrival: str = arrival, duration: str = duration) -> TraceJob:
            return TraceJob(
                name=intake.name("", row.line),
                submit=row.seconds(arrival),
                duration=row.seconds(duration),
                gpus=row.count(cards) * 1000,
            )

        intake.read(table, job)


GAVEL = Loader(
    kind="gavel",
    folder="gavel",
    title="Gavel (OSDI'20), Philly as typed jobs",
    files=("msr-seed*-*.csv", "*.trace"),
    beside=(TABLE,),
    read=read_gavel,
    columns=(
        "arrival_time_s: submission in s",
        "scale_factor_gpus: cards",
        "job_type, total_steps: duration, with the table of throughputs",
        "the file's name: virtual cluster and queue",
    ),
    silent=("no request of CPU or memory: not counted", "times of all virtual clusters count from the same moment"),
)

SHOCKWAVE = Loader(
    kind="shockwave",
    folder="shockwave",
    title="Shockwave (NSDI'23), jobs whose batch size grows",
    files=("120jobs_32gpu.csv", "*jobs_*gpu.csv", "*.trace"),
    read=read_shockwave,
    columns=("arrival_time_s: submission in s", "duration_s: duration in s", "scale_factor_gpus: cards"),
    silent=(
        "no users: one queue",
        "growing batch sizes (adaptation_mode): not counted, the duration is that of the whole job",
        "no request of CPU or memory: not counted",
    ),
    one=True,
)
