"""``railwise fabric``: what it writes, and what it says when it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from railwise.cli.fabric_generate import DIALECTS, NAMES
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Dialect
from railwise.formats.fabric.reader import read_fabric_text
from tests.cli.conftest import Railwise


def test_the_names_of_the_command_line_are_those_of_the_program() -> None:
    assert tuple(DESIGNS) == NAMES
    assert tuple(Dialect) == DIALECTS


def test_a_fabric_is_written_to_a_file(railwise: Railwise, folder: Path) -> None:
    done = railwise("fabric", "generate", "rail-optimised", "--units", "2", "--rails", "4", "-o", "fabric.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("wrote fabric.yaml: 64 servers, 16 switches, 320 cables\n")
    assert len(read_fabric_text((folder / "fabric.yaml").read_bytes(), "fabric.yaml").servers) == 64


@pytest.mark.parametrize("name", NAMES)
def test_every_design_is_printed_as_a_fabric_that_reads_back(railwise: Railwise, name: str) -> None:
    done = railwise("fabric", "generate", name, "--units", "2", "--servers", "2")
    assert (done.code, done.err) == (0, "")
    assert read_fabric_text(done.out.encode(), "out").name == name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["torus"], "'torus' is not one of"),
        (["nvl72", "--seed", "4"], "--seed means nothing to nvl72"),
        (["irregular", "--gpus", "4"], "--gpus means nothing to irregular"),
        (["fat-tree", "--units", "10000", "--servers", "10000"], "100000000 servers are too many"),
        (["fat-tree", "--units", "0"], "0 is not in the range"),
    ],
)
def test_a_wrong_size_is_told(railwise: Railwise, line: list[str], message: str) -> None:
    done = railwise("fabric", "generate", *line)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "hint: " in done.err
