"""The runs of a sweep: which there are, what each is known by, and what living through one comes to.

A run is known by a digest of everything that its numbers follow from: the scenario with what was set, policy, seed, how
arrivals are drawn, when it stops, and this version. Results are kept under it, so that a sweep that was stopped goes on
where it was, and whoever adds a seed or a policy pays for that alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

import railwise
from railwise.formats.sweep.model import Setting, Sweep, Variant
from railwise.model.scenario import Scenario
from railwise.twin.comparison import compare
from railwise.twin.contended_pace import ContendedPace
from railwise.twin.metrics import Numbers
from railwise.twin.resample import resample
from railwise.twin.sweep_scenarios import Material, scenario_of

__all__ = ["Cell", "Numbers", "Runner", "cells_of"]

KEPT_SCENARIOS: Final = 2
"""So many scenarios are kept for the next run; runs of one variant follow one another."""


class Cell(NamedTuple):
    """One run: its place in the sweep, variant, policy, seed, and the digest of its input (64 hex digits)."""

    number: int
    variant: Variant
    policy: str
    seed: int
    digest: str

    def name(self) -> str:
        """Return what a person calls it: ``policy.backfill=easy railwise seed 3``."""
        return " ".join([*(f"{axis}={label}" for axis, label in self.variant.labels), self.policy, f"seed {self.seed}"])


def cells_of(sweep: Sweep, material: Material) -> list[Cell]:
    """Return all runs: variant by variant, policy by policy, seed by seed."""
    known = {
        f"{' '.join(beside)}>{name}": [(file.rpartition("/")[2], sha256(data).hexdigest()) for file, data in files]
        for (name, beside), files in sorted(material.files.items())
    }
    cells: list[Cell] = []
    for variant in sweep.variants():
        base = _input(sweep, variant, known)
        for policy in sweep.policies:
            for seed in sweep.seeds:
                text = json.dumps({**base, "policy": policy, "seed": seed}, sort_keys=True, default=str)
                cells.append(Cell(len(cells), variant, policy, seed, sha256(text.encode()).hexdigest()))
    return cells


def _input(sweep: Sweep, variant: Variant, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the numbers of a variant follow from, but for policy and seed; of the files those it may read."""
    given = dict(variant.settings)
    files = given.get("scenario", sweep.scenario)
    if sweep.trace is not None:
        files = (given.get("cluster", sweep.cluster), *sweep.trace.files)
    inline = isinstance(files, dict)
    beside = "" if inline else " ".join(files[:1] if sweep.trace is not None else files)
    return {
        "railwise": railwise.__version__,
        "scenario": files,
        "trace": None if sweep.trace is None else asdict(sweep.trace),
        "settings": sorted((key, value) for key, value in variant.settings if key not in ("scenario", "cluster")),
        "resample": sweep.resample,
        "until": sweep.until,
        "files": {
            key: value
            for key, value in known.items()
            if key.partition(">")[0] == beside or (key.startswith(">") and (inline or key[1:] in files))
        },
    }


class Runner:
    """Lives through runs; makes the scenario of a variant once for all runs of it that come to the same runner."""

    def __init__(self, sweep: Sweep, material: Material) -> None:
        """Keep what scenarios are made from."""
        self.sweep: Final = sweep
        self.material: Final = material
        self._made: Final[dict[str, Scenario]] = {}

    def live(self, cell: Cell) -> Numbers:
        """Return the measures of a run. Raises InputError where its scenario cannot be made."""
        scenario = self._scenario(cell.variant.settings)
        way = self.sweep.resample

        def drawn(seed: int) -> Scenario:
            return resample(scenario, seed, *way) if way else replace(scenario, seed=seed)

        (run,) = compare(drawn, (cell.policy,), (cell.seed,), self.sweep.until, pace=ContendedPace)
        return dict(run.data.measures)

    def _scenario(self, settings: tuple[Setting, ...]) -> Scenario:
        key = json.dumps(settings, default=str)
        if key not in self._made:
            while len(self._made) >= KEPT_SCENARIOS:
                self._made.pop(next(iter(self._made)))
            self._made[key] = scenario_of(self.sweep, settings, self.material.read)
        return self._made[key]
