"""OpenB: nodes and pods of a production cluster with shared GPUs (Alibaba, 2023; published with FGD, USENIX ATC 2023).

A node list (``openb_node_list_…``) names 1,213 nodes with cards of seven models, or 1,523 with those that have none. A
pod list (``openb_pod_list_…``) is a workload: pods that ask for cpu, memory and for nothing, a share of one card, or
whole cards, perhaps of certain models. Most lists are made from the first one by changing one thing (more pods without
cards, more shares, …). Nothing says where a pod ran, and no pod needs more than a node.

Times are seconds from an undisclosed origin. Some lists (``multigpu…``) lack them: they describe pods, not a history.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.intake import Intake, fitting
from railwise.formats.traces.job_trace import TraceJob
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.quantity import SECOND

NODE_FILES = ("openb_node_list_gpu_node.csv", "openb_node_list_all_node.csv")
"""The node lists: those with cards, and all."""

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
TIMES = ("creation_time", "deletion_time", "scheduled_time")

CARD = 1000
"""A whole card in thousandths."""

MOST_CARDS = 1024
"""Cards of a node or a pod."""

MOST_AMOUNT = 1 << 40
"""Millicores or MiB of a node or a pod."""


def read_openb_nodes(data: bytes, source: str = NODE_FILES[0]) -> tuple[Node, ...]:
    """Return the nodes of a node list (plain or gzip), in its order.

    Raises InputError, with lines, for a table or a row that cannot be read, and for a name that stands twice.
    """
    table = Table(data, source)
    table.need(NODE_COLUMNS)
    nodes: dict[str, Node] = {}
    faults = []
    for row in table.rows():
        try:
            row.check()
            node = _node(row)
            if nodes.setdefault(node.name, node) is not node:
                faults.append(Fault(f"{source}:{row.line}", f"the node {node.name} was listed before"))
        except CellError as error:
            faults.append(Fault(f"{source}:{row.line}", str(error)))
    if faults or not nodes:
        raise InputError(faults or [Fault(source, "no rows below the header")])
    return tuple(nodes.values())


def _node(row: Cells) -> Node:
    name = fitting(row.text("sn"))
    if not name:
        raise CellError("column sn: no name of letters and digits")
    count = row.count("gpu", MOST_CARDS)
    return Node(
        name=name,
        cards=(Cards(count, "" if row.empty("model") else row.text("model")),) if count else (),
        resources={"cpu": row.count("cpu_milli", MOST_AMOUNT), "memory": row.count("memory_mib", MOST_AMOUNT)},
    )


def read_openb(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read pod lists."""
    for source, data in files.items():
        intake.begin(source, stem(source) if len(files) > 1 else "")
        table = Table(data, source)
        table.need(POD_COLUMNS)
        timed = table.has(*TIMES)
        if not timed:
            intake.note(f"{stem(source)} has no times: all pods come at once and run on")
        intake.read(table, partial(_pod, intake=intake, timed=timed))


def _pod(row: Cells, intake: Intake, *, timed: bool) -> TraceJob:
    count = row.count("num_gpu", MOST_CARDS)
    each = row.count("gpu_milli", CARD) if count else 0
    if count and not each:
        raise CellError("column gpu_milli: expected 1 to 1000 where num_gpu is not 0")
    models = {model for model in row.optional("gpu_spec").split("|") if model} if count else set[str]()
    return TraceJob(
        name=intake.name(row.text("name"), row.line),
        submit=row.seconds("creation_time") if timed else 0,
        duration=_duration(row, intake) if timed else None,
        gpus=count * each,
        pods=1,
        cpu=row.count("cpu_milli", MOST_AMOUNT),
        memory=row.count("memory_mib", MOST_AMOUNT),
        models=tuple(sorted(models)),
        status=row.optional("pod_phase"),
    )


def _duration(row: Cells, intake: Intake) -> int:
    """Return how long a pod ran; one that never did is given the assumed duration."""
    if row.empty("scheduled_time"):
        intake.count("pods that never ran, which take --assume duration")
        return intake.options.duration
    return max(row.seconds("deletion_time") - row.seconds("scheduled_time"), SECOND)


LOADER = Loader(
    kind="openb",
    folder="openb-gpu-v2023",
    title="Alibaba OpenB (cluster-trace-gpu-v2023)",
    files=("openb_pod_list_default.csv", "openb_pod_list_*.csv"),
    read=read_openb,
    columns=(
        "creation_time: submission",
        "scheduled_time, deletion_time: from start to end",
        "num_gpu, gpu_milli: cards, and thousandths of each",
        "cpu_milli, memory_mib: CPU and memory",
        "gpu_spec: models that will do",
    ),
    silent=("no gangs: each pod is a job of its own", "no priorities and no tenants: one queue"),
    one=True,
)
