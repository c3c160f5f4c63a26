"""The numbers by which runs are compared: their names, units, what is better, and what exactly each one says.

One list serves the table, the page, the exported files and the reference, so that a name means the same everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from railwise.report.wording import gpu_time, span, thousandths

LESS = "less"
MORE = "more"
NEITHER = ""

COUNT = "count"
MICROS = "µs"
SHARE = "thousandths"
GPU_SECONDS = "GPU-seconds"
MEAN = "thousandths of one"
FACTOR = "thousandths of the best"


class Measure(NamedTuple):
    """One number of a run: its unit, whether less or more of it is better, and what it says.

    ``part`` names what it is given for apart from the whole run: a size class, a level, a queue, or a level with a gang
    size; ``brief`` measures stand in the narrow table.
    """

    name: str
    title: str
    unit: str
    better: str
    text: str
    part: str = ""
    brief: bool = False


CLASS = "size class"
LEVEL = "level"
QUEUE = "queue"
SLOT = "level and gang size"

MEASURES = (
    Measure("workloads", "workloads", COUNT, NEITHER, "Workloads of the scenario.", CLASS),
    Measure("started", "started", COUNT, MORE, "Workloads that started."),
    Measure("finished", "finished", COUNT, MORE, "Workloads that ended.", brief=True),
    Measure(
        "wait_mean",
        "wait, mean",
        MICROS,
        LESS,
        "From submit to the first start, of those that started.",
        CLASS,
        brief=True,
    ),
    Measure(
        "wait_median", "wait, median", MICROS, LESS, "Half of those that started waited no longer.", CLASS, brief=True
    ),
    Measure("wait_95", "wait, 95 %", MICROS, LESS, "95 % of those that started waited no longer.", CLASS, brief=True),
    Measure("wait_so_far", "still waiting, mean", MICROS, LESS, "How long those that never started have waited."),
    Measure(
        "completion",
        "completion, mean",
        MICROS,
        LESS,
        "From submit to the end, of those that ended.",
        CLASS,
        brief=True,
    ),
    Measure("completion_median", "completion, median", MICROS, LESS, "Half of those that ended took no longer.", CLASS),
    Measure("completion_95", "completion, 95 %", MICROS, LESS, "95 % of those that ended took no longer.", CLASS),
    Measure("makespan", "makespan", MICROS, LESS, "The last end, where all ended that have a duration.", brief=True),
    Measure(
        "held",
        "GPUs held",
        SHARE,
        NEITHER,
        "Allocation: the part of all GPU time in which somebody held them; work that is done twice holds them too.",
        brief=True,
    ),
    Measure(
        "used",
        "GPUs at work",
        SHARE,
        MORE,
        "Utilisation: the part of all GPU time that became work which counts, at the pace of an undisturbed run.",
        brief=True,
    ),
    Measure(
        "close",
        "inside one domain",
        SHARE,
        MORE,
        "Of the workloads on several nodes, those that started inside one domain of the level.",
        LEVEL,
        brief=True,
    ),
    Measure(
        "step",
        "step against best",
        FACTOR,
        LESS,
        "Predicted step time where they ran against the best place of an empty cluster, weighted by GPU time.",
        brief=True,
    ),
    Measure(
        "stretch",
        "stretch",
        FACTOR,
        LESS,
        "Time that work took from its first start to its end against its duration, weighted by GPUs.",
        brief=True,
    ),
    Measure("uplink_mean", "uplink load, mean", SHARE, LESS, "Mean load of a level's uplinks, over time.", LEVEL),
    Measure(
        "uplink_peak", "uplink load, peak", SHARE, LESS, "Highest load of any uplink of a level.", LEVEL, brief=True
    ),
    Measure(
        "slots_left",
        "slots left",
        MEAN,
        MORE,
        "Gangs of whole free nodes for which a domain of the level had room at once, mean over time.",
        SLOT,
    ),
    Measure(
        "fragmented",
        "fragmentation",
        SHARE,
        LESS,
        "Of the gangs that the free nodes could hold if they stood together, those for which no single domain of the "
        "level had room; mean over gang sizes of 2 nodes and more, and over time.",
        LEVEL,
        brief=True,
    ),
    Measure("stranded", "stranded GPUs", SHARE, LESS, "The part of the free GPUs that stood on partly used nodes."),
    Measure("waiting", "waiting", MEAN, LESS, "Workloads that waited, mean over time."),
    Measure("evictions", "evictions", COUNT, LESS, "Times that pods were evicted for somebody else.", brief=True),
    Measure("moves", "moves", COUNT, NEITHER, "Times that a workload was moved for somebody else."),
    Measure("stops", "stops", COUNT, LESS, "Times that a workload lost its minimum, failures included."),
    Measure(
        "lost", "lost work", GPU_SECONDS, LESS, "Work done that had to be done again, failures included.", brief=True
    ),
    Measure(
        "fairness",
        "fairness",
        SHARE,
        MORE,
        "Jain's index over queues of GPU time held against GPU time due, while they had work: 100 % is even.",
        brief=True,
    ),
    Measure("served", "served", SHARE, MORE, "GPU time held against GPU time due, while the queue had work.", QUEUE),
)

BY_NAME = {measure.name: measure for measure in MEASURES}


def value_text(measure: Measure, value: int) -> str:
    """Return a number as people read it."""
    if measure.unit == MICROS:
        return span(value)
    if measure.unit == SHARE:
        return f"{value / 10:.1f} %"
    if measure.unit == FACTOR:
        return f"{value / 1000:.2f} ×"
    if measure.unit == GPU_SECONDS:
        return gpu_time(value)
    return thousandths(value // 100 * 100) if measure.unit == MEAN else str(value)
