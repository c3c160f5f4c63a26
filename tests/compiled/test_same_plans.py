"""Both builds, and any two runs, decide the same byte for byte.

The seed of string hashes differs between the runs, so that an order which comes from a set shows up as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import railwise
from tests.conftest import ROOT

SEEDS = 400


def plans(hash_seed: int, package: Path | None = None) -> list[str]:
    variables = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    if package is not None:
        variables["PYTHONPATH"] = str(package.parent)
    done = subprocess.run(
        [sys.executable, "-m", "tests.compiled.plans", "0", str(SEEDS)],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def without_extensions(package: Path, parent: Path) -> Path:
    """Copy an installed package without what was compiled: its sources lie beside their extension modules."""
    return shutil.copytree(package, parent / package.name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))


def first_difference(left: list[str], right: list[str]) -> tuple[str, str] | None:
    return next(((one, other) for one, other in zip(left, right, strict=True) if one != other), None)


@pytest.mark.slow
def test_plans_do_not_depend_on_the_order_of_hashes() -> None:
    assert first_difference(plans(1), plans(2)) is None


@pytest.mark.slow
@pytest.mark.skipif(railwise.build_kind() == "pure", reason="compares the compiled build with the pure one")
def test_both_builds_make_the_same_plans(tmp_path: Path) -> None:
    compiled_kind, *compiled = plans(1)
    pure_kind, *pure = plans(2, without_extensions(Path(railwise.__file__).parent, tmp_path))
    assert (compiled_kind, pure_kind) == ("compiled", "pure")
    assert len(pure) == SEEDS
    assert first_difference(compiled, pure) is None
