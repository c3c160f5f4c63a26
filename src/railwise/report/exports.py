"""The data behind a comparison as tables for notebooks: columns with a name, a type and a meaning that stay the same.

Long tables rather than wide ones: a level, a gang size or a queue is a value and not a column, so that a notebook that
reads one scenario reads the next one too. Times are seconds from the start of the document's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from railwise.formats.hostlist import fold
from railwise.report.measures import BY_NAME
from railwise.report.run_data import NONE, Comparison, JobRun, RunData
from railwise.report.spreads import first_topology, sizes, spread_names
from railwise.report.wording import SECOND, pods_wanted

Value = str | int | float | bool | None
TEXT, INTEGER, NUMBER, FLAG = "text", "integer", "number", "flag"

_GPU_SECOND = 1000 * SECOND
_NANOSECONDS = 1_000_000_000


class Field(NamedTuple):
    """One column: its name, ``text``, ``integer``, ``number`` or ``flag``, and what it says."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True)
class Export:
    """One table: its name, its columns, and what makes its rows."""

    name: str
    text: str
    fields: tuple[Field, ...]
    rows: Callable[[Comparison], Iterator[tuple[Value, ...]]]


_RUN = (Field("policy", TEXT, "Who placed."), Field("seed", INTEGER, "The seed of the run."))


