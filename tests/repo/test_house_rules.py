"""The rules of the house that no linter knows: small files, small functions, a project that stands on its own."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILE_LINES = 320
FUNCTION_LINES = 60
VAGUE_NAMES = {"common", "helpers", "misc", "tools", "util", "utils"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")  # searched for everywhere but here

COMPILED_FROM_PROTO = re.compile(r"_pb2(_grpc)?\.py$")
PYTHON = sorted(
    path
    for folder in ("src", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if not COMPILED_FROM_PROTO.search(path.name)
)
LOCKED = sorted((ROOT / "requirements").glob("*.txt"))


def relative(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def kept_files() -> list[Path]:
    """Return the files under version control, or none outside a checkout."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_files_stay_small() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in PYTHON}
    assert {name: length for name, length in lengths.items() if length > FILE_LINES} == {}


def test_functions_fit_a_screen() -> None:
    too_long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]
    assert too_long == []


def test_modules_are_named_after_what_they_hold() -> None:
    assert relative([path for path in PYTHON if path.stem in VAGUE_NAMES or path.parent.name in VAGUE_NAMES]) == []


def test_nothing_is_left_unfinished() -> None:
    here = Path(__file__)
    assert relative([path for path in PYTHON if path != here and UNFINISHED.search(path.read_text())]) == []


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: path.name)
def test_requirements_are_pinned_by_hash_and_name_no_address(path: Path) -> None:
    text = path.read_text()
    assert "://" not in text
    assert "/" not in text.splitlines()[1], "the header names a path of one machine"
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]
    assert entries
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_packages_that_several_environments_share_have_one_version() -> None:
    versions: dict[str, set[str]] = {}
    for path in LOCKED:
        pins: dict[str, list[str]] = {}
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE):
            pins.setdefault(name, []).append(version)
        for name, found in pins.items():
            versions.setdefault(name, set()).add(" ".join(found))
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_no_file_names_a_package_registry() -> None:
    hosts = [b"pypi" + b".org", b"pythonhosted" + b".org", b"registry.npmjs" + b".org"]
    assert relative([path for path in kept_files() if any(host in path.read_bytes() for host in hosts)]) == []


def test_runtime_dependencies_of_the_package_are_the_locked_ones() -> None:
    wanted = sorted(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])
    lines = (ROOT / "requirements" / "runtime.in").read_text().splitlines()
    assert sorted(line for line in lines if line and not line.startswith("#")) == wanted
