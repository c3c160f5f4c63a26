"""What the documentation takes from the program is what the program says now."""

from __future__ import annotations

from railwise.cli.main import COMMANDS
from railwise.model.reason import Code
from tests.docs.generate import DOCS, ROOT, generated
from tests.docs.pod_words import UNTESTED


def test_every_generated_file_is_current() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for path, text in generated().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, "mend with `make docs-generate`"


def test_every_code_has_advice_for_a_live_cluster() -> None:
    page = (DOCS / "how-to" / "troubleshoot-a-pod-that-waits.md").read_text(encoding="utf-8")
    for code in Code:
        assert f"\n## {code.value}\n" in page
        assert f"<!-- generated: pod-{code.value} -->" in page or code in UNTESTED


def test_every_command_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"## railwise {name}" in page
