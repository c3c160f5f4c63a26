"""Amounts per resource: what a node has, what a queue is promised.

Bare names are only ours (gpu, cpu, memory, ephemeral-storage, pods); any other resource has a slash
(``vendor.com/fpga``), as in Kubernetes. So a misspelt ``gpus`` is a fault and not a device nobody has.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.faults import Faults, at_key, described, guess
from railwise.formats.kinds import Definitions, Kind, Schema, Text
from railwise.formats.terms import COUNT, CPU, CPU_CAPACITY, MEMORY, MEMORY_CAPACITY, THOUSANDTHS

DEVICE = Text(
    r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|hugepages-[0-9]+[KMG]i"
    r"|hostPort/(?:TCP|UDP|SCTP)/[0-9]{1,5}(?:/[0-9a-fA-F:.]{1,45})?)",
    317,
    "a resource such as vendor.com/fpga",
)
"""The name of a resource that is not ours."""


class Amounts(Kind[dict[str, int]]):
    """A mapping of resources to amounts in base units."""

    or_nothing = True

    def __init__(self, name: str, own: Mapping[str, Kind[int]], hints: Mapping[str, str]) -> None:
        """Keep the kinds of our own resources; ``name`` is the definition's name in the schema."""
        self.name = name
        self.own = own
        self.hints = hints

    def read(self, value: object, path: str, faults: Faults) -> dict[str, int] | None:
        """Return the sound amounts by resource, in the order given."""
        if not isinstance(value, dict):
            faults.add(path, f"expected a mapping of resources to amounts, not {described(value)}")
            return None
        found = {}
        for resource, amount in value.items():
            kind = self.own.get(resource)
            if kind is None:
                if DEVICE.problem(resource):
                    faults.add(at_key(path, resource), "" if faults.full() else self.unknown(resource))
                    continue
                kind = COUNT
            read = kind.read(amount, at_key(path, resource), faults)
            if read is not None:
                found[resource] = read
        return found

    def unknown(self, resource: object) -> str:
        """Return what to say about a resource that does not exist."""
        if isinstance(resource, str) and resource in self.hints:
            return f"unknown resource, {self.hints[resource]}"
        close = guess(resource, self.own)
        return f"unknown resource{close or ', others have a slash, such as vendor.com/fpga'}"

    def schema(self, definitions: Definitions) -> Schema:
        """Return a reference to the definition."""
        if self.name not in definitions:
            definitions[self.name] = {
                "type": "object",
                "properties": {name: kind.schema(definitions) for name, kind in self.own.items()},
                "patternProperties": {f"^(?:{DEVICE.form.pattern})$": COUNT.schema(definitions)},
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{self.name}"}


NODE_RESOURCES = Amounts(
    "NodeResources",
    {"cpu": CPU_CAPACITY, "memory": MEMORY_CAPACITY, "ephemeral-storage": MEMORY_CAPACITY, "pods": COUNT},
    dict.fromkeys(("gpu", "gpus"), "cards are given by the node's 'gpus' or 'gpu'"),
)
"""What a node has. What is not listed is unlimited if it is one of ours, else not there."""

QUEUE_AMOUNTS = Amounts(
    "QueueAmounts",
    {"gpu": THOUSANDTHS, "cpu": CPU, "memory": MEMORY, "ephemeral-storage": MEMORY, "pods": COUNT},
    {},
)
"""What a queue is promised or may use at most; gpu in thousandths of a card."""
