"""Traces are read and played as their description says, and the mix that is made up is what it claims to be."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks import replay as replaying
from benchmarks.growth import HEADER, Size, renewed, rows
from benchmarks.mix import CARDS, RACK, cluster, steps
from benchmarks.replay import cycles, play, replay
from benchmarks.trace import made_trace, read_trace
from railwise.engine.cycle import Engine, Finish, Submit
from railwise.model.plan import State

SPEC: dict[str, Any] = {
    "topologies": [{"name": "fabric", "levels": ["rack"]}],
    "nodes": [{"name": "n[1-2]", "gpus": 8, "in": {"rack": "r[1-2]"}}],
}


def _submit(name: str, gpus: int) -> dict[str, Any]:
    return {"submit": {"name": name, "pods": 1, "request": {"gpu": gpus}}}


STEPS = [
    _submit("a", 8),
    {"measure": True},
    _submit("b", 8),
    _submit("too-late", 1),
    {"finish": "a"},
    _submit("c", 4),
    {"finish": "too-late"},
    _submit("d", 4),
    {"finish": "d"},
]


def test_only_what_is_placed_at_once_after_the_mark_counts() -> None:
    trace = made_trace(SPEC, STEPS)
    assert trace.warm_up == 1
    assert trace.scenario.workloads == ()
    outcome = replay(trace)
    assert (outcome.placed, outcome.refused) == (3, 1)
    assert outcome.rate() == 3 / outcome.seconds


def test_a_workload_that_is_not_placed_at_once_is_withdrawn() -> None:
    trace = made_trace(SPEC, STEPS)
    engine = Engine(trace.scenario)
    states = [(given[-1], plan.workloads[-1].state) for given, plan in cycles(engine, trace.events)]
    assert [state for _, state in states] == [State.PLACED, State.PLACED, State.PENDING, State.PLACED, State.PLACED]
    assert {"too-late", "d"}.isdisjoint(engine.records)


def test_the_end_of_one_part_is_not_lost_before_the_next() -> None:
    trace = made_trace(SPEC, STEPS)
    engine = Engine(trace.scenario)
    parts = [trace.events[start : start + 2] for start in range(0, len(trace.events), 2)]
    assert [play(engine, part).placed for part in parts] == [2, 0, 1, 1]
    assert set(engine.records) == {"b", "c"}


def test_of_several_repetitions_the_best_of_each_stretch_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "STRETCH", 1)
    ticks = iter([0, 9, 0, 1, 1, 5, 0, 9, 0, 3, 3, 5])
    monkeypatch.setattr(replaying, "process_time", lambda: next(ticks))
    paces = iter([100.0, 100.0, 30.0, 30.0, 100.0, 100.0, 100.0, 100.0])
    monkeypatch.setattr(replaying, "pace", lambda: next(paces))
    steps_after = [{"measure": True}, _submit("a", 1), _submit("b", 1), _submit("c", 1), _submit("d", 1)]
    trace = made_trace(SPEC, steps_after)
    outcome = replay(trace, repeats=2)
    assert outcome.placed == 4
    assert outcome.seconds == 1 + 4
    assert outcome.rounds() == 1 * 100 + 4 * 30


def test_a_trace_is_read_from_its_file(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "small.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(step)}\n" for step in [{"scenario": SPEC}, *STEPS])
    assert read_trace("small", tmp_path) == made_trace(SPEC, STEPS)


def test_the_mix_fills_the_cluster_and_keeps_it_full() -> None:
    racks, measured = 64, 400
    trace = made_trace(cluster(racks, 4, 1), steps(racks, measured))
    sizes = {
        event.workload.name: event.workload.root.pods * event.workload.root.request.cards.count
        for event in trace.events
        if isinstance(event, Submit)
    }
    assert sum(isinstance(event, Submit) for event in trace.events[trace.warm_up :]) == measured
    used = 0
    for number, event in enumerate(trace.events):
        used += sizes[event.workload.name] if isinstance(event, Submit) else -sizes[event.name]
        if number >= trace.warm_up:
            assert 0.8 <= used / (racks * RACK * CARDS) <= 1
    kinds: Counter[str] = Counter()
    for event in trace.events:
        if isinstance(event, Submit):
            pods, cards = event.workload.root.pods, event.workload.root.request.cards.count
            kinds["single" if pods == 1 else "whole" if cards == CARDS else "part"] += 1
    total = kinds.total()
    assert abs(kinds["single"] / total - 0.60) < 0.06
    assert abs(kinds["part"] / total - 0.08) < 0.04
    assert play(Engine(trace.scenario), trace.events).placed > 0.9 * total
    assert trace == made_trace(cluster(racks, 4, 1), steps(racks, measured))
    assert any(isinstance(event, Finish) for event in trace.events)


def test_the_table_of_growth_keeps_the_rows_of_the_other_build() -> None:
    page = (
        "# Speed\n\n"
        + "\n".join((*HEADER, "| pure | 1 | 1 | 1 | 1.00 |", "| compiled | 1 | 1 | 1 | 1.00 |"))
        + "\n\nend\n"
    )
    lines = rows([Size(1_024, 5_700.0, 28_500.0), Size(10_240, 2_850.0, 28_500.0)], "pure")
    assert lines == ["| pure | 1,024 | 5,700 | 200 | 1.00 |", "| pure | 10,240 | 2,850 | 100 | 2.00 |"]
    expected = "# Speed\n\n" + "\n".join((*HEADER, *lines, "| compiled | 1 | 1 | 1 | 1.00 |")) + "\n\nend\n"
    assert renewed(page, lines, "pure") == expected
    assert renewed(expected, lines, "pure") == expected
    with pytest.raises(ValueError, match="no table"):
        renewed("# Speed\n", lines, "pure")
