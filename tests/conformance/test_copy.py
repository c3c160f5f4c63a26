"""The conformance suite and the replay traces are copies; where the originals lie beside, none may differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("folder", ["cases", "bench"])
def test_the_copy_is_the_original(folder: str, shared: Callable[[str], Path]) -> None:
    originals = {path.name: path.read_bytes() for path in shared(folder).iterdir()}
    copies = {path.name: path.read_bytes() for path in (ROOT / folder).iterdir()}
    assert sorted(copies) == sorted(originals)
    assert [name for name, data in originals.items() if copies[name] != data] == []
