"""What a card is in Kubernetes: an extended resource whose meaning depends on how the node's device plugin is set up.

``nvidia.com/gpu: 1`` is a whole card on one node, a time slice on the next and a MIG slice on a third, under the same
name. A scheduler that takes all three for cards gives a card away twice. So each node is read for what it really
offers:

- *cards*: whole cards, the plain case;
- *slices*: time slices (or MPS shares), told by ``nvidia.com/gpu.replicas`` or the resource ``nvidia.com/gpu.shared``;
- *devices*: MIG slices under the cards' name (strategy ``single``), or replicas that cannot be counted. They are
  counted by name, exactly as Kubernetes does, and are no cards.

A pod that is bound is read by its node. A pod that waits is read by what all nodes with the resource offer; where
they differ it gets whole cards, which is safe on any of them. MIG slices with a name of their own
(``nvidia.com/mig-1g.5gb``) are counted by name everywhere. Where cards of several vendors, or none, are found, each
vendor's cards are counted by name as well, so that a pod never gets another vendor's card.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from railwise.model.card_models import find_model
from railwise.model.node import Cards
from railwise.model.workload import CARDS_TIME_SLICE, CARDS_WHOLE, CardRequest, Request

NVIDIA = "nvidia.com/gpu"
NVIDIA_SHARED = "nvidia.com/gpu.shared"

CARD_RESOURCES = (NVIDIA, "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi")
"""Extended resources whose pieces are cards."""

CARDS = "cards"
SLICES = "slices"
DEVICES = "devices"

MODEL_LABELS = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
)
REPLICAS_LABEL = "nvidia.com/gpu.replicas"
SHARING_LABEL = "nvidia.com/gpu.sharing-strategy"
MIG_LABEL = "nvidia.com/mig.strategy"
MEMORY_LABEL = "nvidia.com/gpu.memory"
VRAM_LABEL = "amd.com/gpu.vram"

MIG_MARK = "-MIG-"
SHARED_MARK = "-SHARED"

LARGEST_REPLICAS = 1000


class Offer(NamedTuple):
    """What a node offers: its cards, how the cards' resource is meant, what is counted by name, and unhealthy cards."""

    cards: tuple[Cards, ...]
    meaning: str
    named: dict[str, int]
    unhealthy: frozenset[int]