def _workloads(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    spreads = spread_names(first_topology(comparison.scenario))
    known = {seed: sizes(drawn) for seed, drawn in comparison.drawn.items()}
    own = sizes(comparison.scenario)
    for run in comparison.runs:
        scenario, classes = comparison.scenario_of(run), known.get(run.seed, own)
        for index, (workload, one) in enumerate(zip(scenario.workloads, run.jobs, strict=True)):
            yield (
                *_of(run),
                workload.name,
                workload.queue,
                workload.kind,
                workload.priority,
                classes.names[classes.of[index]],
                classes.gpus[index] / 1000,
                pods_wanted(workload.root),
                _seconds(workload.submit),
                *_times(one, workload.submit),
                _state(one, run),
                one.stops,
                one.nodes,
                spreads[one.spread] if one.spread != NONE else None,
                one.held / _GPU_SECOND,
                one.done / _GPU_SECOND,
                one.lost / _GPU_SECOND,
                one.step / _NANOSECONDS if one.step else None,
                one.best / _NANOSECONDS if one.best else None,
            )


def _times(one: JobRun, submit: int) -> tuple[Value, ...]:
    started, ended = one.start != NONE, one.end >= 0
    return (
        _seconds(one.start) if started else None,
        _seconds(one.end) if ended else None,
        _seconds(max(one.start - submit, 0)) if started else None,
        _seconds(one.end - submit) if ended else None,
    )


def _state(one: JobRun, run: RunData) -> str:
    if one.end >= 0:
        return "finished"
    return "started" if one.start != NONE and one.start <= run.end else "waiting"


def _domains(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    levels = [level.name for level in first_topology(comparison.scenario).levels]
    for run in comparison.runs:
        for workload, one in zip(comparison.scenario_of(run).workloads, run.jobs, strict=True):
            for level, count in zip(levels, one.domains, strict=False):
                yield *_of(run), workload.name, level, count


def _stints(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    spreads = spread_names(first_topology(comparison.scenario))
    for run in comparison.runs:
        scenario = comparison.scenario_of(run)
        for stint in run.stints:
            nodes = dict.fromkeys(scenario.nodes[node].name for node, _ in stint.places)
            yield (
                *_of(run),
                scenario.workloads[stint.job].name,
                _seconds(stint.start),
                _seconds(stint.end),
                stint.ending,
                stint.works,
                spreads[stint.spread],
                sum(gpus for _, gpus in stint.places) / 1000,
                len(nodes),
                _listed(tuple(nodes)),
            )


def _samples(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    for run in comparison.runs:
        for one in run.samples:
            means = (one.held, one.usable, one.running, one.waiting, one.wanted)
            yield (
                *_of(run),
                _seconds(one.at),
                _seconds(one.span),
                *(value / 1000 for value in means),
                one.free,
                one.stranded,
            )


def _slots(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    for run in comparison.runs:
        for one in run.samples:
            for (level, size), left in zip(run.slot_keys, one.slots, strict=True):
                yield *_of(run), _seconds(one.at), level, size, left


def _queues(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    for run in comparison.runs:
        for one in run.samples:
            for queue, (held, due) in zip(run.queues, one.queues, strict=True):
                yield *_of(run), _seconds(one.at), queue, held / 1000, due / 1000


def _metrics(comparison: Comparison) -> Iterator[tuple[Value, ...]]:
    for run in comparison.runs:
        for (name, part), value in run.measures.items():
            yield *_of(run), name, part, value, BY_NAME[name].unit


def _of(run: RunData) -> tuple[Value, Value]:
    return run.policy, run.seed


def _seconds(micros: int) -> float:
    return micros / SECOND


def _listed(names: Sequence[str]) -> str:
    """Return names as a hostlist; as words between blanks where one of them could not stand in it."""
    return " ".join(names) if any(char in name for name in names for char in "[],") else fold(names)


EXPORTS = (
    Export(
        "workloads",
        "A row a workload and run: what it asked for, and what became of it.",
        (
            *_RUN,
            Field("workload", TEXT, "Its name."),
            Field("queue", TEXT, "Its queue."),
            Field("kind", TEXT, "batch, training or inference."),
            Field("priority", INTEGER, "Its priority."),
            Field("size_class", TEXT, "Its class by GPUs asked for."),
            Field("gpus", NUMBER, "GPUs that all its pods ask for."),
            Field("pods", INTEGER, "Its pods."),
            Field("submit_s", NUMBER, "When it was submitted."),
            Field("start_s", NUMBER, "Its first start; empty: it never started."),
            Field("end_s", NUMBER, "When its work was done; empty: it was not."),
            Field("wait_s", NUMBER, "From submit to first start."),
            Field("completion_s", NUMBER, "From submit to end."),
            Field("state", TEXT, "finished, started or waiting, when the run ended."),
            Field("stops", INTEGER, "Times that it lost its minimum."),
            Field("nodes", INTEGER, "Nodes of its first start."),
            Field("spread", TEXT, "How wide they lay."),
            Field("held_gpu_s", NUMBER, "GPU-seconds in which it held GPUs."),
            Field("done_gpu_s", NUMBER, "GPU-seconds of work that counts."),
            Field("lost_gpu_s", NUMBER, "GPU-seconds of work that had to be done again."),
            Field("step_s", NUMBER, "Predicted seconds of a step where it first ran; empty: unknown."),
            Field("best_step_s", NUMBER, "The same at the best place of an empty cluster."),
        ),
        _workloads,
    ),
    Export(
        "domains",
        "A row a workload that started, run and level: in how many domains it first lay.",
        (
            *_RUN,
            Field("workload", TEXT, "Its name."),
            Field("level", TEXT, "A level of the first topology."),
            Field("domains", INTEGER, "Domains of that level."),
        ),
        _domains,
    ),
    Export(
        "stints",
        "A row a stretch of time in which a workload ran on the same pods; of the first seed of each policy.",
        (
            *_RUN,
            Field("workload", TEXT, "Its name."),
            Field("start_s", NUMBER, "From when."),
            Field("end_s", NUMBER, "Till when."),
            Field("ending", TEXT, "finished, stopped, changed (other pods) or running (when the run ended)."),
            Field("works", FLAG, "Whether it had its minimum; else it held GPUs and did nothing."),
            Field("spread", TEXT, "How wide it lay."),
            Field("gpus", NUMBER, "GPUs that it held."),
            Field("nodes", INTEGER, "Nodes that it was on."),
            Field("hosts", TEXT, "Their names as a hostlist, in rank order."),
        ),
        _stints,
    ),
    Export(
        "samples",
        "The cluster over time: means over a span, and what was free when it began.",
        (
            *_RUN,
            Field("at_s", NUMBER, "From when."),
            Field("span_s", NUMBER, "For how long."),
            Field("gpus_held", NUMBER, "GPUs in use, mean."),
            Field("gpus_usable", NUMBER, "GPUs of nodes in order, mean."),
            Field("running", NUMBER, "Workloads that ran, mean."),
            Field("waiting", NUMBER, "Workloads that waited, mean."),
            Field("gpus_wanted", NUMBER, "GPUs that they asked for, mean."),
            Field("gpus_free", INTEGER, "Free GPU slots when it began."),
            Field("gpus_stranded", INTEGER, "Those of them on partly used nodes."),
        ),
        _samples,
    ),
    Export(
        "slots",
        "Slots left over time: gangs of whole free nodes for which domains of a level had room at once.",
        (
            *_RUN,
            Field("at_s", NUMBER, "When."),
            Field("level", TEXT, "The level; cluster: anywhere."),
            Field("size", INTEGER, "Nodes of a gang."),
            Field("left", INTEGER, "So many such gangs fit."),
        ),
        _slots,
    ),
    Export(
        "queues",
        "What queues held and what was due to them over time.",
        (
            *_RUN,
            Field("at_s", NUMBER, "When."),
            Field("queue", TEXT, "The queue."),
            Field("gpus_held", NUMBER, "GPUs that its workloads held."),
            Field("gpus_due", NUMBER, "GPUs that were due to it."),
        ),
        _queues,
    ),
    Export(
        "metrics",
        "Every figure of every run.",
        (
            *_RUN,
            Field("metric", TEXT, "Its name."),
            Field("part", TEXT, "The size class, level, queue, or level/size that it is about; empty: the whole run."),
            Field("value", INTEGER, "Its value."),
            Field("unit", TEXT, "The unit of the value."),
        ),
        _metrics,
    ),
)
"""All tables but the decisions, which are written as they come."""
