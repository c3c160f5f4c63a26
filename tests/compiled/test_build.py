"""Two builds from one source: which one runs is known, and it comes from where it should."""

from __future__ import annotations

import importlib
import importlib.machinery
from pathlib import Path

import pytest

import railwise
from tests.conftest import ROOT


def test_the_kind_is_judged_by_the_file_that_is_really_imported() -> None:
    origin = importlib.import_module("railwise.engine.cluster.state").__file__
    assert origin is not None
    is_extension = origin.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))
    assert is_extension == (railwise.build_kind() == "compiled")


@pytest.mark.skipif(railwise.build_kind() == "pure", reason="the pure build is installed in place")
def test_the_compiled_build_does_not_see_the_sources() -> None:
    assert ROOT / "src" not in Path(railwise.__file__).parents
