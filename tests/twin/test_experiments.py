"""The experiments that are published can be read, have the seeds they claim, and show what the page says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from railwise.cli.sweep import read_files, read_sweep_file
from railwise.engine.policies import by_name
from railwise.report import spreads
from railwise.twin.comparison import compare
from railwise.twin.resample import resample
from railwise.twin.sweep import cells_of
from railwise.twin.sweep_scenarios import collect, scenario_of
from tests.conftest import ROOT, SHARED

FOLDER = ROOT / "examples" / "experiments"
HOUR = 3_600_000_000
LATE = frozenset(range(40, 48))
CUT_OFF = frozenset(range(24, 32))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_can_be_read(path: Path) -> None:
    sweep = read_sweep_file(str(path))
    assert len(sweep.seeds) >= 10
    assert {"railwise", "flat", "affinity"} <= set(sweep.policies)
    assert sweep.against == "railwise"
    assert sweep.name == path.stem
    assert all(by_name(policy) is not None for policy in sweep.policies if policy != "railwise")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "nodes", "gangs", "part"), [("lingjun-itp", 64, 56, 54), ("lingjun-philly", 88, 18, 74)]
)
def test_those_on_published_data_have_their_gangs(name: str, nodes: int, gangs: int, part: int) -> None:
    if not (SHARED / "traces").is_dir():
        pytest.skip("needs ../shared/traces")
    sweep = read_sweep_file(str(FOLDER / f"{name}.yaml"))
    material = collect(sweep, read_files(FOLDER))
    cells = cells_of(sweep, material)
    assert len(cells) == sweep.size()
    scenario = scenario_of(sweep, cells[0].variant.settings, material.read)
    sizes = spreads.sizes(scenario)
    assert len(scenario.nodes) == nodes
    assert all(level.uplink for level in scenario.topologies[0].levels[1:])
    cards = {one.name: sizes.gpus[job] * one.duration for job, one in enumerate(scenario.workloads)}
    found = [one.name for one in scenario.workloads if one.traffic is not None]
    assert len(found) == gangs
    assert round(100 * sum(cards[name] for name in found) / sum(cards.values())) == part


@pytest.mark.slow
def test_who_notices_the_rack_that_joins_and_the_one_that_is_gone() -> None:
    sweep = read_sweep_file(str(FOLDER / "growing-cluster.yaml"))
    scenario = scenario_of(sweep, (), collect(sweep, read_files(FOLDER)).read)
    for run in compare(lambda seed: resample(scenario, seed, "shuffle"), sweep.policies, (3,)):
        on_late = [one.start for one in run.data.stints if LATE & {node for node, _ in one.places}]
        after = [
            one for one in run.data.stints if one.start >= 30 * HOUR and CUT_OFF & {node for node, _ in one.places}
        ]
        assert not after, run.data.policy
        unfinished = sum(1 for one in run.data.jobs if one.end < 0)
        if run.data.policy == "affinity":
            assert not on_late
            assert unfinished > 0
        else:
            assert min(on_late) == 8 * HOUR, run.data.policy
            assert unfinished == 0, run.data.policy
