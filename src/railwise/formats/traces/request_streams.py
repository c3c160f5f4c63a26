"""Streams of LLM requests (Mooncake, FAST'25; Azure, 2023) as inference load: one elastic workload a window of time.

A request is too small to be placed: a service holds pods and answers thousands. So all requests of a window (5 minutes)
become one workload of two groups. Its *prefill* pods are as many as read the window's input tokens in
that time, its *decode* pods as many as write the output tokens, each at an assumed rate for a pod of 8 cards. It lasts
one window if it has all its pods, and as much longer as it has fewer, down to one of each: backlog is work left over.

Mooncake tells which blocks of 512 tokens a prompt shares with earlier ones. A block that has been read before is taken
from the cache and not read again, as if no block were ever dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

import msgspec

from railwise.formats.traces.cells import CellError
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.job_trace import INFERENCE, LoadOptions, TraceJob, TracePart
from railwise.formats.traces.lines import lines
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.table import Table
from railwise.model.quantity import MILLISECOND, MOST_DURATION, format_duration

BLOCK = 512
"""Tokens of a block of Mooncake's cache."""

MOST_TOKENS = 100_000_000
"""Tokens that one request may have."""

AZURE_COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")


class Arrival(NamedTuple):
    """One request: when it arrives (µs), tokens to read and tokens to write."""

    at: int
    read: int
    written: int


Tokens = Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]


class _Request(msgspec.Struct):
    timestamp: Annotated[int, msgspec.Meta(ge=0, le=MOST_DURATION // MILLISECOND)]
    input_length: Tokens
    output_length: Tokens
    hash_ids: list[int] = []


def read_mooncake(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read JSON lines; each file is a service with a cache of its own."""
    for source, data in files.items():
        _windows(_mooncake(data, source, intake), source, intake)


def _mooncake(data: bytes, source: str, intake: Intake) -> Iterator[Arrival]:
    seen: set[int] = set()
    cached = 0
    decode = msgspec.json.Decoder(_Request).decode
    for number, line in enumerate(lines(data, source), start=1):
        if not line.strip():
            continue
        try:
            request = decode(line)
        except msgspec.DecodeError as error:
            intake.bad(source, number, str(error))
            continue
        known = sum(1 for block in request.hash_ids if block in seen)
        seen.update(request.hash_ids)
        read = max(request.input_length - known * BLOCK, 0)
        cached += request.input_length - read
        yield Arrival(request.timestamp * MILLISECOND, read, request.output_length)
    if cached:
        intake.note(f"{stem(source)}: input tokens found in the cache, not read again: {cached:,}")


def read_azure(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read tables of requests; each file is a service. All share one clock."""
    intake.absolute = True
    for source, data in files.items():
        table = Table(data, source)
        table.need(AZURE_COLUMNS)
        _windows(_azure(table, intake), source, intake)


def _azure(table: Table, intake: Intake) -> Iterator[Arrival]:
    for row in table.rows():
        try:
            row.check()
            read, written = (row.count(column, MOST_TOKENS) for column in AZURE_COLUMNS[1:])
            yield Arrival(row.stamp("TIMESTAMP"), read, written)
        except CellError as error:
            intake.bad(table.source, row.line, str(error))


def _windows(arrivals: Iterator[Arrival], source: str, intake: Intake) -> None:
    """Add a workload for each window in which requests arrive; windows count from the first request of the file."""
    options = intake.options
    sums: dict[int, list[int]] = {}
    for one in arrivals:
        entry = sums.setdefault(one.at // options.window, [0, 0])
        entry[0] += one.read
        entry[1] += one.written
    service = stem(source)
    intake.begin(source, service)
    for window, (read, written) in sorted(sums.items()):
        intake.next_row()
        intake.add(_workload(intake.name("", 0), service, window, (read, written), options))
    rates = f"{options.prefill:,} input and {options.decode:,} output tokens a second a pod of {options.replica} GPUs"
    intake.note(
        f"one workload a {format_duration(options.window)}, for {rates} (--assume window, prefill, decode, replica)"
    )


def _workload(name: str, service: str, window: int, tokens: tuple[int, int], options: LoadOptions) -> TraceJob:
    parts = tuple(
        TracePart(role, pods * options.replica * 1000, pods, least=1)
        for role, pods in (
            ("prefill", _pods(tokens[0], options.prefill, options.window)),
            ("decode", _pods(tokens[1], options.decode, options.window)),
        )
    )
    return TraceJob(
        name=name,
        submit=window * options.window,
        duration=options.window,
        gpus=sum(part.gpus for part in parts),
        queue=service,
        kind=INFERENCE,
        traffic="pd",
        parts=parts,
    )


def _pods(tokens: int, rate: int, window: int) -> int:
    """Return how many pods handle so many tokens within a window of so many µs, at least 1."""
    return max(-(-tokens * 1_000_000 // (rate * window)), 1)


_SILENT = (
    "no cards and no placement: a window's requests become pods by an assumed rate",
    "no priorities: first come, first served",
)

MOONCAKE = Loader(
    kind="mooncake",
    folder="mooncake-fast25",
    title="Mooncake (FAST'25), LLM requests",
    files=("conversation_trace.jsonl", "toolagent_trace.jsonl", "synthetic_trace.jsonl", "*.jsonl"),
    read=read_mooncake,
    columns=(
        "timestamp: arrival in ms",
        "input_length: tokens to read, less blocks that were read before",
        "output_length: tokens to write",
        "hash_ids: blocks of 512 tokens",
    ),
    silent=_SILENT,
    one=True,
)

AZURE = Loader(
    kind="azure",
    folder="azure-llm-2023",
    title="Azure LLM inference, 2023",
    files=("AzureLLMInferenceTrace_*.csv",),
    read=read_azure,
    columns=(
        "TIMESTAMP: arrival",
        "ContextTokens: tokens to read",
        "GeneratedTokens: tokens to write",
        "the file: service and queue",
    ),
    silent=_SILENT,
)
