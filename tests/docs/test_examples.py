"""Every console session in the documentation prints what its page shows."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.examples import Block, Workplace, blocks, matches, pages

SESSIONS = [page for page in pages(ROOT) if any(block.kind == "console" for block in blocks(page.read_text()))]


def differences(workplace: Workplace, block: Block) -> str:
    steps = block.steps()
    report = []
    for step, printed in zip(steps, workplace.run(steps), strict=True):
        if not matches(step.shown, printed):
            report += [f"$ {step.command}", *difflib.unified_diff(step.shown, printed, "shown", "printed", lineterm="")]
    return "\n".join(report)


@pytest.mark.slow
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_session_prints_what_the_page_shows(page: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    workplace = Workplace.make(ROOT, tmp_path)
    for block in blocks(page.read_text()):
        if block.kind == "console":
            with subtests.test(line=block.start):
                if workplace.lacks(block):
                    pytest.skip(f"needs {block.needs}")
                report = differences(workplace, block)
                assert not report, f"{page.relative_to(ROOT)}:{block.start} (mend with `make docs-update`)\n{report}"
        elif block.file_name():
            workplace.write(block)
