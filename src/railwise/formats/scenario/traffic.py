"""What the ranks of a workload say to each other: a pattern, and the sizes by which the traffic model can tell time.

Sizes are checked here and kept as they were given; what they mean is the traffic model's business.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults
from railwise.formats.kinds import ByForm, Choice, Kind, Parsed, Schema, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import DURATION, GROUP_NAME
from railwise.model.quantity import MOST, parse_bytes
from railwise.model.workload import Traffic

PATTERNS = ("dense", "moe", "pipeline", "pd", "none")

_COUNT = Whole(1, MOST)


class _AsGiven(Kind[int | str]):
    """A value that is checked by another kind and kept as it stands."""

    def __init__(self, kind: Kind[Any]) -> None:
        self.kind = kind

    def read(self, value: object, path: str, faults: Faults) -> int | str | None:
        """Return the value itself."""
        if self.kind.read(value, path, faults) is None:
            return None
        return value if isinstance(value, int | str) else str(value)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        """Return the JSON Schema."""
        return self.kind.schema(definitions)


_BYTES = _AsGiven(
    Parsed(parse_bytes, "expected a size such as 14Gi", r"^([0-9]+(\.[0-9]*)?)([KMGTPE]i|[kMGTPE]?)$", numbers=True)
)
_PATH_OF_GROUP = Text(rf"{GROUP_NAME.form.pattern}(?:/{GROUP_NAME.form.pattern})*", 1000, "the path of a group")

TRAFFIC_RECORD = Record(
    "Traffic",
    {
        "pattern": Field(Choice(*PATTERNS), "dense, moe, pipeline, pd or none", required=True),
        "tensorParallel": Field(_COUNT, "ranks (cards) of one tensor-parallel unit"),
        "pipelineParallel": Field(_COUNT, "stages of the pipeline"),
        "dataParallel": Field(_COUNT, "data-parallel copies"),
        "expertParallel": Field(_COUNT, "ranks (cards) over which experts are spread"),
        "gradients": Field(_BYTES, "bytes of gradients of one model copy"),
        "activations": Field(_BYTES, "bytes handed from stage to stage per micro-batch"),
        "microBatches": Field(_COUNT, "micro-batches per step"),
        "tokens": Field(_COUNT, "tokens per rank and step"),
        "hidden": Field(_COUNT, "hidden size"),
        "topK": Field(_COUNT, "experts per token"),
        "layers": Field(_COUNT, "layers that communicate"),
        "bytesPerElement": Field(_COUNT, "bytes of one element"),
        "from": Field(_PATH_OF_GROUP, "the group that sends (pd)"),
        "to": Field(_PATH_OF_GROUP, "the group that receives (pd)"),
        "bytesPerToken": Field(_BYTES, "bytes of KV cache per token (pd)"),
        "tokensPerSecond": Field(_COUNT, "tokens per second (pd)"),
        "compute": Field(_AsGiven(DURATION), "time of one step without communication"),
    },
)

TRAFFIC = ByForm[Any]("a pattern or a mapping with sizes", {str: Choice(*PATTERNS), dict: TRAFFIC_RECORD})


def build_traffic(given: str | dict[str, Any]) -> Traffic:
    """Return the traffic of a workload, sizes as given."""
    if isinstance(given, str):
        return Traffic(given)
    return Traffic(given.get("pattern", "none"), {key: value for key, value in given.items() if key != "pattern"})
