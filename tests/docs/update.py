"""Rewrite the output shown in the documentation by what its examples print now (``make docs-update``).

Only sessions that no longer fit are touched, so a ``...`` stays where it still stands for the rest.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.examples import Block, Workplace, blocks, matches, pages

ROOT = Path(__file__).resolve().parent.parent.parent


def renewed(workplace: Workplace, block: Block) -> list[str]:
    """Return the lines of a session with the output that it has now."""
    steps = block.steps()
    lines: list[str] = []
    for step, printed in zip(steps, workplace.run(steps), strict=True):
        output = step.shown if matches(step.shown, printed) else printed
        lines += [f"$ {step.command}", *output]
    return "\n".join(lines).split("\n")


def update(page: Path, root: Path = ROOT) -> bool:
    """Run a page's sessions and write their output down; tell whether the page changed."""
    text = page.read_text()
    lines = text.splitlines()
    with tempfile.TemporaryDirectory() as parent:
        workplace = Workplace.make(root, Path(parent))
        shift = 0
        for block in blocks(text):
            if block.file_name() and block.kind != "console":
                workplace.write(block)
            if block.kind != "console" or workplace.lacks(block):
                continue
            fresh = [(block.indent + line).rstrip() for line in renewed(workplace, block)]
            start = block.start + shift
            lines[start : start + len(block.lines)] = fresh
            shift += len(fresh) - len(block.lines)
    after = "\n".join(lines) + "\n"
    if after == text:
        return False
    page.write_text(after)
    return True


def main() -> None:
    """Update every page and name those that changed."""
    for page in pages(ROOT):
        if update(page):
            sys.stdout.write(f"updated {page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
