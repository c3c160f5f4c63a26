"""A command line in a directory of its own, without anybody's environment."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from railwise.cli.main import run
from tests.conftest import ROOT


class Done(NamedTuple):
    """What a command printed and how it ended."""

    out: str
    err: str
    code: int

    def transcript(self, line: str) -> str:
        """Return command, output, messages and exit code as one text."""
        parts = [f"$ {line}", self.out.rstrip("\n")]
        parts += ["--- standard error", self.err.rstrip("\n")] if self.err else []
        return "\n".join([*parts, f"--- exit code {self.code}"]) + "\n"


Railwise = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory: a copy of ``examples/``."""
    for name in ("COLUMNS", "NO_COLOR", "TERM", "RAILWISE_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "work"
    shutil.copytree(ROOT / "examples", place)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def railwise(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Railwise:
    """Return a function that runs a command line, given as arguments, and says what came of it."""
    assert folder.is_dir()

    def call(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return Done(out, err, int(code))

    return call
