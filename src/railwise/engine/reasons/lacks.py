"""What keeps one pod away from one node: the first that applies, in the order in which reasons name them."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.fit import whole_banks
from railwise.engine.cluster.room import Room
from railwise.engine.cluster.shapes import KIND_NONE, KIND_SHARE, KIND_WHOLE, Shape, unlisted
from railwise.engine.cluster.shares import share_cards

FITS: Final = "fits"

_ORDER: Final = ("notReady", "cordoned", "taint", "selector", "model", "gpu", "cpu", "memory", "pods")


def first_lack(shape: Shape, room: Room) -> str:
    """Return what an open room lacks first for one pod of a shape, ``fits`` for nothing.

    It says ``fits`` just where ``Rooms.fits`` finds room, without making the room that would be left.
    """
    if shape.kind != KIND_NONE:
        if room.spec.cards and not shape.any_card and not room.spec.banks_for(shape):
            return "model"
        if not _has_cards(shape, room):
            return "gpu"
    if room.cpu < shape.cpu:
        return "cpu"
    if room.memory < shape.memory:
        return "memory"
    if room.pods < shape.pods:
        return "pods"
    if shape.others:
        have = dict(room.others)
        for name, amount in shape.others:
            if have.get(name, unlisted(name)) < amount:
                return name
        for name, amount in room.others:
            if amount < 0:
                return name
    return FITS


def _has_cards(shape: Shape, room: Room) -> bool:
    if shape.kind == KIND_WHOLE:
        return bool(whole_banks(shape, room))
    return shape.kind == KIND_SHARE and bool(share_cards(shape, room))


def in_order(counts: dict[str, int]) -> dict[str, int]:
    """Return counts in the order in which the filters apply, those of other resources by name, without zeros."""
    others = sorted(name for name in counts if name not in _ORDER and name != FITS)
    return {name: counts[name] for name in (*_ORDER, *others, FITS) if counts.get(name)}
