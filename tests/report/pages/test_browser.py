"""The page in a real browser without a network: it draws, moves, obeys the keyboard, can be read out and printed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from railwise.formats.inputs import read_inputs
from railwise.report.run_data import Comparison
from railwise.twin.comparison import compare
from tests.conftest import ROOT
from tests.report.pages.made import made, page_of

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SIZES = (8, 200, 2000)
ONE_DAY = ROOT / "examples" / "one-day.yaml"

pytestmark = pytest.mark.slow


@cache
def comparison(nodes: int) -> Comparison:
    """Return a comparison on so many nodes; the smallest is a run of the twin."""
    if nodes > 8:
        return made(nodes, 3 * nodes if nodes < 1000 else 1200)
    scenario = read_inputs([(str(ONE_DAY), ONE_DAY.read_bytes())])
    return Comparison(scenario, tuple(run.data for run in compare(lambda _: scenario, ["railwise", "spread"], [0])))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page in the browser, with everything that it complained of or asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).inner_text())

    def drawn(self, selector: str = "#cluster") -> str:
        return str(self.page.locator(selector).evaluate("canvas => canvas.toDataURL()"))


@pytest.fixture
def opened(chromium: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    nodes, scheme = request.param
    file = tmp_path / "report.html"
    file.write_bytes(page_of(comparison(nodes)).encode())
    context = chromium.new_context(color_scheme=scheme, offline=True, viewport={"width": 1280, "height": 900})
    shown = Opened(context.new_page())
    shown.page.on("console", lambda message: shown.complaints.append(f"{message.type}: {message.text}"))
    shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    shown.page.on("request", lambda asked: shown.requests.append(asked.url))
    shown.page.goto(file.as_uri())
    sync_api.expect(shown.page.locator("#facts")).not_to_be_empty()
    yield shown
    assert shown.complaints == []
    assert shown.requests == [file.as_uri()]
    context.close()


every_size = pytest.mark.parametrize("opened", [(size, "light") for size in SIZES], indirect=True, ids=map(str, SIZES))
smallest = pytest.mark.parametrize("opened", [(8, "light")], indirect=True, ids=["8"])
both_schemes = pytest.mark.parametrize(
    "opened", [(8, "light"), (200, "dark"), (2000, "light")], indirect=True, ids=["8-light", "200-dark", "2000-light"]
)


@every_size
def test_the_slider_moves_everything(opened: Opened) -> None:
    slider = opened.page.locator("#moment")
    slider.focus()
    opened.page.keyboard.press("Home")
    assert opened.text("#time") == "0s"
    begin, begin_facts, begin_map = opened.drawn(), opened.text("#facts"), opened.drawn("#timeline")
    for _ in range(3):
        opened.page.keyboard.press("PageUp")
    assert opened.text("#time") != "0s"
    assert opened.drawn() != begin
    assert opened.drawn("#timeline") != begin_map
    assert opened.text("#facts") != begin_facts
    assert slider.get_attribute("aria-valuetext").startswith(f"{opened.text('#time')}. railwise: ")
    opened.page.keyboard.press("Home")
    assert opened.drawn() == begin


@every_size
def test_another_policy_is_another_picture(opened: Opened) -> None:
    before, bars = opened.drawn("#timeline"), opened.page.locator("#gantt").inner_html()
    opened.page.locator('input[name="run"]').first.focus()
    opened.page.keyboard.press("ArrowRight")
    assert opened.text("#facts").startswith("spread: ")
    assert opened.drawn("#timeline") != before
    assert opened.page.locator("#gantt").inner_html() != bars
    visible = opened.page.locator(".of-policy:visible h3").all_inner_texts()
    assert len(visible) == 1
    assert visible[0].startswith("spread: ")


@both_schemes
def test_it_can_be_read_out(opened: Opened) -> None:
    for summary in opened.page.locator("summary").all():
        summary.click()
    found = axe.Axe().run(opened.page).response["violations"]
    told = [f"{one['id']}: {node['html'][:120]} {node['failureSummary']}" for one in found for node in one["nodes"]]
    assert told == []


@every_size
def test_it_can_be_printed(opened: Opened) -> None:
    data = opened.page.pdf(format="A4", print_background=True)
    assert data.startswith(b"%PDF-")
    assert data.rstrip().endswith(b"%%EOF")
    assert len(data) > 20_000


@smallest
def test_a_node_tells_who_is_on_it(opened: Opened) -> None:
    run, scenario = comparison(8).runs[0], comparison(8).scenario
    slider = opened.page.locator("#moment")
    slider.fill("20")
    at = 20 * 120_000_000
    assert opened.text("#time") == "40m"
    opened.page.locator("#cluster").focus()
    for index, node in enumerate(scenario.nodes):
        opened.page.keyboard.press("ArrowRight")
        here = [one for one in run.stints if one.start <= at < one.end and index in {place for place, _ in one.places}]
        told = opened.text("#pointed")
        assert told.startswith(f"{node.name} in ")
        assert ("free" in told) == (not here)
        assert all(scenario.workloads[one.job].name in told for one in here)


@smallest
def test_what_runs_is_listed(opened: Opened) -> None:
    run, scenario = comparison(8).runs[0], comparison(8).scenario
    opened.page.locator("#moment").fill("20")
    rows = opened.page.locator("#running th").all_inner_texts()
    here = {scenario.workloads[one.job].name for one in run.stints if one.start <= 2_400_000_000 < one.end}
    assert {row.split()[-1] for row in rows} == here


@pytest.mark.parametrize("opened", [(200, "light")], indirect=True, ids=["200"])
def test_workloads_can_be_found_and_put_in_order(opened: Opened) -> None:
    opened.page.locator("#search").fill("job-0001")
    assert opened.text("#count") == "10 workloads"
    assert opened.page.locator("#gantt .g-name").count() == 10
    opened.page.locator("#search").fill("")
    first = opened.page.locator("#gantt .g-name").first.text_content()
    opened.page.locator("#order").select_option("gpus")
    assert opened.page.locator("#gantt .g-name").first.text_content() != first


@smallest
def test_colours_can_be_changed(opened: Opened) -> None:
    light = opened.drawn()
    opened.page.locator("#theme").click()
    dark = opened.drawn()
    assert dark != light
    opened.page.locator('input[value="job"]').check(force=True)
    assert opened.drawn() != dark


@smallest
def test_it_plays(opened: Opened) -> None:
    opened.page.locator("#moment").fill("3")
    before = opened.text("#time")
    opened.page.locator("#play").click()
    sync_api.expect(opened.page.locator("#time")).not_to_have_text(before)
    opened.page.locator("#play").click()
    assert opened.text("#play") == "Play"


def test_without_its_script_the_page_still_tells_the_result(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(page_of(comparison(8)).encode())
    context = chromium.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator(".sentence").is_visible()
    assert page.locator(".no-script").is_visible()
    assert not page.locator("#moment").is_visible()
    assert page.locator("#numbers table").first.is_visible()
    context.close()
