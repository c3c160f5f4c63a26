"""The sizes of a workload's traffic as numbers: what its document gives, and stated assumptions for the rest.

A name alone (``traffic: dense``) must be enough to tell good places from bad ones, so every size has a default. Those
that were assumed are named beside each estimate: they move all places alike, but not the seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from railwise.model.quantity import parse_bytes, parse_duration
from railwise.model.workload import Traffic, Workload

NONE: Final = "none"
DENSE: Final = "dense"
MOE: Final = "moe"
PIPELINE: Final = "pipeline"
PD: Final = "pd"

ASSUMED: Final[dict[str, dict[str, str]]] = {
    NONE: {},
    DENSE: {"gradients": "14Gi"},
    MOE: {"tokens": "4096", "hidden": "7168", "topK": "8", "layers": "58"},
    PIPELINE: {"activations": "64Mi", "microBatches": "8"},
    PD: {"bytesPerToken": "320Ki", "tokensPerSecond": "50000"},
}
"""What is assumed where a document does not say: a 7B model in BF16, DeepSeek-V3, a 70B model's KV cache."""

NANO_PER_MICRO: Final = 1000


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of one step in bytes, pieces and ns; 0: does not occur. ``assumed`` names what the document left open."""

    pattern: str
    tensor: int = 1
    stages: int = 0
    data: int = 0
    experts: int = 0
    gradients: int = 0
    activations: int = 0
    micro_batches: int = 0
    tokens: int = 0
    hidden: int = 0
    top_k: int = 0
    layers: int = 0
    element: int = 2
    source: str = ""
    target: str = ""
    per_token: int = 0
    per_second: int = 0
    compute: int = 0
    backward: bool = True
    assumed: tuple[str, ...] = ()


def sizes_of(workload: Workload) -> Sizes:
    """Return the sizes of a workload's traffic; training without a word on it is dense, anything else has none."""
    traffic = workload.traffic
    if traffic is None:
        traffic = Traffic(DENSE if workload.kind == "training" else NONE)
    return read_sizes(traffic, backward=workload.kind != "inference")


def read_sizes(traffic: Traffic, *, backward: bool = True) -> Sizes:
    """Return the sizes of a traffic; ``backward``: a step has a backward pass, so collectives come twice.

    Raises ValueError where a size is none; documents are checked when they are read.
    """
    defaults = ASSUMED[traffic.pattern] if backward or traffic.pattern != DENSE else {}
    given = {key: str(value) for key, value in traffic.sizes.items()}
    told = defaults | given

    def number(key: str, default: int = 0) -> int:
        return parse_bytes(told[key]) if key in told else default

    return Sizes(
        traffic.pattern,
        tensor=number("tensorParallel", 1),
        stages=number("pipelineParallel"),
        data=number("dataParallel"),
        experts=number("expertParallel"),
        gradients=number("gradients") if backward else 0,
        activations=number("activations"),
        micro_batches=number("microBatches", 1),
        tokens=number("tokens"),
        hidden=number("hidden"),
        top_k=number("topK"),
        layers=number("layers"),
        element=number("bytesPerElement", 2),
        source=given.get("from", ""),
        target=given.get("to", ""),
        per_token=number("bytesPerToken"),
        per_second=number("tokensPerSecond"),
        compute=parse_duration(given["compute"]) * NANO_PER_MICRO if "compute" in given else 0,
        backward=backward,
        assumed=tuple(f"{key} {value}" for key, value in defaults.items() if key not in given),
    )