def _number(text: str) -> int:
    """Return a whole number below ten digits, 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < len("0000000000") else 0


def _model(labels: Mapping[str, str]) -> tuple[str, int]:
    """Return the model's usual name (the label as it stands where it is unknown) and a card's memory in MiB."""
    product = next((labels[label] for label in MODEL_LABELS if labels.get(label)), "").removesuffix(SHARED_MARK)
    known = find_model(product) if product else None
    memory = _memory(labels)
    return (known.name, memory or known.memory) if known is not None else (product, memory)


def _memory(labels: Mapping[str, str]) -> int:
    """Return a card's memory in MiB, 0 if unknown: NVIDIA's label counts MiB, AMD writes ``64G`` and means GiB."""
    if labels.get(MEMORY_LABEL):
        return _number(labels[MEMORY_LABEL])
    return 1024 * _number(labels.get(VRAM_LABEL, "").removesuffix("B").removesuffix("G"))


def read_offer(labels: Mapping[str, str], allocatable: Mapping[str, int], capacity: Mapping[str, int]) -> Offer:
    """Return what a node offers, from its labels and its resources in pieces.

    A device plugin takes sick cards out of ``allocatable`` but not out of ``capacity``, and does not say which they
    are: the difference counts as unhealthy, highest numbers first.
    """
    named: dict[str, int] = {}
    runs: list[Cards] = []
    sick: set[int] = set()
    meaning = CARDS
    model, memory = _model(labels)
    shared = allocatable.get(NVIDIA_SHARED, 0)
    for resource in CARD_RESOURCES:
        count = max(allocatable.get(resource, 0), capacity.get(resource, 0))
        free = allocatable.get(resource, count)
        if not count:
            continue
        if resource == NVIDIA:
            meaning = _meaning(labels, free, shared)
        if resource == NVIDIA and meaning == DEVICES:
            named[resource] = free
        elif resource == NVIDIA and meaning == SLICES:
            runs.append(_sliced(labels, free, model, memory))
        else:
            first = sum(run.count for run in runs)
            runs.append(Cards(count, model, memory))
            sick.update(range(first + free, first + count))
    if shared:
        if _replicas(labels) and shared % _replicas(labels) == 0:
            runs.append(_sliced(labels, shared, model, memory))
        else:
            named[NVIDIA_SHARED] = shared
    return Offer(tuple(runs), meaning, named, frozenset(sick))


def _replicas(labels: Mapping[str, str]) -> int:
    number = _number(labels.get(REPLICAS_LABEL, ""))
    return number if 1 < number <= LARGEST_REPLICAS else 0


def _meaning(labels: Mapping[str, str], count: int, shared: int) -> str:
    """Return how a node means ``nvidia.com/gpu``, of which it has ``count``, beside ``shared`` under the other name."""
    product = labels.get(MODEL_LABELS[0], "")
    if labels.get(MIG_LABEL) == "single" and MIG_MARK in product:
        return DEVICES
    sharing = labels.get(SHARING_LABEL, "none") not in ("", "none") and not shared
    if not sharing and not product.endswith(SHARED_MARK):
        return CARDS
    replicas = _replicas(labels)
    return SLICES if replicas and count % replicas == 0 else DEVICES


def _sliced(labels: Mapping[str, str], slices: int, model: str, memory: int) -> Cards:
    replicas = _replicas(labels)
    return Cards(slices // replicas, model, memory, time_slices=replicas)


@dataclass
class Offers:
    """What all nodes offer together, to read the requests of pods by.

    ``meaning`` holds, per node, how it means ``nvidia.com/gpu``, ``meanings`` all of them; ``found`` the card resources
    that nodes have.
    """

    meaning: dict[str, str] = field(default_factory=dict)
    meanings: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    shared_by_name: bool = False

    def add(self, node: str, offer: Offer, resources: Mapping[str, int]) -> None:
        """Take a node into account."""
        present = {name for name in CARD_RESOURCES if resources.get(name)}
        self.found |= present
        if NVIDIA in present:
            self.meaning[node] = offer.meaning
            self.meanings.add(offer.meaning)
        self.shared_by_name = self.shared_by_name or NVIDIA_SHARED in offer.named

    def common(self) -> str:
        """Return how a waiting pod's ``nvidia.com/gpu`` is read: as all nodes mean it, else whole cards."""
        return CARDS if len(self.meanings) != 1 else next(iter(self.meanings))

    def mixed(self) -> bool:
        """Return whether nodes mean different things by ``nvidia.com/gpu``."""
        return len(self.meanings) > 1

    def by_name(self, resource: str) -> bool:
        """Return whether a vendor's cards are counted by name too, because nodes have other cards or none of these."""
        return bool(self.found) and self.found != {resource}

    def request(self, resources: Mapping[str, int], node: str) -> tuple[Request, str]:
        """Return a pod's request (base units) with its cards told apart, and what cannot be honoured (empty: nothing).

        ``node`` is where it is bound; empty: it waits.
        """
        special = (*CARD_RESOURCES, NVIDIA_SHARED)
        plain = {name: amount for name, amount in resources.items() if amount and name not in special}
        cards: list[CardRequest] = []
        for name in CARD_RESOURCES:
            count = resources.get(name, 0)
            if not count:
                continue
            meaning = self.meaning.get(node, self.common()) if name == NVIDIA else CARDS
            if meaning == DEVICES or self.by_name(name):
                plain[name] = count
            if meaning == SLICES:
                cards.append(CardRequest(CARDS_TIME_SLICE, count))
            elif meaning == CARDS:
                cards.append(CardRequest(CARDS_WHOLE, count))
        shared = resources.get(NVIDIA_SHARED, 0)
        if shared and self.shared_by_name:
            plain[NVIDIA_SHARED] = shared
        elif shared:
            cards.append(CardRequest(CARDS_TIME_SLICE, shared))
        found = cards[0] if cards else CardRequest()
        trouble = "a pod that asks for cards of two kinds is not supported" if len(cards) > 1 else ""
        return Request(found, tuple(sorted(plain.items()))), trouble
