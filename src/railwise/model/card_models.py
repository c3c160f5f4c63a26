"""What is known of card models: memory, and how a card can be cut into MIG slices.

A profile's name says little by itself: ``1g.10gb`` is the smallest slice of an 80 GB card and a double one of a 40 GB
card, tools write 7g.79gb or 7g.80gb for the same slice, and 3 + 3 + 1 are seven compute slices although two 3g already
fill the memory. So a name is reduced to (compute slices, memory slices) of the card at hand, and what fits follows from
where such a slice may start.

Sources: NVIDIA's MIG user guide (supported GPUs and profiles) and NVML's placement listings: a start is a memory
slice, sizes are powers of two, starts are aligned to the size. Cards of seven compute slices have eight memory slices,
the last of which no 1g or 2g may start in; cards of four have four. Memory is what the driver reports, in MiB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

PROFILE_FORM = r"([1-9])g\.([1-9][0-9]{0,3})gb((?:\+me\.all|\+me|\+gfx|-me)*)"
"""The form of a profile's name: compute slices, gigabytes, what is added or left out."""

TOLERANCE = 20
"""A name means a slice if its gigabytes differ from it by at most a twentieth."""

MOST_SLICES = 16
"""No layout of a card has more slices."""


class Cut(NamedTuple):
    """A kind of slice: its compute and memory slices, and the memory slices it may start at."""

    compute: int
    memory: int
    starts: tuple[int, ...]


class MigProfile(NamedTuple):
    """A profile on a certain model; ``media`` says whether it takes the media engines, of which a card has one set."""

    compute: int
    memory: int
    starts: tuple[int, ...]
    media: bool


class CardModel(NamedTuple):
    """A model: its memory in MiB, the gigabytes its profiles are named by, its slices and cuts (none: no MIG)."""

    name: str
    memory: int
    gigabytes: int
    compute_slices: int = 0
    memory_slices: int = 0
    cuts: tuple[Cut, ...] = ()


_OF_SEVEN = (
    Cut(1, 1, (0, 1, 2, 3, 4, 5, 6)),
    Cut(1, 2, (0, 2, 4, 6)),
    Cut(2, 2, (0, 2, 4)),
    Cut(3, 4, (0, 4)),
    Cut(4, 4, (0,)),
    Cut(7, 8, (0,)),
)
_OF_FOUR = (Cut(1, 1, (0, 1, 2, 3)), Cut(2, 2, (0, 2)), Cut(4, 4, (0,)))


def _seven(name: str, memory: int, gigabytes: int) -> CardModel:
    return CardModel(name, memory, gigabytes, 7, 8, _OF_SEVEN)


def _four(name: str, memory: int, gigabytes: int) -> CardModel:
    return CardModel(name, memory, gigabytes, 4, 4, _OF_FOUR)


CARD_MODELS: tuple[CardModel, ...] = (
    _seven("A100-40GB", 40_960, 40),
    _seven("A100-80GB", 81_920, 80),
    _seven("H100-80GB", 81_559, 80),
    _seven("H100-94GB", 95_830, 94),
    _seven("H100-96GB", 97_871, 96),
    _seven("GH200-96GB", 97_871, 96),
    _seven("H20-96GB", 97_871, 96),
    _seven("H200-141GB", 143_771, 141),
    _seven("B200-180GB", 183_359, 180),
    _seven("GB200-186GB", 189_471, 186),
    _seven("B300-269GB", 275_040, 269),
    _seven("GB300-278GB", 284_208, 278),
    _four("A30-24GB", 24_576, 24),
    _four("RTX-PRO-6000-96GB", 97_887, 96),
    CardModel("T4-16GB", 15_360, 16),
    CardModel("V100-16GB", 16_160, 16),
    CardModel("V100-32GB", 32_510, 32),
    CardModel("A10-24GB", 23_028, 24),
    CardModel("A16-16GB", 15_356, 16),
    CardModel("A40-48GB", 46_068, 48),
    CardModel("L4-24GB", 23_034, 24),
    CardModel("L40-48GB", 46_068, 48),
    CardModel("L40S-48GB", 46_068, 48),
    CardModel("MI210-64GB", 65_520, 64),
    CardModel("MI300X-192GB", 196_592, 192),
    CardModel("MI325X-256GB", 262_128, 256),
    CardModel("GAUDI2-96GB", 98_304, 96),
    CardModel("GAUDI3-128GB", 131_072, 128),
)
"""The known models; of models with several memory sizes the first is meant where a name does not tell the size."""

_SPELLINGS = {("H100", "NVL"): "H100-94GB", ("GH200", "480GB"): "GH200-96GB"}
"""Products whose name tells the size in another way."""

_PROFILE = re.compile(PROFILE_FORM)
_SIZE = re.compile(r"([0-9]{1,4})GB?")


@lru_cache(maxsize=4096)
def find_model(text: str) -> CardModel | None:
    """Return the model a name means (``H100-80GB``, ``NVIDIA-H100-80GB-HBM3``, ``Tesla T4``), None if unknown."""
    words = re.split(r"[\s_()/-]+", text.upper())
    for spelling, name in _SPELLINGS.items():
        if all(word in words for word in spelling):
            return next(model for model in CARD_MODELS if model.name == name)
    size = next((int(match[1]) for match in map(_SIZE.fullmatch, words) if match), 0)
    for model in CARD_MODELS:
        family = model.name.split("-")[:-1]
        if all(word in words for word in family) and size in {0, model.gigabytes}:
            return model
    return None


@lru_cache(maxsize=4096)
def find_profile(model: CardModel, name: str) -> MigProfile | None:
    """Return what a profile's name means on a model; None if the model has no such slice."""
    match = _PROFILE.fullmatch(name)
    if match is None or not model.cuts:
        return None
    compute, gigabytes, media = int(match[1]), int(match[2]), "+me" in match[3]
    for cut in model.cuts:
        size = cut.memory * model.gigabytes
        off = abs(gigabytes * model.memory_slices - size)
        if cut.compute == compute and off * TOLERANCE <= size:
            return MigProfile(cut.compute, cut.memory, cut.starts, media)
    return None


@lru_cache(maxsize=4096)
def is_known_profile(name: str) -> bool:
    """Return whether any known model has such a slice."""
    return any(find_profile(model, name) is not None for model in CARD_MODELS)


def lay_out(model: CardModel, names: Sequence[str]) -> tuple[int, ...] | None:
    """Return where each slice of a fixed layout starts, in the order given; None if no card of the model can have it.

    Larger slices take the lowest start first; equal ones rise. At most one slice has the media engines.
    """
    if len(names) > MOST_SLICES:
        return None
    profiles = [find_profile(model, name) for name in names]
    known = [profile for profile in profiles if profile is not None]
    if len(known) < len(names) or sum(profile.media for profile in known) > 1:
        return None
    order = sorted(range(len(known)), key=lambda place: (-known[place].memory, -known[place].compute, place))
    starts = _starts([known[place] for place in order], 0)
    if starts is None:
        return None
    by_place = dict(zip(order, starts, strict=True))
    return tuple(by_place[place] for place in range(len(names)))


def _starts(profiles: list[MigProfile], taken: int) -> list[int] | None:
    """Return starts of the profiles beside the memory slices ``taken`` (a bit mask), lowest first; None: impossible."""
    if not profiles:
        return []
    profile = profiles[0]
    for start in profile.starts:
        mask = ((1 << profile.memory) - 1) << start
        if not taken & mask:
            rest = _starts(profiles[1:], taken | mask)
            if rest is not None:
                return [start, *rest]
    return None
