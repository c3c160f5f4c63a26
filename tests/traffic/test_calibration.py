"""Fits: what was put in comes out, and the measured tables are met as well as the documentation says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.measured_tables import measured_systems
from railwise.traffic.calibration import (
    Fit,
    Sample,
    error_without_own_row,
    fit_terms,
    fit_with_ramp,
    mean_error,
    shared_ramp,
)
from railwise.traffic.datasheet import Constants, System, data_sheet_error, derive
from railwise.traffic.links import GIGA

GROUND = [1 << power for power in range(3, 35)]
TABLES = "traces/nccl-measured/all_reduce_measured.csv.gz"


def _table(fit: Fit) -> list[Sample]:
    return [Sample(size, fit.nanoseconds(size)) for size in GROUND]


@pytest.mark.parametrize(
    "truth",
    [Fit(17_000, 2_200 * GIGA, 9_000), Fit(160_000, 400 * GIGA, 140_000), Fit(5_000, 100 * GIGA, 0)],
)
def test_a_table_made_by_the_formula_gives_its_terms_back(truth: Fit) -> None:
    found = fit_terms(_table(truth))
    assert found.latency == pytest.approx(truth.latency, rel=1e-3)
    assert found.bits_per_second == pytest.approx(truth.bits_per_second, rel=1e-3)
    assert found.root == pytest.approx(truth.root, rel=1e-2, abs=50)
    assert mean_error(found, _table(truth)) < 1e-3


def test_no_term_falls_below_zero() -> None:
    samples = [Sample(size, max(1000, size)) for size in GROUND]  # a kink, which a negative root would imitate
    found = fit_terms(samples)
    assert min(found.latency, found.root) >= 0
    assert found.bits_per_second > 0


def test_a_given_share_of_the_root_leaves_two_terms_to_find() -> None:
    truth = Fit(40_000, 800 * GIGA, 2 * 740 * round((40_000 / 100) ** 0.5))  # 8/800 ns a byte: √(40000/100) = 20
    assert truth.root == 29_600
    found = fit_with_ramp(_table(truth), 740)
    assert found.latency == pytest.approx(truth.latency, rel=0.01)
    assert found.bits_per_second == pytest.approx(truth.bits_per_second, rel=0.01)


def test_the_shared_share_is_the_one_the_tables_were_made_with() -> None:
    truth = Fit(40_000, 800 * GIGA, 29_600)
    ramp, shared = shared_ramp([_table(truth)] * 3)
    assert ramp == 740
    assert [one.blind_ramp for one in shared] == [740] * 3


def test_fewer_rows_than_terms_are_no_table() -> None:
    with pytest.raises(ValueError, match="2 rows cannot tell 3 terms apart"):
        fit_terms([Sample(1, 1), Sample(2, 2)])


@pytest.fixture(scope="module")
def systems(shared: Callable[[str], Path]) -> dict[str, System]:
    return measured_systems(shared(TABLES))


def test_six_of_seven_tables_are_met_within_ten_per_cent(systems: dict[str, System]) -> None:
    fitted = [mean_error(fit_terms(system.samples), system.samples) for system in systems.values()]
    unseen = [error_without_own_row(system.samples) for system in systems.values()]
    assert len(fitted) == 7
    assert sum(error <= 0.10 for error in fitted) >= 6
    assert sum(error <= 0.10 for error in unseen) >= 6


def test_the_root_term_earns_its_place_on_every_table(systems: dict[str, System]) -> None:
    for name, system in systems.items():
        rows = system.samples
        assert error_without_own_row(rows) < error_without_own_row(rows, root=False), name


def test_the_constants_in_use_are_those_of_the_tables(systems: dict[str, System]) -> None:
    found = derive(list(systems.values()))
    used = Constants()
    assert found.fast_step == pytest.approx(used.fast_step, rel=0.02)
    assert found.network_step == pytest.approx(used.network_step, rel=0.02)
    assert found.fast_efficiency == pytest.approx(used.fast_efficiency, abs=5)
    assert found.network_efficiency == pytest.approx(used.network_efficiency, abs=5)


def test_data_sheets_alone_are_good_for_long_messages(systems: dict[str, System]) -> None:
    for name, system in systems.items():
        others = derive([other for key, other in systems.items() if key != name])
        rows = tuple(row for row in system.samples if row.size >= 1 << 24)
        long = System(system.nodes, system.cards, system.fast, system.nic_bits, rows)
        assert data_sheet_error(long, others) < 0.21, name


def test_constants_that_nobody_shows_keep_their_defaults() -> None:
    assert derive([]) == Constants()
