"""The examples of the documentation as something that can be run.

A console session in a page is a promise; unless it is run, it rots. So every fenced ``console`` block is executed and
what it prints compared with what the page shows. ``docs/how-to/write-documentation.md`` tells authors the rules.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from railwise.devcluster.cluster import binaries_of
from railwise.devcluster.errors import NoControlPlaneError
from railwise.devcluster.programs import cache_root, find_programs

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")
NEEDS = re.compile(r"^\s*<!--\s*needs:\s*(?P<path>\S+)\s*-->\s*$")
FILE = re.compile(r"^# file:\s*(?P<name>\S+)\s*$")
ANYTHING = "..."
CLUSTER = "cluster"
"""What a block needs that works on a cluster of this machine: kubectl, and the programs of a control plane."""

KUBECONFIG = ".local/state/railwise/clusters/dev/kubeconfig"
"""What a page exports once, below the home directory: its later sessions are run in shells of their own."""

TIMEOUT_S = 120


@dataclass
class Step:
    """One command of a session and the lines shown below it; ``first`` is the line index of the first of them."""

    command: str
    first: int
    shown: list[str] = field(default_factory=list)


@dataclass
class Block:
    """One fenced block of a page, its text without the fence's indent.

    ``start`` is the line index of its first line; ``needs`` is a path, relative to the root of the repository, without
    which it cannot run, or ``cluster``.
    """

    kind: str
    start: int
    indent: str
    lines: list[str]
    needs: str = ""

    def file_name(self) -> str:
        """Return the name under which the block is a file for later blocks, or the empty string."""
        found = FILE.match(self.lines[0]) if self.lines else None
        return found["name"] if found else ""

    def steps(self) -> list[Step]:
        """Split a session into commands; a backslash at the end of a line continues a command.

        Raises:
            ValueError: the session does not begin with a command.
        """
        steps: list[Step] = []
        open_command = False
        for index, line in enumerate(self.lines, self.start):
            if open_command:
                steps[-1].command += "\n" + line
                steps[-1].first = index + 1
            elif line.startswith("$ "):
                steps.append(Step(line[2:], index + 1))
            elif not steps:
                message = f"line {index + 1}: a console block must begin with '$ '"
                raise ValueError(message)
            else:
                steps[-1].shown.append(line.rstrip())
                continue
            open_command = line.endswith("\\")
        return steps


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    found: list[Block] = []
    current: Block | None = None
    ticks = ""
    previous = ""
    for index, line in enumerate(text.splitlines()):
        fence = FENCE.match(line)
        if current is None:
            if fence:
                needs = NEEDS.match(previous)
                ticks = fence["ticks"]
                current = Block(fence["info"].strip(), index + 1, fence["indent"], [], needs["path"] if needs else "")
        elif fence and not fence["info"] and fence["ticks"].startswith(ticks):
            found.append(current)
            current = None
        else:
            current.lines.append(line.removeprefix(current.indent))
        if line.strip():
            previous = line
    return found


def matches(shown: list[str], printed: list[str]) -> bool:
    """Tell whether what a page shows fits what was printed; a line ``...`` stands for any number of lines."""
    if not shown:
        return not printed
    if shown[0] == ANYTHING:
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


@dataclass(frozen=True)
class Workplace:
    """A directory in which the sessions of one page run one after another: a copy of ``examples/``.

    ``../shared`` means the same there as in the root of the repository.
    """

    root: Path
    folder: Path

    @classmethod
    def make(cls, root: Path, parent: Path) -> Workplace:
        """Lay a workplace out below ``parent`` for the repository at ``root``."""
        folder = parent / "examples"
        if (root / "examples").is_dir():
            shutil.copytree(root / "examples", folder)
        else:
            folder.mkdir()
        if (root.parent / "shared").is_dir():
            (parent / "shared").symlink_to(root.parent / "shared")
        return cls(root, folder)

    def lacks(self, block: Block) -> bool:
        """Tell whether data, or the programs of a cluster, that the block needs are absent."""
        if block.needs == CLUSTER:
            return cluster_is_lacking()
        return bool(block.needs) and not (self.root / block.needs).exists()

    def write(self, block: Block) -> None:
        """Write a block that is a file."""
        path = self.folder / block.file_name()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(block.lines[1:]) + "\n")

    def run(self, steps: list[Step]) -> list[list[str]]:
        """Run a session in one shell and return the lines that each command printed, standard error among them.

        Raises:
            subprocess.TimeoutExpired: the session did not end within two minutes.
        """
        mark = "=== end of one example ==="
        script = ["exec 2>&1"]
        for step in steps:
            script += [step.command, f"status=$?; printf '\\n%s\\n' '{mark}'; (exit $status)"]
        done = subprocess.run(
            ["bash", "-c", "\n".join(script)],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        parts = done.stdout.split(f"\n{mark}\n")
        printed = [[line.rstrip() for line in part.rstrip("\n").splitlines()] for part in parts[: len(steps)]]
        return printed + [[] for _ in range(len(steps) - len(printed))]

    def environment(self) -> dict[str, str]:
        """Return the variables of a session: plain text, a fixed width, no configuration of the person at the desk."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "RAILWISE_"))}
        return kept | {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "HOME": str(self.folder.parent),
            "KUBECONFIG": str(self.folder.parent / KUBECONFIG),
            "RAILWISE_CACHE": str(cache_root(os.environ)),
            "NO_COLOR": "1",
            "COLUMNS": "120",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }


@cache
def cluster_is_lacking() -> bool:
    """Tell whether no cluster can be started here."""
    try:
        programs = find_programs(programs_needed())
    except NoControlPlaneError:
        return True
    return programs is None or shutil.which("kubectl") is None


def programs_needed() -> list[str]:
    """Return the programs of the cluster in the pages."""
    return binaries_of(("controllers", "kwok", "railwise"))


def pages(root: Path) -> list[Path]:
    """Return the pages whose examples are run: README.md and everything below docs/."""
    docs = root / "docs"
    return [
        path
        for path in [root / "README.md", *sorted(docs.rglob("*.md"))]
        if path.is_file() and (docs / "_build") not in path.parents
    ]
