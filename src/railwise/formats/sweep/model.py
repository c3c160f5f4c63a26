"""What a sweep says: one scenario, and the axes along which it is varied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

Setting = tuple[str, Any]
"""A key (``load``, ``nodes``, … or a path such as ``spec.policy.backfill``) and the value it gets."""

Labels = tuple[tuple[str, str], ...]
"""What tells a variant from others: the name of each axis with several values, and what its value is called there."""


class Choice(NamedTuple):
    """One value of an axis: what it is called in tables, and what it sets."""

    label: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Axis:
    """One thing that is varied: its name, and its values in the order of the document (at least one)."""

    name: str
    choices: tuple[Choice, ...]


class Variant(NamedTuple):
    """One value of every axis."""

    labels: Labels
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Trace:
    """A job stream: the kind of its loader, the paths of its files, and what is read of it. Times are µs, 0: no bound.

    ``assume`` holds ``KEY=VALUE`` texts.
    """

    kind: str
    files: tuple[str, ...]
    jobs: int = 0
    start: int = 0
    until: int = 0
    skip_bad: bool = False
    assume: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sweep:
    """A whole sweep. ``until`` is µs (0: until nothing happens), ``resample`` a way with its block in µs or None.

    ``scenario`` is a mapping (the spec itself) or the paths of files that are read together. With a ``trace`` it is
    empty, and ``cluster`` says where the stream runs (empty: on a flat cluster of fitting size). ``against`` is the
    policy that the others are compared with.
    """

    name: str
    scenario: tuple[str, ...] | dict[str, Any]
    policies: tuple[str, ...]
    against: str
    seeds: tuple[int, ...]
    resample: tuple[str, int] | None = None
    until: int = 0
    axes: tuple[Axis, ...] = ()
    trace: Trace | None = None
    cluster: str = ""

    def variants(self) -> Iterator[Variant]:
        """Return every combination of values, the last axis varying fastest; an axis of one value needs no label."""
        for choices in product(*(axis.choices for axis in self.axes)):
            pairs = zip(self.axes, choices, strict=True)
            labels = tuple((axis.name, one.label) for axis, one in pairs if len(axis.choices) > 1)
            yield Variant(labels, tuple(setting for one in choices for setting in one.settings))

    def size(self) -> int:
        """Return the number of runs: variants × policies × seeds."""
        count = len(self.policies) * len(self.seeds)
        for axis in self.axes:
            count *= len(axis.choices)
        return count
