"""What a user says in place of a trace that is silent: ``duration=1h``, ``worker=p100``, ``window=10m``.

One table holds name, meaning and reader of every assumption, so that help, errors and the reference page agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from railwise.formats.faults import guess, shown
from railwise.formats.traces.job_trace import LoadOptions
from railwise.formats.traces.replay import ReplayOptions
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import format_duration, parse_duration

PATTERNS = ("dense", "moe", "pipeline", "none")
MOST_NUMBER = 1_000_000_000


class Assumption(NamedTuple):
    """One key of ``--assume``: the field it sets, what it means, and what reads its value or raises ValueError."""

    field: str
    meaning: str
    read: Callable[[str], object]
    replay: bool = False

    def default(self) -> str:
        """Return the default as it would be written."""
        value = getattr(ReplayOptions() if self.replay else LoadOptions(), self.field)
        if value is False:
            return "no"
        if self.field == "unit":
            return "the publisher's; 1m for chronus"
        if self.field == "checkpoint":
            return "never"
        if self.field == "part":
            return "workloads/1 or philly/1"
        return format_duration(value) if self.field in {"duration", "window"} else str(value) or "none"


def _span(text: str) -> int:
    value = parse_duration(text)
    if value <= 0:
        raise ValueError("expected a duration above 0, such as 1h")
    return value


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:11]) <= MOST_NUMBER or len(text) > 10:  # noqa: PLR2004
        raise ValueError(f"expected a whole number from 1 to {MOST_NUMBER}")
    return int(text)


def _answer(text: str) -> bool:
    if text not in {"yes", "no"}:
        raise ValueError("expected yes or no")
    return text == "yes"


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text

    return read


ASSUMPTIONS = {
    "duration": Assumption("duration", "how long a job runs where nothing tells", _span),
    "unit": Assumption("unit", "how long 1 is in a table that does not tell", _span),
    "cpu-jobs": Assumption("cpu_jobs", "whether jobs without a GPU are replayed", _answer),
    "traffic": Assumption("pattern", "what the pods of a gang say to each other", _one_of(*PATTERNS), replay=True),
    "evict": Assumption(
        "evict", "whether running jobs may be evicted, which costs them all their work", _answer, replay=True
    ),
    "checkpoint": Assumption("checkpoint", "how often jobs save their work", _span, replay=True),
    "worker": Assumption("worker", "the accelerator whose measured steps a second count", str),
    "part": Assumption("part", "which of several workloads in a file, such as philly/1", str),
    "processor": Assumption("processor", "what a processor of a CPU log becomes", _one_of("gpu", "cpu")),
    "window": Assumption("window", "requests that arrive in so long a time become one workload", _span),
    "prefill": Assumption("prefill", "input tokens a second that one pod reads", _number),
    "decode": Assumption("decode", "output tokens a second that one pod writes", _number),
    "replica": Assumption("replica", "GPUs of such a pod", _number),
}
"""Every key of ``--assume``."""


def assumed(texts: Sequence[str], base: LoadOptions) -> tuple[LoadOptions, ReplayOptions]:
    """Return the options with what ``KEY=VALUE`` texts set; InputError naming every text that cannot be read."""
    faults = []
    loads: dict[str, object] = {}
    replays: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        found = ASSUMPTIONS.get(key)
        if found is None or not equals:
            hint = f"keys are {', '.join(ASSUMPTIONS)}"
            message = f"expected KEY=VALUE, found {shown(text)}{guess(key, ASSUMPTIONS)}"
            faults.append(Fault("--assume", message, hint))
            continue
        try:
            (replays if found.replay else loads)[found.field] = found.read(value)
        except ValueError as error:
            faults.append(Fault(f"--assume {key}", f"{error}, found {shown(value)}"))
    if faults:
        raise InputError(faults)
    return msgspec.structs.replace(base, **loads), ReplayOptions(**replays)  # type: ignore[arg-type]
