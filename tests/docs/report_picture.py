"""Take the pictures of the report that the documentation shows (``python -m tests.docs.report_picture``).

They are photographs of the real page in a browser, and are taken anew by hand when the page changes its looks.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from railwise.cli.report_file import report_text
from railwise.formats.inputs import read_inputs
from railwise.report.run_data import Comparison
from railwise.twin.comparison import compare
from railwise.twin.summary import summarise

ROOT = Path(__file__).resolve().parent.parent.parent
SCENARIO = ROOT / "examples" / "busy-day.yaml"
MARGIN = 20
POLICIES = ("railwise", "spread", "affinity")


def main() -> None:
    """Write the pictures into ``docs/images``."""
    scenario = read_inputs([(SCENARIO.name, SCENARIO.read_bytes())])
    runs = tuple(run.data for run in compare(lambda _: scenario, POLICIES, [0]))
    page_text = report_text(Comparison(scenario, runs), summarise(runs))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        file = Path(folder) / "report.html"
        file.write_text(page_text, encoding="utf-8")
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 700})
        page.goto(file.as_uri())
        page.screenshot(path=ROOT / "docs" / "images" / "report-headline.png")
        page.set_viewport_size({"width": 1180, "height": 2400})
        page.locator('input[value="1"][name="run"]').check(force=True)
        page.locator("#moment").fill("40")
        top, last = (page.locator(name).bounding_box() for name in ("#where", "#timeline"))
        if top is not None and last is not None:
            bottom = last["y"] + last["height"] + 2 * MARGIN
            page.screenshot(
                path=ROOT / "docs" / "images" / "report-where.png",
                clip={"x": 0, "y": top["y"] - MARGIN, "width": 1180, "height": bottom - top["y"] + MARGIN},
            )
        browser.close()


if __name__ == "__main__":
    main()
