"""The page as one text: what was compared, what came of it, what moves, under a strict policy of content.

The browser is told to load nothing, to run only the script and style that stand here (by their hash), and to send
nothing anywhere. So the page can be opened from a mail, and shows the same in ten years.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256

from railwise.report.headline import Headline, headline
from railwise.report.html import notes
from railwise.report.html.figures import over_time, tiles, waits
from railwise.report.html.markup import data_element, element, esc, section, table_html
from railwise.report.html.payload import payload
from railwise.report.html.worst import worst_placed
from railwise.report.run_data import Comparison
from railwise.report.runs import runs_table
from railwise.report.spreads import first_topology
from railwise.report.summary import Summary

STYLE_FILES = ("report.css",)
SCRIPT_FILES = ("decode.js", "colours.js", "cluster.js", "timeline.js", "gantt.js", "page.js")
"""The files that stand beside this module, in the order in which they are joined."""

MOST_BYTES = 1_000_000
"""A page is no larger, so that it can be sent by mail."""

ROOM = 30_000
"""Bytes kept for the notes and what stands around."""

LEAST_BUDGET = 200_000
"""What moves gets at least so many bytes, however many policies there are to tell of."""


@dataclass(frozen=True)
class Assets:
    """Style and script of the page, as text."""

    style: str
    script: str


def report_page(comparison: Comparison, summary: Summary, assets: Assets) -> str:
    """Return the page of a comparison.

    Args:
        comparison: the runs.
        summary: their figures.
        assets: the joined files.
    """
    levels = first_topology(comparison.scenario).levels
    narrowest = levels[-1].name if levels else ""
    name = comparison.scenario.name or "simulation"
    first = headline(comparison, summary, narrowest)
    before = "".join(
        (
            '<a class="skip" href="#result">Skip to the result</a>',
            _header(comparison, name),
            "<main>",
            _result(first, summary, narrowest),
            _live(comparison),
            _waits(comparison, narrowest),
            _worst(comparison) if levels else "",
            _numbers(summary),
            section("policies", "What was compared", notes.policies(comparison)),
        )
    )
    still = len(before.encode()) + len(assets.style.encode()) + len(assets.script.encode())
    told = payload(comparison, max(MOST_BYTES - still - ROOM, LEAST_BUDGET))
    after = "".join(
        (
            section("notes", "Notes", notes.notes(comparison, told), "What to know before relying on this."),
            "</main>",
            "<footer><p>Railwise simulation report</p></footer>",
            data_element("data", told.data),
        )
    )
    return _document(name, before + after, assets)


def _document(name: str, body: str, assets: Assets) -> str:
    script = f'"use strict";(() => {{\n{assets.script}}})();\n'
    style = assets.style
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{esc(name)} – Railwise simulation report</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n{body}<script>{script}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")


def _header(comparison: Comparison, name: str) -> str:
    button = '<button type="button" id="theme" class="no-print needs-script" hidden>Light or dark</button>'
    top = f'<div class="top"><p class="brand">Railwise <span>simulation report</span></p>{button}</div>'
    lead = element("p", esc(notes.compared(comparison)), class_="lead")
    return f"<header>{top}<h1>{esc(name)}</h1>{lead}</header>"


def _result(first: Headline, summary: Summary, narrowest: str) -> str:
    more = f"<ul>{''.join(f'<li>{esc(line)}</li>' for line in first.more)}</ul>" if first.more else ""
    box = f'<div class="headline"><h2 class="sentence" id="result-title">{esc(first.sentence)}</h2>{more}</div>'
    return f'<section id="result" aria-labelledby="result-title">{box}{tiles(summary, narrowest)}</section>\n'


def _live(comparison: Comparison) -> str:
    """Return everything that follows the slider."""
    note = '<p class="no-script">This part is drawn by the page\'s own script, which did not run.</p>'
    panels = (
        f"{_controls(comparison)}"
        '<div class="panel"><h3>The cluster at this moment</h3><ul class="legend" id="spreads"></ul>'
        '<canvas id="cluster" role="img" tabindex="0" aria-label="The cluster"></canvas>'
        '<p id="pointed" role="status" aria-live="polite"></p>'
        '<p class="hint no-print">Point at a node, or move to it with the arrow keys, to see who is on it.</p></div>'
        '<div class="panel"><h3>All nodes over all time</h3><p class="hint">A column is a moment, a row a node in the '
        "order of the network. Click to go to a moment.</p>"
        '<canvas id="timeline" role="img" aria-label="Nodes over time; the slider above does the same"></canvas></div>'
        '<div class="panel"><h3>Running at this moment</h3><div class="scroll" tabindex="0" role="region" '
        'aria-label="Running at this moment"><table><thead><tr><th scope="col">WORKLOAD</th><th scope="col">GPUS</th>'
        '<th scope="col">ON</th><th scope="col">LIES IN</th><th scope="col">FOR</th></tr></thead>'
        '<tbody id="running"></tbody></table></div><p class="hint" id="more"></p></div>'
        f"{_gantt()}"
    )
    inner = f'{note}<div class="needs-script" hidden>{panels}</div>'
    lead = "Move through time, switch the policy, and see who was where and how far apart."
    return section("where", "Where everybody was", inner, lead)


def _controls(comparison: Comparison) -> str:
    policies = comparison.policies()
    runs = _choices("run", "Policy", [(str(index), policy) for index, policy in enumerate(policies)])
    modes = _choices("mode", "Colour", [("spread", "how wide work lies"), ("job", "workload")])
    moments = (
        '<div class="when"><button type="button" id="play" class="no-print">Play</button>'
        '<label for="moment">Moment</label>'
        '<input type="range" id="moment" min="0" max="0" value="0" step="1">'
        '<output id="time" for="moment">0s</output></div>'
    )
    return f'<div class="controls"><div class="row">{runs}{modes}</div>{moments}<p id="facts"></p></div>'


def _choices(name: str, title: str, values: list[tuple[str, str]]) -> str:
    found = "".join(
        f'<label class="choice"><input type="radio" name="{name}" value="{esc(value)}"{"" if index else " checked"}>'
        f"<span>{esc(text)}</span></label>"
        for index, (value, text) in enumerate(values)
    )
    return f"<fieldset><legend>{title}</legend>{found}</fieldset>"


def _gantt() -> str:
    orders = (("submit", "submitted first"), ("wait", "longest wait"), ("gpus", "most GPUs"), ("spread", "widest"))
    options = "".join(f'<option value="{value}">{text}</option>' for value, text in orders)
    return (
        '<div class="panel"><h3>Workload by workload</h3><p class="hint">A thin bar is a wait, a thick one a run in '
        "the colour of how wide it lay; a red line marks where it was stopped.</p>"
        '<div class="tools no-print"><label>Find <input type="search" id="search" autocomplete="off"></label> '
        f'<label>Order <select id="order">{options}</select></label> <span class="hint" id="count"></span></div>'
        '<div id="gantt" tabindex="0" role="region" aria-label="Workloads over time"></div></div>'
    )


def _waits(comparison: Comparison, narrowest: str) -> str:
    inner = f'<div class="charts">{waits(comparison)}{over_time(comparison, narrowest)}</div>'
    lead = "The further left and up a line of waits, the sooner work started. Below, the cluster over time."
    return section("waits", "How long work waited, and how full the cluster was", inner, lead)


def _worst(comparison: Comparison) -> str:
    lead = "Connections that leave a domain share its uplinks with everybody else. Few cut connections are quick ones."
    return section("worst", "The worst-placed workloads", worst_placed(comparison), lead)


def _numbers(summary: Summary) -> str:
    own = summary.policies[0]
    against = f" Differences are to {own}." if len(summary.policies) > 1 else ""
    doubt = " A question mark: the seeds do not bear it out." if len(summary.seeds) > 1 else ""
    brief = table_html(runs_table(summary), f"The figures that matter.{against}{doubt}")
    whole = table_html(runs_table(summary, wide=True), f"Every figure, by size, level, queue and gang size.{against}")
    rest = f"<details><summary>All figures</summary>{whole}</details>"
    what = f"<details><summary>What each figure says</summary>{notes.meanings(summary)}</details>"
    return section("numbers", "The numbers", brief + rest + what)
