"""Philly's own ``cluster_job_log``: a JSON list of jobs with all their attempts.

A job that was restarted has several attempts; the work to replay is the time that all of them ran. What the log does
not know (an attempt without times, a job without attempts) is left out and counted, never guessed.
"""

from __future__ import annotations

from typing import Any

import msgspec

from railwise.formats.traces.cells import NOTHING, CellError, stamp
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.lines import lines
from railwise.model.errors import Fault, InputError


class _Server(msgspec.Struct):
    gpus: list[str]


class _Attempt(msgspec.Struct):
    start_time: str | None = None
    end_time: str | None = None
    detail: list[_Server] = []


class _Job(msgspec.Struct):
    jobid: str
    submitted_time: str
    vc: str = ""
    user: str | None = None
    status: str = ""
    attempts: list[_Attempt] = []


def read_philly_log(data: bytes, source: str, intake: Intake) -> None:
    """Read the log; InputError if it is no JSON list, bad jobs are told with their place in the list."""
    text = "\n".join(lines(data, source))
    try:
        records: list[Any] = msgspec.json.decode(text, type=list[msgspec.Raw])
    except msgspec.DecodeError as error:
        hint = "expected cluster_job_log of the publisher: a JSON list of jobs"
        raise InputError([Fault(source, str(error), hint)]) from None
    del text
    intake.absolute = True
    for place, raw in enumerate(records):
        try:
            job = _job(msgspec.json.decode(raw, type=_Job), place, intake)
            if job is not None:
                intake.add(job)
        except (CellError, msgspec.DecodeError) as error:
            intake.bad(f"{source}[{place}]", 0, str(error))


def _job(record: _Job, place: int, intake: Intake) -> TraceJob | None:
    name = intake.name(record.jobid, place + 1)
    ran = 0
    cards = 0
    for attempt in record.attempts:
        if attempt.start_time in NOTHING or attempt.end_time in NOTHING or not attempt.start_time:
            continue
        took = stamp(str(attempt.end_time), "end_time") - stamp(attempt.start_time, "start_time")
        if took < 0:
            raise CellError("attempts: an attempt ends before it starts")
        ran += took
        cards = max(cards, sum(len(server.gpus) for server in attempt.detail))
    if not ran:
        intake.count("jobs that never ran, left out")
        return None
    return TraceJob(
        name=name,
        submit=stamp(record.submitted_time, "submitted_time"),
        duration=ran,
        gpus=cards * 1000,
        queue=record.vc or f"user-{record.user}",
        user=record.user or "",
        status=record.status,
    )
