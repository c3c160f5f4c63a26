"""A published job stream in one form, whatever table it came from, and what a reader may take for granted about it.

Every publisher has other columns, units and clocks. Here a stream is a list of jobs in order of submission, on a clock
that starts with the first of them, next to the notes that say what the tables did not: those are printed and belong
into every report, because a result that rests on an assumption is only as good as the reader's knowledge of it.

Amounts are of all pods of a job together, so that they add up the same however a job is cut into pods later.
"""

from __future__ import annotations

import msgspec

from railwise.model.errors import Fault
from railwise.model.quantity import HOUR, MINUTE

BATCH, TRAINING, INFERENCE = "batch", "training", "inference"
"""What a job is, in the words of a scenario."""

MOST_TOLD = 1000
"""So many bad rows are kept one by one; ``JobTrace.skipped`` counts them all."""


class TracePart(msgspec.Struct, frozen=True, gc=False):
    """Equal pods of one role in a job.

    ``gpus`` are thousandths of a card, ``cpu`` millicores and ``memory`` MiB, of all pods of the part together;
    ``pods`` 0: the trace does not say how many. ``least`` is how many pods are needed to run at all (0: all of them).
    """

    name: str
    gpus: int
    pods: int = 0
    cpu: int = 0
    memory: int = 0
    least: int = 0


class TraceJob(msgspec.Struct, frozen=True, gc=False):
    """One job. Times are µs on the trace's clock; ``duration`` None: it has no end within the trace.

    ``gpus`` are thousandths of a card, ``cpu`` millicores, ``memory`` MiB, of all pods together (0: not told).
    ``pods`` is the number of pods that was asked for (0: not told). With ``parts`` the amounts are their sums.
    ``models`` are the card models that would do (empty: any). ``traffic`` is a pattern of a scenario (empty: not told).
    ``evictable`` says whether the job had to make room for others (None: not told).
    """

    name: str
    submit: int
    duration: int | None
    gpus: int
    pods: int = 0
    queue: str = ""
    user: str = ""
    kind: str = BATCH
    cpu: int = 0
    memory: int = 0
    models: tuple[str, ...] = ()
    priority: int = 0
    evictable: bool | None = None
    traffic: str = ""
    status: str = ""
    parts: tuple[TracePart, ...] = ()

    def work(self) -> int:
        """Return the job's work in thousandths of a card times µs; 0 where the duration is unknown."""
        return self.gpus * (self.duration or 0)


class JobTrace(msgspec.Struct, frozen=True):
    """A job stream: jobs by submission, what was assumed, and the bad rows that were left out.

    ``began`` is the first submission on the publisher's clock, as text (empty: unknown); the trace's clock is 0 there,
    or at ``LoadOptions.start`` where that was asked for.
    """

    kind: str
    title: str
    jobs: tuple[TraceJob, ...]
    notes: tuple[str, ...] = ()
    bad: tuple[Fault, ...] = ()
    skipped: int = 0
    began: str = ""

    def work(self) -> int:
        """Return the work of all jobs in thousandths of a card times µs."""
        return sum(job.work() for job in self.jobs)


class LoadOptions(msgspec.Struct, frozen=True):
    """What to read of a stream, and what to assume where it is silent. Times are µs.

    ``start`` and ``until`` bound submissions (0: no bound), ``jobs`` their number (0: all). ``duration`` is taken where
    a job has none and the trace knows no better, ``unit`` for a unit of time that a table does not tell (0: the usual
    one). ``worker`` names the accelerator of throughput tables, ``part`` one of
    several workloads in a file, ``processor`` what a processor of a CPU log stands for (``gpu`` or ``cpu``).
    ``window``, ``prefill``, ``decode`` and ``replica`` turn requests into inference load: the length of a window, the
    tokens a second that one pod reads and writes, and the cards of a pod.
    """

    skip_bad: bool = False
    start: int = 0
    until: int = 0
    jobs: int = 0
    cpu_jobs: bool = False
    duration: int = HOUR
    unit: int = 0
    worker: str = "v100"
    part: str = ""
    processor: str = "gpu"
    window: int = 5 * MINUTE
    prefill: int = 10_000
    decode: int = 1_000
    replica: int = 8
