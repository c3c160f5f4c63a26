"""No GPU-second is lost or invented, with failures, evictions, checkpoints and contention in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from benchmarks.arrivals import stream
from railwise.formats.decision_log import log_text
from railwise.model.policy import MINUTE, Change
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology
from railwise.model.workload import Checkpoint, Traffic, Workload
from railwise.twin.contended_pace import ContendedPace
from railwise.twin.pace import Rate
from railwise.twin.simulation import Simulation
from railwise.twin.watching import Moment

ROOT = Path(__file__).resolve().parents[2]
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})
GIGA = 1000


def busy(seed: int) -> Scenario:
    """Return a day on which everything goes wrong: narrow uplinks, nodes that fail, work that has to make room."""
    random = Random(seed)
    made = stream(32, 50, 3.0, seed)
    levels = [replace(level, uplink=200 * GIGA) for level in made.topologies[0].levels]

    def varied(workload: Workload) -> Workload:
        saves = Checkpoint(random.choice([2, 15]) * MINUTE, random.choice([0, 1]) * MINUTE)
        return replace(
            workload,
            priority=random.choice([0, 0, 5, 10]),
            preemptible=random.random() < 0.7,
            checkpoint=saves if random.random() < 0.6 else None,
            traffic=DENSE if workload.root.request.cards.count == 8 else None,
        )

    changes: list[Change] = []
    for _ in range(8):
        node, at = random.choice(made.nodes).name, random.randint(1, 300)
        changes += [Change((at + later) * MINUTE, "node", (node,), {"ready": later > 0}) for later in (0, 20)]
    return replace(
        made,
        topologies=(Topology(made.topologies[0].name, tuple(levels), 3200 * GIGA),),
        workloads=tuple(varied(workload) for workload in made.workloads),
        changes=tuple(sorted(changes, key=lambda change: change.at)),
    )


class _Work:
    """Adds up, from what it is told at each moment, the work that was done: pods times pace times µs."""

    def __init__(self) -> None:
        self.done: dict[str, Fraction] = {}
        self.slowed = 0
        self._rates: dict[str, tuple[Fraction, int]] = {}
        self._paces: dict[str, Fraction] = {}
        self._last = 0

    def heard(self, news: Mapping[str, Rate]) -> None:
        """Take note of new paces."""
        self._paces.update({name: Fraction(*rate) for name, rate in news.items()})
        self.slowed += sum(rate[0] < rate[1] for rate in news.values())

    def see(self, simulation: Simulation, moment: Moment) -> None:
        for name, (rate, busy_from) in self._rates.items():
            self.done[name] = self.done.get(name, Fraction(0)) + rate * max(moment.at - max(self._last, busy_from), 0)
        self._last = moment.at
        for name in moment.ended:
            self._rates.pop(name, None)
        for name in [*self._rates, *moment.changed]:
            record = simulation.engine.records.get(name)
            pods = 0 if record is None or record.short() else len(record.pods)
            waits = self._rates.get(name, (Fraction(0), 0))[1]
            if record is not None and name in moment.started and name in self.done and record.workload.checkpoint:
                restores = record.workload.checkpoint.restore if simulation.work(name).done else 0
                waits = moment.at + restores
            self._rates[name] = (pods * self._paces.get(name, Fraction(1)), waits)


class _Paced:
    """A model of slowdown that somebody listens to."""

    def __init__(self, work: _Work, pace: ContendedPace) -> None:
        self.work, self.pace = work, pace

    def rates(self, changed: Sequence[str], now: int) -> Mapping[str, Rate]:
        news = self.pace.rates(changed, now)
        self.work.heard(news)
        return news


def lived(seed: int) -> tuple[Simulation, _Work]:
    work = _Work()
    simulation = Simulation(busy(seed), pace=lambda engine: _Paced(work, ContendedPace(engine)), watch=work)
    simulation.run()
    return simulation, work


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 6])
def test_work_is_conserved(first: int) -> None:
    evictions = slowed = lost = 0
    for seed in range(first, first + 6):
        simulation, work = lived(seed)
        for workload in simulation.scenario.workloads:
            progress = simulation.work(workload.name)
            assert work.done.get(workload.name, 0) == progress.done + progress.lost - progress.brought
            lost += progress.lost > 0
            if workload.name in simulation.history.ended:
                assert 0 <= progress.done - progress.total < progress.pods
        evictions += len(simulation.history.evictions)
        slowed += work.slowed
    assert evictions
    assert slowed
    assert lost > 12, "failures lose work too"


def digest(first: int, last: int) -> str:
    """Return a digest of the decisions of some runs."""
    text = "".join(log_text(lived(seed)[0].history.decisions) for seed in range(first, last))
    return sha256(text.encode()).hexdigest()


@pytest.mark.slow
def test_another_hash_seed_gives_the_same_decisions() -> None:
    code = "from tests.twin.test_conserved import digest; print(digest(0, 3))"
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == digest(0, 3)
