"""Alibaba's GPU trace of 2026 (ASI): hourly Parquet tables of pods and servers, the first large trace with racks.

``asi_opensource_pod_hourly`` has a row for each pod and hour. A pod is there from the first hour in which it runs to
the last; ``asi_opensource_job_execution_summary``, if given, knows its duration better. Training pods of one workload
that begin in the same hour are a gang; any other pod is a job of its own. The whole table is 352 GB: give the days that
you want (``day=110/``); hours outside of them are not known, so a pod that was there before begins with the first of
them.

``asi_opensource_server_hourly`` is the map: cluster, access switch (ASW, the rack), cards and CPUs of every server, in
the first hour that is given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from railwise.formats.traces.cells import MOST_GPUS, CellError
from railwise.formats.traces.intake import MOST_JOBS, Intake
from railwise.formats.traces.job_trace import BATCH, INFERENCE, TRAINING, TraceJob
from railwise.formats.traces.loader import Loader
from railwise.formats.traces.parquet import read_parquet
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.quantity import HOUR, SECOND
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology

PODS = "*asi_opensource_pod_hourly/*.parquet"
SUMMARY = "*asi_opensource_job_execution_summary/*.parquet"
SERVERS = "*asi_opensource_server_hourly/*.parquet"
POD_COLUMNS = (
    "pod_id",
    "workload_id",
    "state_public",
    "gpu_spec_public",
    "priority_class",
    "job_type_public",
    "gpu_request",
    "cpu_request_cores",
    "schedule_delay_sec",
)
SUMMARY_COLUMNS = ("pod_id", "duration_hours")
SERVER_COLUMNS = ("server_id", "cluster_id", "asw_id", "gpu_spec_public", "gpu_count", "cpu_capacity_cores")
TOPOLOGY = Topology("fabric", (Level("cluster"), Level("leaf")))
HIGH, LOW = "HP", "LP"
PRIORITY = {HIGH: 100, LOW: 0}
KINDS = {"training": TRAINING, "online_inference": INFERENCE, "offline_inference": INFERENCE}
_PARTITION = re.compile(r"day=([0-9]{1,5})/hour=([0-9]{1,2})/", re.ASCII)


class _Pod(NamedTuple):
    """A pod over its hours: the first and last of them, what it asked for, and what it is."""

    first: int
    last: int
    workload: str
    gpus: int
    cpu: int
    model: str
    priority: str
    kind: str
    delay: int


def read_asi(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read the hours that are given, in their order, and the summary if it is among the files."""
    pods: dict[str, _Pod] = {}
    hours = sorted((_hour(name), name) for name in files if fnmatchcase(_posix(name), PODS))
    if not hours:
        raise InputError([Fault("", "asi: no table of pods", f"expected {PODS} with day=…/hour=… in its path")])
    for hour, source in hours:
        _read_hour(files[source], source, hour, pods, intake)
    lasted: dict[str, int] = {}
    for source in (name for name in files if fnmatchcase(_posix(name), SUMMARY)):
        for _, row in read_parquet(files[source], source, SUMMARY_COLUMNS):
            if row["pod_id"] in pods and row["duration_hours"]:
                lasted[row["pod_id"]] = lasted.get(row["pod_id"], 0) + int(row["duration_hours"] * HOUR)
    intake.begin(hours[0][1])
    open_end = hours[-1][0]
    for members in _gangs(pods).values():
        intake.next_row()
        intake.add(_job(members, pods, lasted, open_end, intake))


def _read_hour(data: bytes, source: str, hour: int, pods: dict[str, _Pod], intake: Intake) -> None:
    for number, row in read_parquet(data, source, POD_COLUMNS):
        if row["state_public"] != "Running" or not row["gpu_request"]:
            continue
        try:
            pod = _pod(row, hour)
        except CellError as error:
            intake.bad(source, number, str(error))
            continue
        known = pods.get(row["pod_id"])
        if known is None and len(pods) >= MOST_JOBS:
            raise InputError([Fault(source, f"more than {MOST_JOBS} pods", "give fewer hours")])
        pods[row["pod_id"]] = pod if known is None else known._replace(last=hour)


def _pod(row: Mapping[str, Any], hour: int) -> _Pod:
    gpus = round(row["gpu_request"] * 1000)
    cpu = round((row["cpu_request_cores"] or 0) * 1000)
    delay = row["schedule_delay_sec"] or 0
    if not row["pod_id"]:
        raise CellError("column pod_id: no value")
    if not 0 < gpus <= MOST_GPUS * 1000:
        raise CellError(f"column gpu_request: expected a number of cards, found {row['gpu_request']!r:.20}")
    if cpu < 0 or delay < 0:
        raise CellError("column cpu_request_cores or schedule_delay_sec: below 0")
    kind, model = row["job_type_public"] or "", row["gpu_spec_public"] or ""
    return _Pod(hour, hour, row["workload_id"] or "", gpus, cpu, model, row["priority_class"] or "", kind, delay)


