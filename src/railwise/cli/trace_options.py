"""``railwise simulate --trace``: a published job stream on a cluster, read from files and folders.

What a trace does not say is assumed, and every assumption is printed before the run, because the numbers rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from railwise.cli.durations import duration_of
from railwise.cli.errors import HintedError, note_line
from railwise.cli.recorded_start import RecordedStart, arrive, check_start, lives_on

if TYPE_CHECKING:
    from railwise.formats.traces import JobTrace
    from railwise.model.scenario import Scenario


class TraceOptions(NamedTuple):
    """The options of one call; ``kind`` empty: no trace is replayed; ``record``: the cluster as it was recorded."""

    kind: str = ""
    cluster: str = ""
    jobs: int = 0
    start: str = ""
    skip_bad: bool = False
    assume: tuple[str, ...] = ()
    record: RecordedStart = RecordedStart()


def trace_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--trace`` and what goes with it, which come together as ``replay``."""

    @wraps(command)
    def traced(
        *,
        trace_kind: str,
        trace_cluster: str,
        trace_jobs: int,
        trace_start: str,
        skip_bad: bool,
        assume: tuple[str, ...],
        **rest: Any,  # noqa: ANN401 -- click's own
    ) -> Any:  # noqa: ANN401 -- click's own
        options = TraceOptions(trace_kind, trace_cluster, trace_jobs, trace_start, skip_bad, assume)
        return command(replay=options, **rest)

    for option in reversed(_OPTIONS):
        traced = option(traced)
    return traced


_OPTIONS = (
    click.option(
        "--trace",
        "trace_kind",
        default="",
        metavar="KIND",
        help="Replay a published job stream: philly, helios, itp, sacct and others; FILE is its files or folder.",
    ),
    click.option(
        "--cluster",
        "trace_cluster",
        default="",
        metavar="WHERE",
        help="For --trace: the cluster, as a scenario, the folder of a published map, or NODESxGPUS such as 500x8.",
    ),
    click.option(
        "--jobs",
        "trace_jobs",
        type=click.IntRange(1),
        default=None,
        metavar="N",
        callback=lambda _context, _option, value: value or 0,
        help="For --trace: only the first N jobs.",
    ),
    click.option(
        "--from",
        "trace_start",
        default="",
        metavar="DURATION",
        help="For --trace: leave out what was submitted before, such as 10d; --until counts from the trace's start.",
    ),
    click.option(
        "--skip-bad", "skip_bad", is_flag=True, help="For --trace: count rows that cannot be read, and go on without."
    ),
    click.option(
        "--assume",
        multiple=True,
        metavar="KEY=VALUE",
        help="For --trace: what to take where it is silent (duration=1h, cpu-jobs=yes, traffic=dense and others).",
    ),
)


def read_scenario(
    paths: Sequence[str], files: Sequence[str], levels: str, options: TraceOptions, until: int
) -> tuple[Scenario, int]:
    """Return the scenario to simulate and the end of the run in µs (0: when nothing happens any more).

    Without ``--trace`` it is what ``paths`` and ``files`` describe. With it, ``paths`` are the trace, ``files`` the
    cluster if ``--cluster`` names none, and the run's clock starts at ``--from``; notes are printed. A
    recorded cluster lives on and what is read otherwise arrives there.

    Raises:
        HintedError: an option cannot be used, or a file is not there.
        InputError: a document, the trace or the cluster cannot be read.
    """
    from railwise.cli.sources import load_scenario

    record = options.record
    check_start(record, options.cluster)
    if not options.kind:
        if options._replace(record=RecordedStart()) != TraceOptions():
            raise HintedError(
                "--cluster, --jobs, --from, --skip-bad and --assume go with --trace", "name the trace: --trace philly"
            )
        scenario = load_scenario([*([record.path] if record.path else []), *paths, *files], levels)
        return lives_on(scenario, record) if record.path else scenario, until
    began = _duration("--from", options.start) if options.start else 0
    if until and until <= began:
        raise HintedError("--until is not after --from", "both count from the first submission of the trace")
    window = (began, until)
    return _replayed(paths, files, levels, options, window), until - began if until else 0


def _replayed(
    paths: Sequence[str], files: Sequence[str], levels: str, options: TraceOptions, window: tuple[int, int]
) -> Scenario:
    from railwise.cli.data_sets import read_data_set
    from railwise.formats.traces import LoadOptions
    from railwise.formats.traces.assumptions import assumed
    from railwise.formats.traces.replay import Replay
    from railwise.formats.traces.streams import load, loader_of

    record = options.record
    loader = loader_of(options.kind)
    asked = LoadOptions(skip_bad=options.skip_bad, start=window[0], until=window[1], jobs=options.jobs)
    asked, added = assumed(options.assume, asked)
    trace = load(options.kind, read_data_set(paths, loader.knows), asked)
    cluster = cluster_of_trace(record.path or options.cluster, files, paths, trace, levels)
    scenario = Replay(trace, replace(cluster, workloads=()) if record.path else cluster, added).scenario
    for note in scenario.warnings[len(cluster.warnings) :]:
        note_line(note)
    return arrive(lives_on(cluster, record), scenario) if record.path else scenario


def _duration(option: str, text: str) -> int:
    value = duration_of(option, text, "a time after the trace's first submission, such as 10d")
    if value < 0:
        raise HintedError(f"{option} {text}: before the trace's first submission", "such as 10d or 36h")
    return value


def cluster_of_trace(where: str, files: Sequence[str], paths: Sequence[str], trace: JobTrace, levels: str) -> Scenario:
    """Return the cluster that was asked for, else the one that lies beside the trace, else one of fitting size."""
    from railwise.cli.data_sets import read_data_set
    from railwise.cli.sources import load_scenario
    from railwise.formats.traces.clusters import cluster_of_size, sized_cluster
    from railwise.formats.traces.registry import known_name

    if where:
        path = Path(where)
        sized = None if path.exists() else cluster_of_size(where, "--cluster")
        if sized is not None:
            return sized
        if path.is_dir() or known_name(where):
            return _told(_map(read_data_set([where], known_name), where))
        if not path.exists():
            raise HintedError(
                f"--cluster {where}: no such file or folder",
                "a scenario, the folder of a published map, or a size such as 500x8",
            )
        return load_scenario([where, *files], levels)
    if files:
        return load_scenario(files, levels)
    beside = read_data_set([path for path in paths if Path(path).is_dir()], known_name)
    return _told(_map(beside, "") if beside else sized_cluster(trace))


def _told(cluster: Scenario) -> Scenario:
    """Print what is odd about a cluster that no document describes."""
    for warning in cluster.warnings:
        note_line(warning)
    return cluster


def _map(files: Mapping[str, bytes], where: str) -> Scenario:
    from railwise.formats.traces.registry import convert

    if not files:
        raise HintedError(f"{where}: no published map in it", "name a scenario, such a folder, or a size such as 500x8")
    return convert("", files)
