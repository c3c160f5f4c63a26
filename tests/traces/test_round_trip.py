from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_text
from railwise.formats.traces.queue_mix import with_queue
from railwise.formats.traces.registry import convert

DATA_SETS = {
    "alibaba-lingjun-2023": ("topo.csv.gz",),
    "zhejianglab-a100-2000": ("cluster_topology.csv.gz", "gpu_nic_info.csv.gz"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DATA_SETS))
def test_an_imported_map_with_its_queue_comes_back_from_its_file(name: str, shared: Callable[[str], Path]) -> None:
    files = {file: shared(f"traces/{name}/{file}").read_bytes() for file in DATA_SETS[name]}
    scenario = with_queue(convert("", files), "mixed:200")
    (document,) = load(scenario_text(scenario).encode(), "map.yaml")
    found = read_scenario(document.value, "map.yaml")
    assert replace(found, warnings=()) == scenario
