"""The cards of a node: how many of which model, and how they may be shared or cut.

A known model gives memory and MIG geometry. A model that is not known, or that cannot be cut, gets no slices, and a
warning says so: a slice that the card does not have would be promised and never bound.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import ByForm, Choice, ListOf, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.terms import MEMORY, MEMORY_CAPACITY, MODEL, MOST_CARDS, NUMBERS
from railwise.model.card_models import PROFILE_FORM, CardModel, find_model, find_profile, lay_out
from railwise.model.node import MIG_DYNAMIC, MIG_NONE, Cards

MOST_TIME_SLICES = 1000
"""A card is offered as at most so many time slices."""

PROFILE = Text(PROFILE_FORM, 40, "a MIG profile such as 1g.10gb")
"""The name of a MIG profile."""

_CARDS = Whole(0, MOST_CARDS)

GPU_RECORD = Record(
    "NodeGpu",
    {
        "count": Field(_CARDS, "how many cards", required=True),
        "model": Field(MODEL, "the model, such as H100-80GB; a known one gives memory and MIG geometry"),
        "memory": Field(MEMORY_CAPACITY, "memory of one card"),
        "reserve": Field(MEMORY, "memory of each card that is kept from sharers"),
        "mig": Field(
            ByForm("none, dynamic or a list of profiles", {str: Choice("none", "dynamic"), list: ListOf(PROFILE)}),
            "none (default), dynamic (cut on request), or the profiles every card is cut into",
        ),
        "timeSlices": Field(Whole(1, MOST_TIME_SLICES), "offer each card as so many time slices and in no other way"),
        "unhealthy": Field(NUMBERS, "numbers of sick cards, counted over all cards of the node"),
        "islands": Field(Whole(1, MOST_CARDS), "equal runs of cards that fast links join"),
    },
    hints={"gpus": "did you mean 'count'?"},
)

GPU = ByForm[Any]("a mapping or a list of mappings", {dict: GPU_RECORD, list: ListOf(GPU_RECORD)}, or_nothing=True)


def build_cards(given: object, path: str, faults: Faults) -> tuple[tuple[Cards, ...], frozenset[int]]:
    """Return the runs of equal cards and the numbers of the sick ones, from what ``GPU`` has read."""
    records: list[tuple[dict[str, Any], str]]
    if isinstance(given, list):
        records = [(record, at_index(path, index)) for index, record in enumerate(given)]
    else:
        records = [(given if isinstance(given, dict) else {}, path)]
    runs: list[Cards] = []
    sick: set[int] = set()
    first = 0
    for record, where in records:
        cards = _build(record, where, faults)
        for number in record.get("unhealthy", ()):
            if not first <= number < first + cards.count:
                range_text = f"from {first} to {first + cards.count - 1}" if cards.count else "none"
                faults.add(f"{where}.unhealthy", f"there is no card {number} here, the numbers are {range_text}")
        sick.update(record.get("unhealthy", ()))
        first += cards.count
        if cards.count:
            runs.append(cards)
    if first > MOST_CARDS:
        faults.add(path, f"expected at most {MOST_CARDS} cards on a node, not {first}")
    return tuple(runs), frozenset(sick)


def _build(record: dict[str, Any], path: str, faults: Faults) -> Cards:
    count = record.get("count", 0)
    name = record.get("model", "")
    model = find_model(name) if name else None
    memory = record.get("memory", model.memory if model is not None else 0)
    mig = record.get("mig", "none")
    if mig not in ("none", []):
        _check_mig(mig, model, name, path, faults)
        if "timeSlices" in record:
            faults.add(path, "a card is cut by 'mig' or offered as 'timeSlices', not both")
    if memory and record.get("reserve", 0) > memory:
        faults.add(f"{path}.reserve", "is more than the card's memory")
    islands = record.get("islands", 1)
    if count and count % islands:
        faults.add(f"{path}.islands", f"{count} cards do not make {islands} equal runs")
    return Cards(
        count=count,
        model=name,
        memory=memory,
        reserve=record.get("reserve", 0),
        mig=MIG_DYNAMIC if mig == "dynamic" else MIG_NONE if mig == "none" else tuple(mig),
        time_slices=record.get("timeSlices", 0),
        islands=islands,
    )


def _check_mig(mig: str | list[str], model: CardModel | None, name: str, path: str, faults: Faults) -> None:
    """Refuse a layout that no card of the model can have; warn where the geometry is not known."""
    if model is None:
        what = f"the model '{name}' is not known" if name else "no model is given"
        faults.warn(f"{path}.mig", f"{what}, so these cards offer no MIG slices")
        return
    if not model.cuts:
        faults.warn(f"{path}.mig", f"cards of the model '{name}' cannot be cut, so they offer no MIG slices")
        return
    if isinstance(mig, str):
        return
    for index, profile in enumerate(mig):
        if find_profile(model, profile) is None:
            faults.add(at_index(f"{path}.mig", index), f"a card of the model '{name}' has no profile {profile}")
            return
    if lay_out(model, mig) is None:
        faults.add(f"{path}.mig", f"no card of the model '{name}' can be cut into {', '.join(mig[:16])} at once")
