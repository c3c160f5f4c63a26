"""Both builds, and any two runs, decide the same byte for byte.

The seed of string hashes differs between the runs, so that an order which comes from a set shows up as well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import railwise
from tests.conftest import ROOT

PURE = ROOT / ".venv" / "bin" / "python"
SEEDS = 400


def plans(python: Path, hash_seed: int) -> list[str]:
    done = subprocess.run(
        [str(python), "-m", "tests.compiled.plans", "0", str(SEEDS)],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def first_difference(left: list[str], right: list[str]) -> tuple[str, str] | None:
    return next(((one, other) for one, other in zip(left, right, strict=True) if one != other), None)


@pytest.mark.slow
def test_plans_do_not_depend_on_the_order_of_hashes() -> None:
    here = Path(sys.executable)
    assert first_difference(plans(here, 1), plans(here, 2)) is None


@pytest.mark.slow
@pytest.mark.skipif(railwise.build_kind() == "pure", reason="compares the compiled build with the pure one")
def test_both_builds_make_the_same_plans() -> None:
    compiled_kind, *compiled = plans(Path(sys.executable), 1)
    pure_kind, *pure = plans(PURE, 2)
    assert (compiled_kind, pure_kind) == ("compiled", "pure")
    assert len(pure) == SEEDS
    assert first_difference(compiled, pure) is None
