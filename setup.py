"""The compiled build, which pyproject.toml cannot express.

The engine is ordinary typed Python. With RAILWISE_COMPILE=1 the same files become extension modules through mypyc, some
three times as quick; without it the wheel is pure Python and installs anywhere. Everything else is in pyproject.toml.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from setuptools import Extension, setup

COMPILED_ROOMS = ("model", "engine")
"""The rooms without effects that every decision passes through."""


def extensions() -> list[Extension]:
    """Return the extension modules to build: none for the pure wheel."""
    if os.environ.get("RAILWISE_COMPILE", "0") in {"", "0"}:
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 -- a pure build needs no compiler

    root = Path("src/railwise")
    # A package's __init__ stays Python: it holds no code worth compiling and tells tools where the package lies.
    sources = sorted(
        str(path) for room in COMPILED_ROOMS for path in (root / room).rglob("*.py") if path.name != "__init__.py"
    )
    options = ["--strict", "--python-version=3.11"]
    modules = mypycify([*options, *sources], opt_level="3", debug_level="0", group_name="railwise")
    return cast("list[Extension]", modules)


setup(ext_modules=extensions())
