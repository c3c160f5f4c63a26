"""Alibaba's trace of spot GPUs (2026; GFS, ASPLOS'26): jobs of high priority, and spot jobs that make room for them.

The nodes are published with it: 4,278 of six kinds of cards. A job asks for a number of workers with so many cards and
CPUs each, of one model of card. High-priority jobs are queued by organisation and stay; spot jobs share one queue that
is promised nothing, so that whoever is promised something may take it back.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader
from railwise.formats.traces.table import Table, read_table
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario

COLUMNS = (
    "job_name", "organization", "gpu_model", "cpu_request", "gpu_request", "worker_num", "submit_time", "duration",
    "job_type",
)  # fmt: skip
NODES = "node_info_df.csv"
NODE_COLUMNS = ("node_name", "gpu_model", "gpu_capacity_num", "cpu_num")
HIGH, SPOT = "HP", "Spot"
PRIORITY = 100
"""The priority of a job of high priority; a spot job has 0."""


def read_spot(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read ``job_info_df.csv``."""
    for source, data in files.items():
        intake.begin(source)
        table = Table(data, source)
        table.need(COLUMNS)
        intake.read(table, lambda row: _job(row, intake))


def _job(row: Cells, intake: Intake) -> TraceJob:
    kind = row.text("job_type")
    if kind not in {HIGH, SPOT}:
        raise CellError(f"column job_type: expected {HIGH} or {SPOT}, found '{kind[:20]}'")
    pods = row.count("worker_num")
    if not pods:
        raise CellError("column worker_num: expected at least 1")
    return TraceJob(
        name=intake.name(row.text("job_name"), row.line),
        submit=row.seconds("submit_time"),
        duration=row.seconds("duration"),
        gpus=pods * row.cards("gpu_request"),
        pods=pods,
        queue="spot" if kind == SPOT else f"org-{row.text('organization')}",
        user=row.text("organization"),
        cpu=pods * row.scaled("cpu_request", 1000, 1 << 40),
        models=(row.text("gpu_model"),),
        priority=PRIORITY if kind == HIGH else 0,
        evictable=kind == SPOT,
    )


def read_spot_nodes(data: bytes, source: str = NODES) -> Scenario:
    """Return the cluster of ``node_info_df.csv``: no topology, nodes named after their model in order of the file.

    Raises InputError if the table cannot be read or a node occurs twice.
    """
    faults = []
    nodes = []
    seen: dict[str, int] = {}
    for row in read_table(data, source, NODE_COLUMNS):
        name, cards, cpus = (row.values[column] for column in ("node_name", "gpu_capacity_num", "cpu_num"))
        if not (cards.isdecimal() and cpus.isdecimal() and int(cards[:9]) <= 1024):  # noqa: PLR2004 -- as in documents
            faults.append(Fault(f"{source}:{row.line}", f"expected whole numbers of cards and CPUs, not {cards!r:.30}"))
            continue
        if name in seen:
            faults.append(Fault(f"{source}:{row.line}", f"the node stands in line {seen[name]} already"))
        seen.setdefault(name, row.line)
        run = (Cards(int(cards), row.values["gpu_model"]),) if int(cards) else ()
        nodes.append(Node(f"node-{name.lower()}", cards=run, resources={"cpu": int(cpus[:9]) * 1000}))
    if faults:
        raise InputError(faults)
    return Scenario(name="alibaba-spot-gpu-v2026", nodes=tuple(nodes))


LOADER = Loader(
    kind="spot",
    folder="alibaba-spot-gpu-v2026",
    title="Alibaba spot GPU trace, 2026",
    files=("job_info_df.csv",),
    read=read_spot,
    columns=(
        "job_name: name",
        "submit_time: submission in s",
        "duration: duration in s",
        "worker_num: pods; gpu_request, cpu_request: cards and vCPUs of each",
        "gpu_model: the model of card, where the cluster has it",
        "organization: user, and queue of a high-priority job",
        "job_type: HP has priority 100; Spot has its own queue and may be evicted",
    ),
    silent=("no request of memory: not counted", "no checkpoints: an evicted spot job starts again"),
)
