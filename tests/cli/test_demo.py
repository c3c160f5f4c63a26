"""The demo shows the difference, leaves its files, overwrites nobody's, and the commands it names work."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.cli.demo import POLICIES, SIZES, story
from tests.cli.conftest import Railwise


def test_the_demo(railwise: Railwise, folder: Path, golden: Callable[[str, str], None]) -> None:
    assert folder.is_dir()
    golden("demo/railwise-demo.txt", railwise("demo").transcript("railwise demo"))


@pytest.mark.slow
def test_its_commands_work(railwise: Railwise, folder: Path) -> None:
    assert folder.is_dir()
    commands = re.findall(r"^  railwise (.+)$", railwise("demo").out, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert railwise(*command.split()).code == 0, command


@pytest.mark.slow
def test_it_writes_the_same_twice_and_never_over_anothers_file(railwise: Railwise, folder: Path) -> None:
    railwise("demo")
    first = (folder / "railwise-demo.yaml").read_text()
    railwise("demo")
    names = [f"railwise-demo.{ending}" for ending in ("html", "svg", "yaml")]
    assert sorted(path.name for path in folder.glob("railwise-demo*")) == names
    (folder / "railwise-demo.yaml").write_text("mine")
    done = railwise("demo")
    assert (folder / "railwise-demo.yaml").read_text() == "mine"
    assert (folder / "railwise-demo-2.yaml").read_text() == first
    assert "railwise plan railwise-demo-2.yaml" in done.out


def test_railwise_leaves_at_least_as_many_slots_as_every_other_policy() -> None:
    left = [[moment.slots["rack"][size] for size in SIZES] for moment in story().moments]
    assert POLICIES[-1][0] == "railwise"
    for others in left[:-1]:
        assert all(mine >= theirs for mine, theirs in zip(left[-1], others, strict=True))
        assert left[-1] != others
