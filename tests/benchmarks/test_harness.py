"""The benchmark harness compares like with like."""

from __future__ import annotations

import json

import pytest

from benchmarks import run
from benchmarks.calibration import one_round, pace, speed
from benchmarks.result import Bars, Quantity, Result
from benchmarks.run import Line

REFERENCE = 1000.0


def test_a_machine_twice_as_quick_gives_the_same_ratios() -> None:
    assert Result(50.0, "decisions/s").ratio(REFERENCE) == Result(100.0, "decisions/s").ratio(2 * REFERENCE)
    slow, quick = (Result(value, "s", Quantity.DURATION, higher_is_better=False) for value in (4.0, 2.0))
    assert slow.ratio(REFERENCE) == quick.ratio(2 * REFERENCE)
    assert Result(0.9, "share", Quantity.PLAIN).ratio(REFERENCE) == Result(0.9, "share", Quantity.PLAIN).ratio(1.0)


@pytest.mark.parametrize(
    ("result", "factor", "reached"),
    [
        (Result(100.0, "x/s", bars=Bars(pure=100.0)), 1.0, True),
        (Result(100.0, "x/s", bars=Bars(pure=100.0)), 2.0, False),
        (Result(60.0, "x/s", bars=Bars(pure=100.0)), 0.5, True),
        (Result(2.0, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=3.0)), 1.0, True),
        (Result(2.0, "s", Quantity.DURATION, higher_is_better=False, bars=Bars(pure=3.0)), 2.0, False),
        (Result(0.5, "share", Quantity.PLAIN, bars=Bars(pure=0.6)), 0.1, False),
        (Result(0.5, "share", Quantity.PLAIN, higher_is_better=False, bars=Bars(pure=0.6)), 0.1, True),
        (Result(0.5, "share", Quantity.PLAIN, bars=Bars(compiled=0.6)), 1.0, None),
    ],
)
def test_bars_hold_for_the_reference_machine(result: Result, factor: float, reached: bool | None) -> None:
    assert result.reaches("pure", REFERENCE * factor, REFERENCE) is reached


def test_each_build_has_its_own_bar() -> None:
    result = Result(1.0, "x/s", bars=Bars(pure=1.0, compiled=3.0))
    assert (result.bar("pure"), result.bar("compiled")) == (1.0, 3.0)


def test_the_line_for_machines_holds_name_value_unit_build_and_ratio() -> None:
    line = Line("decide", Result(56.0, "decisions/s", bars=Bars(pure=1.0)), "pure", 28_000.0)
    document = json.loads(line.json())
    assert {key: document[key] for key in ("name", "value", "unit", "build", "ratio", "barMet")} == {
        "name": "decide",
        "value": 56.0,
        "unit": "decisions/s",
        "build": "pure",
        "ratio": 2.0,
        "barMet": True,
    }


def test_a_missed_bar_fails_a_strict_run_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bars = Bars(pure=1e12, compiled=1e12)
    monkeypatch.setattr(run, "registered", lambda: {"hopeless": lambda: Result(1.0, "x/s", bars=bars)})
    monkeypatch.setattr(run, "speed", lambda: 1.0)
    assert run.main([]) == 0
    assert run.main(["--strict"]) == 1
    assert "MISSED" in capsys.readouterr().out


def test_an_unknown_name_is_an_input_error_that_lists_the_known_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "registered", lambda: {"known": lambda: Result(1.0, "x/s")})
    assert run.main(["--only", "unknown"]) == 2
    assert "known" in capsys.readouterr().err


def test_every_registered_benchmark_can_be_called_and_has_a_name_of_its_own() -> None:
    for name, measure in run.registered().items():
        assert callable(measure), name


def test_the_calibration_round_is_the_same_work_every_time() -> None:
    def work() -> list[int]:
        table, buckets = dict.fromkeys(range(640), 0), [(1 << 640) - 1] + [0] * 16
        return [one_round(table, buckets) for _ in range(5)]

    assert work() == work()
    assert speed(seconds=0.0) > 0.0
    assert pace(seconds=0.0) > 0.0


def test_a_benchmark_that_calibrates_beside_its_work_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "speed", lambda: 2.0)
    assert run.measured("plain", lambda: Result(1.0, "x/s")).speed == 2.0
    assert run.measured("paced", lambda: Result(1.0, "x/s", speed=3.0)).speed == 3.0
