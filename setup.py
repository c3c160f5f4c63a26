"""The compiled build, which pyproject.toml cannot express.

The engine is ordinary typed Python. With RAILWISE_COMPILE=1 the same files become extension modules through mypyc, some
three times as quick; without it the wheel is pure Python and installs anywhere. Everything else is in pyproject.toml.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

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
    made = mypycify([*options, *sources], opt_level="3", debug_level="0", group_name="railwise", multi_file=True)
    modules = cast("list[Extension]", made)
    if os.name == "posix":
        # Nobody replaces a function of the library by one of the same name, so calls inside it may be direct.
        for module in modules:
            module.extra_compile_args = [*module.extra_compile_args, "-fno-semantic-interposition"]
    return modules


class ParallelBuild(build_ext):
    """Compiles the C files of an extension side by side: one after the other they take most of a quarter of an hour."""

    def build_extensions(self) -> None:
        """Let the compiler work on as many files at once as there are processors."""
        compile_in_turn = self.compiler.compile

        def compile_side_by_side(sources: list[str], *args: object, **options: object) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                made = pool.map(lambda source: compile_in_turn([source], *args, **options), sources)
            return [name for names in made for name in names]

        self.compiler.compile = compile_side_by_side
        super().build_extensions()


setup(ext_modules=extensions(), cmdclass={"build_ext": ParallelBuild})
