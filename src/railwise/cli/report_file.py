"""The report as a file: style and script from the package, put together with the runs, written as a whole."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from railwise.cli.whole_file import write_whole
from railwise.report.html.page import SCRIPT_FILES, STYLE_FILES, Assets, report_page
from railwise.report.run_data import Comparison
from railwise.report.summary import Summary


def load_assets() -> Assets:
    """Return the page's style and script."""
    folder = files("railwise.report.html")
    style, script = (
        "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
        for names in (STYLE_FILES, SCRIPT_FILES)
    )
    return Assets(style, script)


def report_text(comparison: Comparison, summary: Summary) -> str:
    """Return the report."""
    return report_page(comparison, summary, load_assets())


def write_report(path: Path, comparison: Comparison, summary: Summary) -> int:
    """Write the report and return its size in bytes."""
    data = report_text(comparison, summary).encode()
    write_whole(path, data)
    return len(data)
