"""Job streams by name: which loaders there are, and the one entrance to all of them.

A further data set adds a module with a ``LOADER`` and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.faults import guess
from railwise.formats.traces import (
    acme,
    adaptive_log,
    asi,
    helios,
    itp,
    lingjun_jobs,
    openb,
    pai,
    philly,
    request_streams,
    sacct,
    serving_instances,
    simulator_log,
    spot,
    step_counts,
    swf,
)
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import JobTrace, LoadOptions
from railwise.formats.traces.loader import Loader, base_name
from railwise.model.errors import Fault, InputError
from railwise.model.natural import natural_key

LOADERS: tuple[Loader, ...] = (
    philly.LOADER,
    helios.LOADER,
    itp.LOADER,
    openb.LOADER,
    acme.LOADER,
    pai.LOADER,
    serving_instances.LOADER,
    spot.LOADER,
    asi.LOADER,
    lingjun_jobs.LOADER,
    request_streams.MOONCAKE,
    request_streams.AZURE,
    step_counts.GAVEL,
    step_counts.SHOCKWAVE,
    simulator_log.TIRESIAS,
    simulator_log.MURI,
    simulator_log.CHRONUS,
    adaptive_log.POLLUX,
    adaptive_log.SIA,
    swf.LOADER,
    sacct.LOADER,
)


def loader_of(kind: str) -> Loader:
    """Return the loader of that kind or folder; InputError naming those there are."""
    for loader in LOADERS:
        if kind in {loader.kind, loader.folder}:
            return loader
    known = [loader.kind for loader in LOADERS]
    raise InputError([Fault("--trace", f"unknown trace '{kind}'{guess(kind, known)}", f"one of {', '.join(known)}")])


def load(kind: str, files: Mapping[str, bytes], options: LoadOptions = LoadOptions()) -> JobTrace:  # noqa: B008 -- frozen
    """Return the job stream in files of a data set, given by name (plain or gzip).

    Raises InputError for an unknown kind, where no file holds jobs, and for what is wrong inside the files.
    """
    loader = loader_of(kind)
    if not files:
        expected = " or ".join(loader.files)
        raise InputError([Fault("", f"{loader.kind}: no file with jobs", f"expected {expected}, plain or gzip")])
    intake = Intake(loader.kind, loader.title, options)
    for text in loader.silent:
        intake.note(text)
    loader.read(_chosen(loader, files, intake), intake)
    return intake.finish()


def _chosen(loader: Loader, files: Mapping[str, bytes], intake: Intake) -> dict[str, bytes]:
    """Return the files to read, in order of their names; where one is enough, that of the first pattern."""
    names = sorted(files, key=natural_key)
    if loader.one and len(names) > 1:
        names.sort(key=loader.rank)
        others = ", ".join(base_name(name) for name in names[1:])
        intake.note(f"{base_name(names[0])} is replayed; name another one to replay it instead: {others}")
        names = names[:1]
    return {name: files[name] for name in names}
