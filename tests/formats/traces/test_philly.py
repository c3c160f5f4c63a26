"""The three forms of the Philly job list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces import LoadOptions, load
from railwise.model.errors import InputError

HEADER = "timestamp,duration,num_gpus,gpu_time,cluster\n"
ROWS = (
    "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    "2017-10-09 06:13:03,2951.0,16,47216.0,6214e9\n"
    "\n"
    "2017-10-09 07:01:55,5.0,8,40.0,6c71a0\n"
)
SECOND = 1_000_000


def philly(text: str, **options: object) -> object:
    return load("philly", {"philly.csv": text.encode()}, LoadOptions(**options))  # type: ignore[arg-type]


def test_the_list_becomes_jobs_in_order_of_submission() -> None:
    trace = load("philly", {"philly.csv": (HEADER + ROWS).encode()})
    assert [(job.name, job.submit, job.duration, job.gpus, job.queue) for job in trace.jobs] == [
        ("philly-2", 0, 2951 * SECOND, 16_000, "6214e9"),
        ("philly-1", 2932 * SECOND, 66 * SECOND, 1_000, "11cb48"),
        ("philly-3", 2932 * SECOND, 5 * SECOND, 8_000, "6c71a0"),
    ]
    assert trace.began == "2017-10-09 06:13:03"
    assert trace.work() == (66 + 16 * 2951 + 40) * SECOND * 1000
    assert trace.notes[0] == "philly: no request of CPU or memory: not counted"
    assert trace.bad == ()


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_marks_and_line_ends_of_other_systems_do_not_matter(change: Callable[[str], str]) -> None:
    assert philly(change(HEADER + ROWS)) == philly(HEADER + ROWS)


def test_users_and_times_between_jobs() -> None:
    text = (
        "u_id,user,gpu_num,cpu_num,node_num,interval,run_time,wall_time,new_status\n"
        "0,1,1,0,1,0,100,0,Killed\n1,2,8,4,4,60,50,14405,Failed\n2,1,0,3,1,30,9,0,Pass\n"
    )
    trace = load("philly", {"philly_last15000_with_status.csv": text.encode()})
    assert [(job.name, job.submit, job.gpus, job.queue, job.status) for job in trace.jobs] == [
        ("philly-0", 0, 1_000, "user-1", "Killed"),
        ("philly-1", 60 * SECOND, 8_000, "user-2", "Failed"),
    ]
    assert "philly: jobs without a GPU, left out unless --assume cpu-jobs=yes: 1" in trace.notes
    kept = load("philly", {"philly_last15000_with_status.csv": text.encode()}, LoadOptions(cpu_jobs=True))
    assert [(job.gpus, job.cpu, job.submit) for job in kept.jobs][2:] == [(0, 3_000, 90 * SECOND)]


def attempt(start: str | None, end: str | None, *cards: int) -> dict[str, object]:
    detail = [{"ip": f"m{place}", "gpus": [f"gpu{n}" for n in range(count)]} for place, count in enumerate(cards)]
    return {"start_time": start, "end_time": end, "detail": detail}


def test_the_publishers_own_log_counts_all_attempts() -> None:
    day = "2017-10-07 "
    log: list[dict[str, object]] = [
        {
            "status": "Pass",
            "vc": "ee9e8c",
            "jobid": "application_1506638472019_14199",
            "attempts": [
                attempt(day + "01:12:09", day + "01:13:09", 8, 8),
                attempt(None, None),
                attempt(day + "01:14:00", day + "01:15:00", 8, 8),
            ],
            "submitted_time": day + "01:11:39",
            "user": "ce2f4c",
        },
        {"status": "Killed", "vc": "ee9e8c", "jobid": "b", "attempts": [], "submitted_time": day + "01:11:40"},
    ]
    trace = load("philly", {"cluster_job_log": json.dumps(log).encode()})
    (job,) = trace.jobs
    assert (job.name, job.duration, job.gpus, job.user, job.status) == (
        "application-1506638472019-14199",
        120 * SECOND,
        16_000,
        "ce2f4c",
        "Pass",
    )
    assert "philly: jobs that never ran, left out: 1" in trace.notes
    log[0]["attempts"] = [attempt(day + "01:12:09", day + "01:10:09", 8)]
    with pytest.raises(InputError, match=r"cluster_job_log\[0\]: attempts: an attempt ends before it starts"):
        load("philly", {"cluster_job_log": json.dumps(log).encode()})
    with pytest.raises(InputError, match="cluster_job_log"):
        load("philly", {"cluster_job_log": b"{}"})


@pytest.mark.slow
def test_the_published_list_has_the_jobs_and_the_work_its_users_count(shared: Callable[[str], Path]) -> None:
    name = "traces/philly/philly.csv.gz"
    trace = load("philly", {name: shared(name).read_bytes()})
    assert len(trace.jobs) == 82_247
    assert trace.work() // (3600 * SECOND * 1000) == 978_078
    assert trace.began.startswith("2017-09-04")
    assert max(job.gpus for job in trace.jobs) == 128_000
    assert len({job.queue for job in trace.jobs}) == 15


def test_the_published_list_of_outcomes_can_be_read(shared: Callable[[str], Path]) -> None:
    name = "traces/philly/philly_last15000_with_status.csv.gz"
    trace = load("philly", {name: shared(name).read_bytes()})
    assert len(trace.jobs) == 15_000
    assert {job.status for job in trace.jobs} == {"Pass", "Failed", "Killed"}
