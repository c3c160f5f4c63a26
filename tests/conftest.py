"""What every test shares: which build runs, how long Hypothesis searches, where optional data lies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import railwise

pytest_plugins = ["tests.control_plane", "tests.controllers.gate_stage"]

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# A machine under load must not fail a test, so no profile has a deadline. The default searches the same examples every
# time: a gate should not turn red by chance; "fast" stops after the first of them, for the check that runs at every
# change. The nightly profile looks for new ones and prints how to repeat them.
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("default"), max_examples=10)
settings.register_profile(
    "nightly", deadline=None, max_examples=2000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# gRPC writes a line for every connection that the other end closes, which is what many tests are about.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let ``--update-golden`` write down what the goldens would be compared with."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files by what is printed now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares a text with the file of that name in ``golden/`` beside the test."""
    folder = request.path.parent / "golden"

    def compare(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; write it with `pytest --update-golden`, then read it"
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; `pytest --update-golden` takes the new text"

    return compare


def pytest_configure() -> None:
    """Refuse to test another build than the one that was asked for, or another checkout than this one."""
    if ROOT not in Path(railwise.__file__).resolve().parents:
        message = f"the tests of {ROOT} would run on {railwise.__file__}; hint: touch setup.py && make setup"
        raise pytest.UsageError(message)
    wanted = os.environ.get("RAILWISE_EXPECT_BUILD", "")
    if wanted and wanted != railwise.build_kind():
        message = f"RAILWISE_EXPECT_BUILD={wanted}, but {railwise.__file__} is the {railwise.build_kind()} build"
        raise pytest.UsageError(message)


def pytest_report_header() -> str:
    """Name the build in the header of the run."""
    return f"railwise: {railwise.build_kind()} build in {Path(railwise.__file__).parent}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave nightly tests out unless the marker expression speaks of them."""
    if "nightly" in (config.getoption("-m") or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a function that finds a path below ``../shared`` and skips the test, naming it, where it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs ../shared/{name}")
        return path

    return find
