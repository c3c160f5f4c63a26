"""What was learned from history: a table of the pods that usually come, and the part of a scenario that says so."""

from __future__ import annotations

from collections.abc import Sequence

from railwise.formats.scenario.writer import mix_document
from railwise.model.policy import MixPod
from railwise.model.quantity import format_cpu, format_thousandths
from railwise.report.table import Column, Table, row, table


def learned_document(mix: Sequence[MixPod], sizes: Sequence[tuple[int, int]]) -> dict[str, object]:
    """Return the part of a scenario with mix and sizes."""
    policy: dict[str, object] = {"sizes": {str(size): count for size, count in sizes}} if sizes else {}
    return {"spec": {"policy": policy | {"mix": mix_document(tuple(mix))}}}


def learned_lines(
    workloads: int, pods: int, kinds: int, left_out: int, sizes: Sequence[tuple[int, int]], cover: int
) -> list[str]:
    """Return what stands above the table."""
    lines = [f"{workloads:,} workloads, {pods:,} pods of {kinds:,} kinds; shown are the commonest for {cover} %."]
    if left_out:
        lines.append(f"Left out: {left_out:,} pods with slices or shares by memory, which no mix describes.")
    if sizes:
        told = ", ".join(f"{size} × {count:,}" for size, count in sizes)
        lines.append(f"Sizes in whole cards: {told}.")
    return [*lines, ""]


def learned_table(mix: Sequence[MixPod], pods: int) -> Table:
    """Return a row a kind of pod, the commonest first."""
    columns: list[Column | str] = [
        Column("PODS", right=True),
        Column("PART", right=True),
        Column("GPU", right=True),
        Column("CPU", right=True),
        "MODEL",
    ]
    rows = [
        row(
            f"{pod.weight:,}",
            f"{100 * pod.weight / pods:.1f} %",
            format_thousandths(pod.gpu) if pod.gpu else "",
            format_cpu(pod.cpu) if pod.cpu else "",
            ", ".join(pod.models),
        )
        for pod in mix
    ]
    return table(columns, rows)
