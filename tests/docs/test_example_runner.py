"""The runner of examples reads pages as authors are told it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import Step, Workplace, blocks, matches
from tests.docs.update import update

PAGE = """\
# A page

```yaml
# file: sub/a.yaml
kind: Scenario
```

```console
$ cat sub/a.yaml
kind: Scenario
$ echo one; echo two \\
  three; false
one
two three
$ echo "status $?"
status 1
```

<!-- needs: ../shared/absent -->
```console
$ cat ../shared/absent/file
```
"""


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    root = tmp_path / "repository"
    (root / "examples").mkdir(parents=True)
    (root / "examples" / "given.txt").write_text("given\n")
    parent = tmp_path / "run"
    parent.mkdir()
    return Workplace.make(root, parent)


def test_blocks_are_found_with_kind_place_and_need() -> None:
    found = blocks(PAGE)
    assert [(block.kind, block.start, block.needs) for block in found] == [
        ("yaml", 3, ""),
        ("console", 8, ""),
        ("console", 20, "../shared/absent"),
    ]
    assert [block.file_name() for block in found] == ["sub/a.yaml", "", ""]


def test_a_need_counts_only_for_the_next_block() -> None:
    text = "<!-- needs: x -->\n```console\n$ a\n```\n```console\n$ b\n```\n"
    assert [block.needs for block in blocks(text)] == ["x", ""]


def test_a_session_is_split_into_commands_and_output() -> None:
    steps = blocks(PAGE)[1].steps()
    assert [step.command for step in steps] == [
        "cat sub/a.yaml",
        "echo one; echo two \\\n  three; false",
        'echo "status $?"',
    ]
    assert [step.shown for step in steps] == [["kind: Scenario"], ["one", "two three"], ["status 1"]]


def test_a_longer_fence_may_show_a_shorter_one() -> None:
    (outer,) = blocks("````markdown\n```console\n$ true\n```\n````\n")
    assert (outer.kind, len(outer.lines)) == ("markdown", 3)


def test_the_indent_of_a_fence_in_a_list_is_not_output() -> None:
    (block,) = blocks("1. step\n\n   ```console\n   $ echo a\n   a\n   ```\n")
    assert block.lines == ["$ echo a", "a"]


def test_a_session_without_a_command_is_refused() -> None:
    (block,) = blocks("```console\nkubectl get nodes\n```\n")
    with pytest.raises(ValueError, match="line 2"):
        block.steps()


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ([], [], True),
        ([], ["a"], False),
        (["a"], ["a"], True),
        (["a"], ["a", "b"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["..."], [], True),
    ],
)
def test_three_dots_stand_for_any_lines(shown: list[str], printed: list[str], fits: bool) -> None:
    assert matches(shown, printed) is fits


def test_commands_of_a_session_share_a_shell_a_folder_and_plain_surroundings(workplace: Workplace) -> None:
    file, session, _ = blocks(PAGE)
    workplace.write(file)
    assert workplace.run(session.steps()) == [["kind: Scenario"], ["one", "two three"], ["status 1"]]
    commands = ["cat given.txt", "echo $COLUMNS$NO_COLOR >&2", "printf 'no end of line  '", "exit 3", "echo never"]
    printed = workplace.run([Step(command, 0) for command in commands])
    assert printed == [["given"], ["1201"], ["no end of line"], [], []]


def test_a_block_lacks_what_is_absent_beside_the_repository(workplace: Workplace) -> None:
    block = blocks(PAGE)[2]
    assert workplace.lacks(block)
    (workplace.root / block.needs).mkdir(parents=True)
    assert not workplace.lacks(block)


def test_update_writes_what_is_printed_and_keeps_what_fits(workplace: Workplace) -> None:
    page = workplace.root / "page.md"
    page.write_text(PAGE.replace("two three\n", "...\n").replace("status 1", "status 0"))
    assert update(page, workplace.root)
    assert page.read_text() == PAGE.replace("two three\n", "...\n")
    assert not update(page, workplace.root)
