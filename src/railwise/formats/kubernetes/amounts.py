"""Quantities of Kubernetes resources as exact whole numbers, so that sums are rounded once and not per container.

Two containers of 100M ask for 200,000,000 bytes, which is 191 MiB, while two times 96 MiB would be 192. Therefore
amounts are added up in fine units (millicores, bytes, pieces) and turned into the model's base units (MiB) at the
end: requests upwards, capacities downwards.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.kubernetes.schema import Quantity
from railwise.model.errors import Fault
from railwise.model.quantity import MIB, parse_bytes, parse_count, parse_cpu

CPU = "cpu"
BYTES = ("memory", "ephemeral-storage")
"""Resources in bytes; hugepages are too."""

HUGEPAGES = "hugepages-"
NEVER_DEVICES = (CPU, *BYTES, "pods")
"""Resources that mean something even where their amount is 0, since unlisted they are unlimited."""


def _fine(resource: str, quantity: Quantity) -> int:
    text = quantity.strip() if isinstance(quantity, str) else repr(quantity)
    if resource == CPU:
        return parse_cpu(text)
    return parse_bytes(text) if in_bytes(resource) else parse_count(text)


def in_bytes(resource: str) -> bool:
    """Return whether amounts of the resource are bytes."""
    return resource in BYTES or resource.startswith(HUGEPAGES)


def amounts(quantities: Mapping[str, Quantity], where: str, faults: list[Fault]) -> dict[str, int]:
    """Return the amounts in fine units: cpu in millicores, what is in bytes in bytes, others in pieces.

    What cannot be read is a fault under ``where`` and left out.
    """
    found = {}
    for resource, quantity in quantities.items():
        try:
            found[resource] = _fine(resource, quantity)
        except ValueError as error:
            faults.append(Fault(f"{where}.{resource}", f"{error}, not '{quantity}'"))
    return found


def base_units(resource: str, amount: int, *, up: bool) -> int:
    """Return an amount in the model's units: bytes as MiB, hugepages as pages, anything else as it is.

    ``up`` rounds up, as requests need; capacities round down.
    """
    if not in_bytes(resource):
        return amount
    unit = MIB
    if resource.startswith(HUGEPAGES):
        try:
            unit = max(parse_bytes(resource[len(HUGEPAGES) :]), 1)
        except ValueError:
            unit = 1
    return -(-amount // unit) if up else amount // unit
