"""Workloads to learn from or to fill a cluster with: of a scenario, or of every file of a published trace by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from railwise.cli.data_sets import read_data_set
from railwise.cli.errors import HintedError, note_line
from railwise.cli.trace_options import TraceOptions, cluster_of_trace

if TYPE_CHECKING:
    from railwise.model.scenario import Scenario


def read_histories(
    paths: Sequence[str], files: Sequence[str], levels: str, options: TraceOptions
) -> list[tuple[str, Scenario]]:
    """Return (name, scenario): the one of the files, or with ``--trace`` one for each file of the trace.

    Jobs without cards count. Notes are printed, each once.

    Raises:
        HintedError: an option cannot be used, or a file is not there.
        InputError: a document, the trace or the cluster cannot be read.
    """
    from railwise.cli.sources import load_scenario

    if not options.kind:
        if options != TraceOptions():
            raise HintedError(
                "--cluster, --jobs, --from, --skip-bad and --assume go with --trace", "name the trace: --trace openb"
            )
        scenario = load_scenario([*paths, *files], levels)
        return [(scenario.name or "scenario", scenario)]
    if options.start:
        raise HintedError("--from does not go with this command", "all jobs of the trace count, whenever they came")
    return _traced(paths, files, levels, options)


def _traced(
    paths: Sequence[str], files: Sequence[str], levels: str, options: TraceOptions
) -> list[tuple[str, Scenario]]:
    from railwise.formats.traces import LoadOptions
    from railwise.formats.traces.assumptions import assumed
    from railwise.formats.traces.loader import stem
    from railwise.formats.traces.replay import Replay
    from railwise.formats.traces.streams import load, loader_of

    loader = loader_of(options.kind)
    asked, added = assumed(options.assume, LoadOptions(skip_bad=options.skip_bad, jobs=options.jobs, cpu_jobs=True))
    told: dict[str, None] = {}
    found = []
    named = read_data_set(paths, lambda name: loader.rank(name) < len(loader.files))
    if not named:
        raise HintedError(f"--trace {options.kind}: no file with jobs", f"name {' or '.join(loader.files)}")
    for name, data in named.items():
        trace = load(options.kind, {name: data}, asked)
        cluster = cluster_of_trace(options.cluster, files, paths, trace, levels)
        scenario = Replay(trace, cluster, added).scenario
        found.append((stem(name), scenario))
        for note in trace.notes:
            told.setdefault(note)
    for note in told:
        note_line(note)
    return found