def _gangs(pods: Mapping[str, _Pod]) -> dict[tuple[str, ...], list[str]]:
    """Return the pods that start together: by workload, first hour and request for training, else each alone."""
    gangs: dict[tuple[str, ...], list[str]] = {}
    for name, pod in pods.items():
        together = pod.kind == "training" and pod.workload
        key = (pod.workload, str(pod.first), str(pod.gpus), str(pod.cpu), pod.model) if together else (name,)
        gangs.setdefault(key, []).append(name)
    return gangs


def _job(
    members: list[str], pods: Mapping[str, _Pod], lasted: Mapping[str, int], open_end: int, intake: Intake
) -> TraceJob:
    first = pods[members[0]]
    duration = max(lasted.get(name, (pods[name].last - pods[name].first + 1) * HOUR) for name in members)
    if all(pods[name].last == open_end and name not in lasted for name in members):
        intake.count("jobs that still ran in the last hour, which end with it")
    return TraceJob(
        name=intake.name("", 0),
        submit=max(first.first * HOUR - first.delay * SECOND, 0),
        duration=duration,
        gpus=first.gpus * len(members),
        pods=len(members),
        queue=f"{first.priority or 'other'}-{first.kind or 'unknown'}",
        kind=KINDS.get(first.kind, BATCH),
        cpu=first.cpu * len(members),
        models=(first.model,) if first.model else (),
        priority=PRIORITY.get(first.priority, 0),
        evictable=first.priority == LOW,
    )


def read_asi_servers(files: Mapping[str, bytes]) -> Scenario:
    """Return the cluster of the first hour of the server table; leaves and servers are numbered in order of their ids.

    Raises InputError if no hour is given or the table cannot be read.
    """
    source = min(files, key=_hour)
    rows = [row for _, row in read_parquet(files[source], source, SERVER_COLUMNS)]
    faults = [
        Fault(source, f"row {number}: expected a server with a number of cards and CPUs")
        for number, row in enumerate(rows, start=1)
        if not row["server_id"] or not 0 <= (row["gpu_count"] or 0) <= 1024 or (row["cpu_capacity_cores"] or 0) < 0  # noqa: PLR2004
    ]
    if faults or not rows:
        raise InputError(faults or [Fault(source, "no servers in it")])
    rows.sort(key=lambda row: (row["cluster_id"] or "", row["asw_id"] or "", row["server_id"]))
    clusters: dict[str, str] = {}
    leaves: dict[tuple[str, str], str] = {}
    nodes = []
    for place, row in enumerate(rows, start=1):
        cluster, leaf = row["cluster_id"] or "", row["asw_id"] or ""
        where = {"cluster": clusters.setdefault(cluster, f"cluster-{len(clusters) + 1}")}
        if leaf:
            where["leaf"] = leaves.setdefault((cluster, leaf), f"asw-{len(leaves) + 1}")
        count = int(row["gpu_count"] or 0)
        run = (Cards(count, row["gpu_spec_public"] or ""),) if count else ()
        resources = {"cpu": int((row["cpu_capacity_cores"] or 0) * 1000)} if row["cpu_capacity_cores"] else {}
        nodes.append(Node(f"server-{place:0{len(str(len(rows)))}d}", {TOPOLOGY.name: where}, run, resources=resources))
    return Scenario(name="alibaba-gpu-v2026", topologies=(TOPOLOGY,), nodes=tuple(nodes))


def _posix(path: str) -> str:
    return path.replace("\\", "/")


def _hour(path: str) -> int:
    """Return the hour of the trace that a partition holds; InputError if its path does not tell."""
    found = _PARTITION.search(_posix(path))
    if found is None:
        raise InputError([Fault(path, "no day=…/hour=… in its path", "keep the folders as published")])
    return int(found[1]) * 24 + int(found[2])


LOADER = Loader(
    kind="asi",
    folder="alibaba-gpu-v2026",
    title="Alibaba GPU trace 2026 (ASI)",
    files=(PODS,),
    beside=(SUMMARY,),
    read=read_asi,
    columns=(
        "day=…/hour=… in the path: the hours in which a pod runs",
        "pod_id, workload_id: training pods of one workload that begin in the same hour are a gang",
        "gpu_request, cpu_request_cores: cards and cores of a pod",
        "gpu_spec_public: the model of card, where the cluster has it",
        "schedule_delay_sec: how long before its first hour a pod was submitted",
        "duration_hours (summary): duration, else the hours seen",
        "priority_class, job_type_public: queue; HP has priority 100, LP may be evicted",
    ),
    silent=(
        "times are given to the hour",
        "pods that wait, succeeded or failed, and pods without a GPU: not counted",
        "no request of memory: not counted",
    ),
)
