"""Run benchmarks and print a table and, for machines, one JSON line each (``make bench``).

Every ``benchmarks/bench_*.py`` exposes ``BENCHMARKS``, a mapping of names to functions that measure and return a
``Result``. The calibration loop runs before and after each, since a shared machine may change its speed in between.

    python -m benchmarks.run                    all
    python -m benchmarks.run --only decide-10k  one, or all whose names begin with this and a hyphen
    python -m benchmarks.run --strict           exit 1 when a bar is missed
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import railwise
from benchmarks.calibration import REFERENCE_SPEED, speed
from benchmarks.result import Result

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Line:
    """One result with the speed of the machine while it was measured."""

    name: str
    result: Result
    build: str
    speed: float

    def verdict(self) -> str:
        """Return ``met``, ``MISSED`` or nothing where no bar is set."""
        reached = self.result.reaches(self.build, self.speed, REFERENCE_SPEED)
        return "" if reached is None else "met" if reached else "MISSED"

    def json(self) -> str:
        """Return the line for machines."""
        document = {
            "name": self.name,
            "value": self.result.value,
            "unit": self.result.unit,
            "build": self.build,
            "ratio": round(self.result.ratio(self.speed), 4),
            "higherIsBetter": self.result.higher_is_better,
            "bar": self.result.bar(self.build),
            "barMet": self.result.reaches(self.build, self.speed, REFERENCE_SPEED),
        }
        return json.dumps(document)

    def cells(self) -> list[str]:
        """Return the line for people."""
        bar = self.result.bar(self.build)
        sign = "≥" if self.result.higher_is_better else "≤"
        return [
            self.name,
            f"{self.result.value:,.4g}" if self.result.value < 1000 else f"{self.result.value:,.0f}",  # noqa: PLR2004
            self.result.unit,
            self.build,
            f"{self.result.ratio(self.speed):,.4g}",
            "" if bar is None else f"{sign} {bar:,g}",
            self.verdict(),
        ]


def registered(folder: Path = FOLDER) -> dict[str, Callable[[], Result]]:
    """Return every benchmark by name.

    Raises:
        ValueError: two modules use the same name.
    """
    found: dict[str, Callable[[], Result]] = {}
    for path in sorted(folder.glob("bench_*.py")):
        module = importlib.import_module(f"{folder.name}.{path.stem}")
        for name, measure in module.BENCHMARKS.items():
            if name in found:
                raise ValueError(f"{path.name}: a benchmark named {name!r} exists already")
            found[name] = measure
    return found


def measured(name: str, measure: Callable[[], Result]) -> Line:
    """Run one benchmark between two calibrations, or beside those that it makes itself."""
    before = speed()
    result = measure()
    return Line(name, result, railwise.build_kind(), result.speed or (before + speed()) / 2)


def table(lines: list[Line]) -> str:
    """Return the results as a table: text to the left, numbers to the right."""
    rows = [["benchmark", "value", "unit", "build", "ratio", "bar", ""], *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    right = {1, 4, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def matches(name: str, only: str | None) -> bool:
    """Tell whether a benchmark is asked for by its own name or by the beginning it shares with others."""
    return only is None or name == only or name.startswith(f"{only}-")


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="Railwise benchmarks")
    parser.add_argument("--only", metavar="NAME", help="run one benchmark, or those named NAME-…")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bar is missed")
    chosen = parser.parse_args(arguments)
    known = registered()
    asked = {name: measure for name, measure in known.items() if matches(name, chosen.only)}
    if chosen.only is not None and not asked:
        names = ", ".join(known) or "none"
        sys.stderr.write(f"error: no benchmark named {chosen.only!r}\nhint: there are {names}\n")
        return 2
    lines = []
    for name, measure in asked.items():
        lines.append(measured(name, measure))
        print(lines[-1].json(), flush=True)
    print(f"\n{table(lines)}")
    print(
        "\nratio: per thousand rounds of the calibration loop (rates), thousands of rounds (durations), as is (others);"
        "\nbars: for a machine of the reference speed, the value is scaled to it by the calibration."
    )
    return 1 if chosen.strict and any(line.verdict() == "MISSED" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
