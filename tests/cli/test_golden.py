"""What every command prints, in every format, as files that a person has read."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Railwise

FORMATS = ("table", "wide", "json", "yaml")
SMALL = "small-mix.yaml"
TEAMS = "two-teams.yaml"

CASES = {
    "help": "--help",
    "version": "--version",
    "explain-all": "explain",
    "explain-all-json": "explain -o json",
    "explain-one": "explain TooFragmented",
    "explain-one-yaml": "explain NeverFits -o yaml",
    "plan-spread": f"plan {SMALL} --policy spread",
    "plan-large": "plan two-units.yaml",
    "why-waits": "why wide -f two-units.yaml",
    "why-waits-json": "why wide -f two-units.yaml -o json",
    "why-placed": "why llama -f two-units.yaml",
    "why-groups": "why serve two-units.yaml",
    "audit": f"audit {SMALL}",
    "audit-json": f"audit {TEAMS} -o json",
    "audit-well": "audit two-units.yaml",
    "why-pod": "why llama-3 -f two-units.yaml",
    "why-no-pod": "why pod/huge-3 -f two-units.yaml",
    "why-running": "why old -f two-units.yaml",
    "topology-large": "get topology two-units.yaml",
    "topology-planned": f"get topology {SMALL} --planned",
    "slots-planned": f"get slots {SMALL} --planned",
    "what-if-submit": f"plan {TEAMS} --what-if-submit one-more-job.yaml",
    "what-if-drain": f"plan {TEAMS} --what-if-drain gpu-[01-02]",
    "what-if-drain-json": f"plan {TEAMS} --what-if-drain gpu-10 -o json",
    "what-if-quota": f"plan {TEAMS} --what-if-quota nlp=gpu:40",
    "what-if-nothing": f"plan {SMALL} --what-if-quota night=8",
    "why-queue": f"why nlp -f {TEAMS}",
    "why-queue-yaml": f"why queue/guests -f {TEAMS} -o yaml",
    "queues-teams": f"get queues {TEAMS}",
    "queues-planned": f"get queues {TEAMS} --planned",
    "plan-evictions": "plan who-makes-room.yaml",
    "why-evictor": "why urgent -f who-makes-room.yaml",
    "defrag": "defrag fragmented.yaml",
    "defrag-json": "defrag -f fragmented.yaml --max-moves 1 -o json",
    "defrag-nothing": f"defrag {SMALL}",
    "simulate": "simulate one-day.yaml --policy railwise --policy spread",
    "simulate-yaml": "simulate one-day.yaml --until 90m -o yaml",
    "simulate-seeds": "simulate busy-day.yaml --policy railwise --policy spread --seeds 3 --resample jobs",
    "simulate-no-way": "simulate one-day.yaml --seeds 3 --resample nothing",
    "simulate-decisions": "simulate one-day.yaml --decisions -",
    "estimate-dense": "estimate --pattern dense --bytes 16Mi --nodes 16 --nic 400Gbps",
    "estimate-dense-json": "estimate --bytes 16Mi --nodes 16 --nvlink nvlink5 --nic-latency 15us -o json",
    "estimate-moe": "estimate --pattern moe --bytes 16Mi --nodes 4 --nic 50GBps --oversubscription 4",
    "estimate-workload": "estimate -f slow-uplinks.yaml --workload llama",
    "estimate-workload-moe": "estimate -f slow-uplinks.yaml --workload experts -o wide",
    "estimate-workload-yaml": "estimate -f slow-uplinks.yaml --workload llama -o yaml",
    "estimate-unlinked": "estimate -f two-units.yaml --workload llama",
    "estimate-silent": "estimate -f slow-uplinks.yaml --workload old",
    "estimate-unknown": "estimate -f slow-uplinks.yaml --workload lama",
    "estimate-bare": "estimate",
    "estimate-half": "estimate --workload llama",
    "estimate-bad-rate": "estimate --bytes 1Mi --nvlink 900",
    "init": "init -",
} | {
    f"{command.replace(' ', '-')}-{form}": f"{command} {SMALL} -o {form}"
    for command in ("plan", "get topology", "get nodes", "get workloads", "get queues", "get slots")
    for form in FORMATS
}


@pytest.mark.parametrize("name", CASES)
def test_output(name: str, railwise: Railwise, golden: Callable[[str, str], None]) -> None:
    done = railwise(*shlex.split(CASES[name]))
    golden(f"{name}.txt", done.transcript(f"railwise {CASES[name]}"))


def test_every_golden_is_somebodys() -> None:
    folder = Path(__file__).parent / "golden"
    assert {path.stem for path in folder.glob("*.txt")} == set(CASES)
