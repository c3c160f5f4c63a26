"""Amounts in other systems' queues as amounts of ours: cards of any vendor in thousandths, the rest in base units."""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.kubernetes.amounts import amounts, base_units
from railwise.formats.kubernetes.cards import CARD_RESOURCES
from railwise.formats.kubernetes.schema import Quantity
from railwise.model.errors import Fault

GPU = "gpu"
CARD = 1000
"""A card is so many thousandths."""


def queue_amounts(quantities: Mapping[str, Quantity], where: str, faults: list[Fault]) -> dict[str, int]:
    """Return what a queue has of each resource; what cannot be read is a fault under ``where`` and left out."""
    found: dict[str, int] = {}
    for resource, amount in amounts(quantities, where, faults).items():
        if resource in CARD_RESOURCES:
            found[GPU] = found.get(GPU, 0) + amount * CARD
        else:
            found[resource] = base_units(resource, amount, up=False)
    return found


def model_resource(resource: str) -> str:
    """Return what a resource of a pod is called in a queue."""
    return GPU if resource in CARD_RESOURCES else resource
