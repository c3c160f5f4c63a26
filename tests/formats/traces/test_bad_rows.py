"""Tables that are broken somewhere: every bad row is named and counted, and skipped only where that was asked for."""

from __future__ import annotations

import gzip

import pytest

from railwise.formats.traces import JobTrace, LoadOptions, intake, load
from railwise.model.errors import Fault, InputError

HEADER = "job_id,submission_time,duration,num_gpu\n"
GOOD = "a,10,600,8\n"
BAD = {
    "b,10,600,x\n": "column num_gpu: expected a number, found 'x'",
    "b,10,600,\n": "column num_gpu: no value",
    "b,-5,600,1\n": "column submission_time: expected a number from 0 up, found '-5'",
    "b,10,-600,1\n": "column duration: expected a number from 0 up, found '-600'",
    "b,10,nan,1\n": "column duration: no number but 'nan'",
    "b,10,600,1.5\n": "column num_gpu: expected a whole number, found '1.5'",
    "b,10,600\n": "3 fields where the header has 4",
    "b,10,600,1,1\n": "5 fields where the header has 4",
    ",10,600,1\n": "column job_id: no value",
    "a,20,600,1\n": "the id 'a' stands in line 2 already",
    "b,10,9e12,1\n": "column duration: '9e12' is more than 3153600000",
}


def itp(text: str | bytes, **options: object) -> JobTrace:
    data = text if isinstance(text, bytes) else text.encode()
    return load("itp", {"cluster01.csv": data}, LoadOptions(**options))  # type: ignore[arg-type]


def faults(text: str | bytes, **options: object) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        itp(text, **options)
    return caught.value.faults


@pytest.mark.parametrize(("row", "message"), BAD.items())
def test_a_bad_row_is_named_by_file_line_and_column(row: str, message: str) -> None:
    (fault,) = faults(HEADER + GOOD + row)
    assert (fault.path, fault.message) == ("cluster01.csv:3", message)
    assert "--skip-bad" in fault.hint


def test_all_bad_rows_are_named_at_once_and_may_be_skipped_and_counted() -> None:
    text = HEADER + GOOD + "".join(BAD) + "c,20,600,4\n"
    assert [fault.path for fault in faults(text)] == [f"cluster01.csv:{line}" for line in range(3, 3 + len(BAD))]
    trace = itp(text, skip_bad=True)
    assert [job.name for job in trace.jobs] == ["a", "c"]
    assert [fault.message for fault in trace.bad] == list(BAD.values())
    assert trace.skipped == len(BAD)
    first = "the first at cluster01.csv:3: column num_gpu: expected a number, found 'x'"
    assert f"itp: bad rows, left out: {len(BAD)}, {first}" in trace.notes


def test_of_very_many_bad_rows_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_TOLD", 3)
    text = HEADER + GOOD + "b,1,1,x\n" * 10
    found = faults(text)
    assert len(found) == 4
    assert found[3].message == "and 7 more bad rows"
    trace = itp(text, skip_bad=True)
    assert (len(trace.bad), trace.skipped) == (3, 10)


@pytest.mark.parametrize(
    ("data", "path", "word"),
    [
        (b"", "cluster01.csv:1", "missing: job_id"),
        (b"job_id,submit_time,duration,num_gpu\n", "cluster01.csv:1", "missing: submission_time"),
        (HEADER.encode(), "cluster01.csv", "no jobs"),
        (gzip.compress((HEADER + GOOD * 5).encode(), mtime=0)[:-6], "cluster01.csv", "ends early"),
        (b"\xff\xfeh\x00", "cluster01.csv:1", "not UTF-8"),
        ((HEADER + GOOD).encode() + b"b,1,1,\xe9\n", "cluster01.csv:3", "not UTF-8"),
        ((HEADER + "a\0,1,1,1\n").encode(), "cluster01.csv:2", "zero byte"),
        (b"PK\x03\x04", "cluster01.csv", "zip"),
    ],
)
@pytest.mark.parametrize("skip_bad", [False, True])
def test_a_file_that_is_no_such_table_is_an_error_even_if_rows_may_be_skipped(
    data: bytes, path: str, word: str, skip_bad: bool
) -> None:
    (fault,) = faults(data, skip_bad=skip_bad)
    assert fault.path == path
    assert word in fault.message


def test_only_bad_rows_leave_nothing_to_replay() -> None:
    (fault,) = faults(HEADER + "b,10,600,x\n", skip_bad=True)
    assert fault.message == "no jobs in it"
    assert "bad rows, left out: 1" in fault.hint


def test_a_stream_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_JOBS", 2)
    (fault,) = faults(HEADER + "a,1,1,1\nb,1,1,1\nc,1,1,1\n")
    assert fault.message == "more than 2 jobs"


@pytest.mark.parametrize(("kind", "word"), [("phily", "did you mean 'philly'?"), ("", "unknown trace ''")])
def test_an_unknown_kind_names_those_there_are(kind: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        load(kind, {})
    assert word in caught.value.faults[0].message
    assert "philly, helios, itp" in caught.value.faults[0].hint


def test_no_files_name_those_that_would_do() -> None:
    with pytest.raises(InputError) as caught:
        load("itp", {})
    assert "cluster[0-9]*.csv" in caught.value.faults[0].hint
