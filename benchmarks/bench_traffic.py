"""How well the traffic model fits what was measured: each row predicted by a fit that has not seen it.

python -m benchmarks.run --only nccl-fit         AllReduce tables within 10 %, the number with the bar
python -m benchmarks.run --only placement-order  pairs of placements in the right order, likewise
python -m benchmarks.bench_traffic               all errors of all tables, as the documentation shows them
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.measured_places import POLLUX, SIA, measured_places
from benchmarks.measured_tables import TABLES, measured_systems
from benchmarks.result import Bars, Quantity, Result
from railwise.traffic.calibration import error_without_own_row, fit_terms, mean_error, shared_ramp
from railwise.traffic.datasheet import Constants, data_sheet_error, derive
from railwise.traffic.profiles import blind_table, blind_terms, measured_again, order_kept

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


def placement_order() -> Result:
    """Return the share (%) of pairs of placements, measured to differ by more than 10 %, in the order predicted.

    A placement is known by what it showed at other batch sizes (``profiles.blind_table``); ``orders`` shows what terms
    alone make of placements that nobody measured.
    """
    if not (POLLUX.is_file() and SIA.is_file()):
        print("placement-order: skipped, the profiles are not there")
        return Result(0, "% of pairs", Quantity.PLAIN)
    right = pairs = 0
    for rows in measured_places().values():
        kept, of = order_kept(rows, blind_table(rows))
        right, pairs = right + kept, pairs + of
    return Result(100 * right / pairs, "% of pairs", Quantity.PLAIN, bars=Bars(pure=90, compiled=90))


def orders() -> list[str]:
    """Return how many pairs of placements are ordered as measured, as a Markdown table, in per cent."""
    ways = (blind_table, blind_terms, measured_again)
    right: dict[str, list[int]] = {}
    pairs: dict[str, int] = {}
    for (fabric, _), rows in measured_places().items():
        counts = [order_kept(rows, way(rows)) for way in ways]
        for name in (fabric, "all"):
            before = right.get(name, [0] * len(ways))
            right[name] = [had + kept for had, (kept, _) in zip(before, counts, strict=True)]
            pairs[name] = pairs.get(name, 0) + counts[0][1]
    lines = [
        "| fabric | pairs | batch size unseen | placement unseen | measured again |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in sorted(right, key=lambda name: (name == "all", name)):
        if pairs[name]:
            shares = " | ".join(f"{100 * kept / pairs[name]:.1f}" for kept in right[name])
            lines.append(f"| {name} | {pairs[name]:,} | {shares} |")
    return lines


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


BENCHMARKS: dict[str, Callable[[], Result]] = {"nccl-fit": nccl_fit, "placement-order": placement_order}
"""What is measured here."""

if __name__ == "__main__":
    print("\n".join([*report(), "", *orders()]))
