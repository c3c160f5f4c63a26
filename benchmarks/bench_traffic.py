"""How well the traffic model fits measured AllReduce tables: each row predicted by a fit that has not seen it.

python -m benchmarks.run --only nccl-fit     the number with the bar
python -m benchmarks.bench_traffic           all errors of all tables, as the documentation shows them
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.measured_tables import TABLES, measured_systems
from benchmarks.result import Bars, Quantity, Result
from railwise.traffic.calibration import error_without_own_row, fit_terms, mean_error, shared_ramp
from railwise.traffic.datasheet import Constants, data_sheet_error, derive

GOOD_ERROR = 0.10
LONG_MESSAGE = 16 << 20


def nccl_fit() -> Result:
    """Return the number of the seven tables whose rows are predicted within 10 % on average by the other rows."""
    if not TABLES.is_file():
        print(f"nccl-fit: skipped, {TABLES.parent.name} is not there")
        return Result(0, "tables", Quantity.PLAIN)
    errors = [error_without_own_row(system.samples) for system in measured_systems().values()]
    good = sum(error <= GOOD_ERROR for error in errors)
    return Result(good, "of 7 tables", Quantity.PLAIN, bars=Bars(pure=6, compiled=6))


def report() -> list[str]:
    """Return all errors as a Markdown table, in per cent."""
    systems = measured_systems()
    ramp, shared = shared_ramp([system.samples for system in systems.values()])
    lines = [
        "| system | α + S/β | with γ√S | rows unseen | γ of the others | data sheets | data sheets, 16 MiB up |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for (name, system), own in zip(systems.items(), shared, strict=True):
        table = system.samples
        blind = derive([other for key, other in systems.items() if key != name])
        long = replace(system, samples=tuple(row for row in table if row.size >= LONG_MESSAGE))
        figures = [
            mean_error(fit_terms(table, root=False), table),
            mean_error(fit_terms(table), table),
            error_without_own_row(table),
            own.blind_error,
            data_sheet_error(system, blind),
            data_sheet_error(long, blind),
        ]
        lines.append(f"| {name} | " + " | ".join(f"{100 * figure:.1f}" for figure in figures) + " |")
    lines.append(f"\nshared √S share: {ramp} thousandths; constants of all systems: {derive(list(systems.values()))}")
    lines.append(f"constants in use: {Constants()}")
    return lines


BENCHMARKS: dict[str, Callable[[], Result]] = {"nccl-fit": nccl_fit}
"""What is measured here."""

if __name__ == "__main__":
    print("\n".join(report()))
