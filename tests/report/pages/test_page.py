"""The page as text: it loads nothing, says what is asked for, stays small, and no name can break out of its place."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.report.pages.made import made, named, page_of

MOST_BYTES = 1_000_000


class Read(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.raw: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "br", "input", "path", "rect", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw.setdefault(self.open[-1], []).append(data)
        else:
            self.text.append(data)

    def data(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.raw["script"][0])
        return found


SMALL = made(24, 20)


@cache
def plain_page() -> Read:
    return Read(page_of(SMALL))


@pytest.fixture
def plain() -> Read:
    return plain_page()


def test_the_page_is_well_formed_and_loads_nothing(plain: Read) -> None:
    assert plain.open == []
    for _, name, value in plain.attributes:
        assert name not in ("src", "srcset", "style", "action", "formaction", "ping", "background", "poster")
        assert not name.startswith("on")
        assert name != "href" or value.startswith("#")
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", "".join(map("".join, plain.raw.values())))
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(plain.tags)


def test_only_this_script_and_this_style_may_run(plain: Read) -> None:
    policy = next(value for _, name, value in plain.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    data, script = plain.raw["script"]
    (style,) = plain.raw["style"]
    for kind, text in (("script-src", script), ("style-src", style)):
        assert f"{kind} 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert json.loads(data)["runs"]


def test_a_reader_without_the_script_finds_the_result(plain: Read) -> None:
    words = " ".join(plain.text)
    assert "Railwise finishes" in words
    assert "live through the same 20 workloads on 24 nodes with 192 GPUs" in words
    for heading in ("Where everybody was", "The worst-placed workloads", "The numbers", "Notes", "What was compared"):
        assert heading in words


def test_the_same_runs_give_the_same_bytes() -> None:
    assert page_of(SMALL) == page_of(made(24, 20))


HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "a,b[1-3]",
    "\u202egpj.exe",
    "\x00\x1b[31m",
    "\ud800",
    "${alert(1)}",
    "</title></style>",
)


@examples(10)
@example(HOSTILE[0])
@example(HOSTILE[1])
@example(HOSTILE[2])
@example(HOSTILE[3])
@example(HOSTILE[4])
@example(HOSTILE[5])
@example(HOSTILE[6])
@example(HOSTILE[7])
@example(HOSTILE[8])
@example(HOSTILE[9])
@example(HOSTILE[10])
@example(HOSTILE[11])
@given(name=st.text(min_size=1, max_size=30))
def test_no_name_breaks_out_of_its_place(name: str) -> None:
    plain = plain_page()
    page = Read(page_of(named(SMALL, name)))
    assert page.open == []
    assert set(page.tags) == set(plain.tags)
    assert {(tag, attribute) for tag, attribute, _ in page.attributes} == {
        (tag, attribute) for tag, attribute, _ in plain.attributes
    }
    assert page.raw["script"][1] == plain.raw["script"][1]
    jobs = page.data()["jobs"]
    assert isinstance(jobs, dict)
    assert len(jobs["names"]) == 20


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "jobs", "policies"), [(10_000, 6000, 3), (600, 2500, 8)])
def test_the_page_stays_small(nodes: int, jobs: int, policies: int) -> None:
    names = ("railwise", "spread", "affinity", "flat", "best-fit", "binpack", "fifo", "slurm")[:policies]
    comparison = made(nodes, jobs, names)
    page = page_of(comparison)
    assert len(page.encode()) <= MOST_BYTES
    data = Read(page).data()
    moments, told = data["moments"], data["jobs"]
    assert isinstance(moments, int)
    assert isinstance(told, dict)
    assert moments >= 24
    assert len(told["names"]) >= 100
    assert f"{len(told['names'])} of {jobs} workloads are told one by one" in page
    assert f"show {moments} moments" in page


@pytest.mark.slow
def test_names_that_do_not_fold_are_left_out_rather_than_let_the_page_grow() -> None:
    comparison = made(10_000, 2000)
    nodes = tuple(replace(node, name=sha256(node.name.encode()).hexdigest()) for node in comparison.scenario.nodes)
    page = page_of(replace(comparison, scenario=replace(comparison.scenario, nodes=nodes)))
    assert len(page.encode()) <= MOST_BYTES
    assert "Node names are left out" in page
