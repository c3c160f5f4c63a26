"""What one pod asks for: whole cards, parts of them in one of several ways, and other resources.

The ways exclude each other, because a card serves one kind at a time. A request of the right form that no card can meet
(a card and a half, a profile nobody has) is kept as it stands: the workload waits, and the document is not refused.
"""

from __future__ import annotations

import re
from typing import Any

from railwise.formats.faults import Faults, at_key, described
from railwise.formats.kinds import ByForm, Choice, Definitions, Kind, ListOf, Schema
from railwise.formats.records import Field, Record
from railwise.formats.scenario.cards import PROFILE
from railwise.formats.scenario.resources import DEVICE, Amounts
from railwise.formats.terms import COUNT, CPU, MEMORY, MODEL, THOUSANDTHS
from railwise.model.quantity import EXPECTED_MEMORY
from railwise.model.workload import (
    CARDS_MIG,
    CARDS_SHARE,
    CARDS_TIME_SLICE,
    CARDS_WHOLE,
    CardRequest,
    CardRule,
    Request,
)

MIG_PREFIX = "mig-"
CARD = 1000
"""One card in thousandths."""

_PERCENT = re.compile(r"([0-9]{1,6})%", re.ASCII)
_BESIDE_MIG = ("gpu", "gpu-memory", "gpu-compute", "gpu-shared")
_BESIDE_SHARED = ("gpu", "gpu-compute")


class Percent(Kind[int]):
    """Whole percent, as text."""

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        """Return the number before the sign."""
        match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            faults.add(path, f"expected whole percent such as 30%, not {described(value)}")
            return None
        return int(match[1])

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": f"^{_PERCENT.pattern}$"}


class SizeOrPercent(Kind[int]):
    """Memory as a size (MiB) or, below 0, as percent of the card's."""

    def read(self, value: object, path: str, faults: Faults) -> int | None:
        """Return MiB, or percent times -1."""
        if isinstance(value, str) and value.endswith("%"):
            percent = PERCENT.read(value, path, faults)
            return None if percent is None else -percent
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return MEMORY.read(value, path, faults)
        faults.add(path, f"{EXPECTED_MEMORY}, or percent such as 25%, not {described(value)}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [MEMORY.schema(definitions), PERCENT.schema(definitions)]}


PERCENT = Percent()
SIZE_OR_PERCENT = SizeOrPercent()


class RequestKind(Amounts):
    """The ``request`` of a pod."""

    def read(self, value: object, path: str, faults: Faults) -> Any:  # noqa: ANN401 - the base reads plain amounts
        """Return the model's ``Request``."""
        if not isinstance(value, dict):
            faults.add(path, f"expected a mapping of resources to amounts, not {described(value)}")
            return None
        slices = {}
        others = {}
        for resource, amount in value.items():
            if isinstance(resource, str) and resource.startswith(MIG_PREFIX):
                profile = resource[len(MIG_PREFIX) :]
                problem = PROFILE.problem(profile)
                if problem:
                    faults.add(at_key(path, resource), problem)
                    continue
                slices[profile] = COUNT.read(amount, at_key(path, resource), faults) or 0
            else:
                others[resource] = amount
        amounts = super().read(others, path, faults) or {}
        cards = _cards(amounts, {name: count for name, count in slices.items() if count}, path, faults)
        resources = ((name, amount) for name, amount in amounts.items() if amount and name not in _BESIDE_MIG)
        return Request(cards, tuple(sorted(resources)))

    def schema(self, definitions: Definitions) -> Schema:
        """Return a reference to the definition."""
        schema = super().schema(definitions)
        patterns: Schema = definitions[self.name]["patternProperties"]
        patterns[f"^{MIG_PREFIX}{PROFILE.form.pattern}$"] = COUNT.schema(definitions)
        return schema


def _cards(amounts: dict[str, int], slices: dict[str, int], path: str, faults: Faults) -> CardRequest:
    if slices:
        _exclude("MIG slices", _BESIDE_MIG, amounts, path, faults)
        return CardRequest(CARDS_MIG, slices=tuple(sorted(slices.items())))
    memory = amounts.get("gpu-memory", 0)
    size, percent = max(memory, 0), max(-memory, 0)
    if "gpu-shared" in amounts:
        _exclude("'gpu-shared'", _BESIDE_SHARED, amounts, path, faults)
        if not amounts["gpu-shared"] and not memory:
            return CardRequest()
        return CardRequest(CARDS_TIME_SLICE, amounts["gpu-shared"], memory=size, memory_percent=percent)
    compute = amounts.get("gpu-compute", 0)
    gpu = amounts.get("gpu", CARD if memory or compute else 0)
    whole, part = divmod(gpu, CARD)
    if part or memory or compute:
        count, fraction = (1, gpu) if part else (whole, 0)
        return CardRequest(CARDS_SHARE, count, fraction, size, percent, compute)
    return CardRequest(CARDS_WHOLE, whole) if whole else CardRequest()


def _exclude(what: str, others: tuple[str, ...], amounts: dict[str, int], path: str, faults: Faults) -> None:
    for other in others:
        if other in amounts:
            faults.add(path, f"{what} and '{other}' exclude each other")


REQUEST = RequestKind(
    "Request",
    {
        "gpu": THOUSANDTHS,
        "gpu-memory": SIZE_OR_PERCENT,
        "gpu-compute": PERCENT,
        "gpu-shared": COUNT,
        "cpu": CPU,
        "memory": MEMORY,
        "ephemeral-storage": MEMORY,
    },
    {
        "gpus": "did you mean 'gpu'?",
        "pods": "each pod takes one pod slot of its node by itself",
        "gpu-mem": "did you mean 'gpu-memory'?",
    },
)

MODELS: Kind[Any] = ByForm("a model or a list of models", {str: MODEL, list: ListOf(MODEL, 1)})
"""The models of cards that will do."""

CARD_RULE_RECORD = Record(
    "CardRule",
    {
        "model": Field(MODELS, "models that will do"),
        "memory": Field(MEMORY, "the memory a card must have at least"),
        "island": Field(Choice("required"), "all cards of a pod are joined by fast links"),
    },
    hints={"count": "how many cards a pod needs stands in 'request'"},
)
"""Which cards will do."""


def build_card_rule(record: dict[str, Any]) -> CardRule:
    """Return which cards will do."""
    models = record.get("model", [])
    return CardRule(
        (models,) if isinstance(models, str) else tuple(models),
        record.get("memory", 0),
        record.get("island") is not None,
    )


def is_device(resource: str) -> bool:
    """Return whether the name is that of a resource that is not ours."""
    return not DEVICE.problem(resource)
