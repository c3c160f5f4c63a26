"""Job streams in a sweep: the cluster that is named, the stream on it, and what is said of its jobs in addition.

A published stream knows neither what its gangs say to each other nor how often they save their work. A sweep says it
for all of them, which is an assumption: it is part of the input, and stands in the document where readers see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from railwise.formats.sweep.model import Trace
from railwise.formats.traces.assumptions import assumed
from railwise.formats.traces.clusters import cluster_of_size, sized_cluster
from railwise.formats.traces.job_trace import LoadOptions
from railwise.formats.traces.registry import convert, known_name
from railwise.formats.traces.replay import combine
from railwise.formats.traces.streams import load
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import Checkpoint, Traffic, Workload
from railwise.twin.progress import all_pods

Files = tuple[tuple[str, bytes], ...]
"""Names and contents of what stands under a path; of a folder those that belong to a data set."""

Read = Callable[[str, tuple[str, ...]], Files]
"""Returns what stands under a path beside the files of a scenario (none: beside the sweep); raises OSError."""

_FORMS: Final = "a scenario, the folder of a published map, or a size such as 500x8"


def replayed(trace: Trace, cluster: Scenario | None, read: Read) -> Scenario:
    """Return the stream on a cluster (None: on one of fitting size). Raises InputError, and what ``read`` raises."""
    asked = LoadOptions(skip_bad=trace.skip_bad, start=trace.start, until=trace.until, jobs=trace.jobs)
    options, added = assumed(trace.assume, asked)
    files = {name: data for path in trace.files for name, data in read(path, ())}
    stream = load(trace.kind, files, options)
    return combine(stream, sized_cluster(stream) if cluster is None else cluster, added)


def named_cluster(where: str, read: Read) -> Scenario | None:
    """Return the cluster of a size (``500x8``) or of a published map; None: it is a file to be read as a scenario.

    Raises InputError where a size is out of bounds, or a folder holds no map.
    """
    sized = cluster_of_size(where, "spec.cluster")
    if sized is not None:
        return sized
    files = dict(read(where, ()))
    if any(known_name(name) for name in files):
        return convert("", files)
    if not files:
        raise InputError([Fault("spec.cluster", f"'{where}': there is no published map in this folder", _FORMS)])
    return None


def with_traffic(scenario: Scenario, traffic: Traffic) -> Scenario:
    """Return the scenario in which every gang that does not tell its traffic has this one."""
    return _each(
        scenario,
        (
            replace(one, traffic=traffic) if one.traffic is None and all_pods(one.root) > 1 else one
            for one in scenario.workloads
        ),
    )


def with_checkpoints(scenario: Scenario, checkpoint: Checkpoint) -> Scenario:
    """Return the scenario in which every workload that does not tell how it saves its work does it like this."""
    return _each(
        scenario,
        (replace(one, checkpoint=checkpoint) if one.checkpoint is None else one for one in scenario.workloads),
    )


def _each(scenario: Scenario, workloads: Iterable[Workload]) -> Scenario:
    return replace(scenario, workloads=tuple(workloads))
