"""The page of a sweep: closed to the network, sound markup, and a sentence that follows the numbers."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

from railwise.report.html.sweep_page import SweepReport, sweep_page
from railwise.report.sweep_tables import Gap, GapRow, Mean, MeanRow

MINUTE = 60_000_000
GAPS = {
    ("wait_mean", ""): Gap(Mean(10 * MINUTE, 5 * MINUTE), 0.5, 2.0, 0, 0, 5),
    ("wait_mean", "one node"): Gap(Mean(10 * MINUTE, 5 * MINUTE), 0.5, 2.0, 0, 0, 5),
    ("used", ""): Gap(Mean(50, 10), 0.1, 3.0, 0, 0, 5),
    ("makespan", ""): Gap(Mean(-MINUTE, 2 * MINUTE), -3.0, -0.1, 3, 0, 2),
    ("held", ""): Gap(Mean(5, 1), 0.01, 4.0, 0, 0, 5),
}
MEANS = {("workloads", ""): Mean(8, 0), ("finished", ""): Mean(8, 0), ("wait_mean", ""): Mean(20 * MINUTE, MINUTE)}
REPORT = SweepReport(
    name="<b>grid",
    against="railwise",
    told=["10 of 10 runs."],
    axes=["load"],
    means=[MeanRow([("load", "1")], "railwise", 5, MEANS), MeanRow([("load", "1")], "flat", 5, MEANS)],
    gaps=[GapRow([("load", "1")], "flat", GAPS)],
)
STYLE = "body { color: black; }"
VOID = {"meta", "line", "circle", "br"}


class Nesting(HTMLParser):
    """Notes elements that are not closed in order, and what a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_is_sound_and_loads_nothing() -> None:
    page = sweep_page(REPORT, STYLE)
    nesting = Nesting()
    nesting.feed(page)
    assert (nesting.open, nesting.wrong, nesting.fetched) == ([], [], [])
    assert "<b>grid" not in page
    assert "&lt;b&gt;grid" in page
    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page
    assert "style=" not in page.partition("</style>")[2]


def test_the_sentence_follows_the_numbers() -> None:
    page = sweep_page(REPORT, STYLE)
    assert "Than railwise, flat is (load 1) better in GPUs at work; worse in wait mean." in page
    even = {key: gap._replace(difference=Mean(0, 1)) for key, gap in GAPS.items()}
    nothing = replace(REPORT, axes=[], gaps=[GapRow([], "flat", even)])
    assert "Between flat and railwise no difference is certain." in sweep_page(nothing, STYLE)
    alone = sweep_page(replace(REPORT, gaps=[]), STYLE)
    assert "nothing to compare it with" in alone
    assert 'id="differences"' not in alone


def test_bars_stay_inside_the_picture() -> None:
    page = sweep_page(REPORT, STYLE)
    xs = [int(x) for x in re.findall(r'<circle cx="(\d+)"', page)]
    assert xs == [530, 200, 422, 442]
    assert "−1m ± 2m no difference seen" in page


def test_failed_runs_are_named() -> None:
    page = sweep_page(replace(REPORT, failed=[f"run {number}: <broke>" for number in range(120)]), STYLE)
    assert "120 runs failed" in page
    assert "run 99: &lt;broke&gt;" in page
    assert "run 100:" not in page
    assert "and 20 more" in page
