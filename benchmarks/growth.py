"""How the cost of a decision grows with the cluster: the same mix of workloads on 1,000, 10,000 and 100,000 nodes.

python -m benchmarks.growth          the table
python -m benchmarks.growth --write  the same, and into docs/explanation/speed.md
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import railwise
from benchmarks.calibration import REFERENCE_SPEED
from benchmarks.mix import RACK, SUPERPOD, cluster, steps
from benchmarks.replay import replay
from benchmarks.trace import made_trace

PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "speed.md"

DECISIONS = 4_000
"""Decisions measured on each cluster."""

REPEATS = 2

SIZES = {"1k": (64, 1), "10k": (640, 10), "100k": (6_400, 20)}
"""Racks and spines of each cluster."""

HEADER = (
    "| build | nodes | decisions/s | for each thousand rounds of calibration | cost of one, against 1,000 nodes |",
    "|---|---:|---:|---:|---:|",
)


@dataclass(frozen=True, slots=True)
class Size:
    """One cluster: nodes, decisions per second, and the speed of the machine in rounds of calibration per second."""

    nodes: int
    rate: float
    speed: float

    def ratio(self) -> float:
        """Return decisions per thousand rounds of calibration."""
        return self.rate / self.speed * 1000


@cache
def measure(name: str) -> Size:
    """Measure one cluster of ``SIZES``: decisions are placements and refusals."""
    racks, spines = SIZES[name]
    trace = made_trace(cluster(racks, racks // SUPERPOD, spines), steps(racks, DECISIONS))
    outcome = replay(trace, REPEATS)
    return Size(racks * RACK, (outcome.placed + outcome.refused) / outcome.seconds, outcome.pace)


def rows(sizes: Sequence[Size], build: str) -> list[str]:
    """Return the lines of the table for one build; decisions/s as on the machine on which the bars were set."""
    smallest = sizes[0].ratio()
    return [
        f"| {build} | {size.nodes:,} | {size.ratio() * REFERENCE_SPEED / 1000:,.0f} | {size.ratio():,.0f} "
        f"| {smallest / size.ratio():.2f} |"
        for size in sizes
    ]


def renewed(page: str, lines: Sequence[str], build: str) -> str:
    """Return the page with the table's lines of this build replaced; those of the other build stay.

    Raises:
        ValueError: the page has no such table.
    """
    table = re.compile(rf"{re.escape(HEADER[0])}\n{re.escape(HEADER[1])}\n((?:\|.*\n)*)")
    found = table.search(page)
    if found is None:
        raise ValueError("the page has no table of growth")
    kept = [line for line in found[1].splitlines() if not line.startswith(f"| {build} ")]
    both = [*kept, *lines] if build == "compiled" else [*lines, *kept]
    return page[: found.start()] + "\n".join((*HEADER, *both)) + "\n" + page[found.end() :]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table for this build, and write it into the page where asked."""
    parser = argparse.ArgumentParser(prog="growth", description="Decisions per second by size of the cluster")
    parser.add_argument("--write", action="store_true", help=f"renew the table in {PAGE.name}")
    write = parser.parse_args(arguments).write
    build = railwise.build_kind()
    lines = rows([measure(name) for name in SIZES], build)
    print("\n".join((*HEADER, *lines)))
    if write:
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), lines, build), encoding="utf-8")


if __name__ == "__main__":
    main()
