"""The results of a sweep as a page: what was varied, which differences are more than chance, and every figure.

Like the report of a simulation it loads nothing and sends nothing; it needs no script at all.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from railwise.report.html.markup import element, esc, section, table_html
from railwise.report.measures import BY_NAME
from railwise.report.run_data import Key
from railwise.report.summary import title_of
from railwise.report.sweep_tables import (
    Gap,
    GapRow,
    MeanRow,
    gaps_table,
    mean_text,
    means_table,
    shown_keys,
    verdict,
)
from railwise.report.wording import counted, joined

ROW: Final = 24
LEFT: Final = 170
MIDDLE: Final = 420
REACH: Final = 220
WIDTH: Final = 900
MOST_FAILED: Final = 100


@dataclass(frozen=True)
class SweepReport:
    """What the page tells: its name, sentences on what was run, the axes that have columns, figures, failed runs."""

    name: str
    against: str
    told: Sequence[str]
    axes: Sequence[str]
    means: Sequence[MeanRow]
    gaps: Sequence[GapRow]
    failed: Sequence[str] = ()


def sweep_page(report: SweepReport, style: str) -> str:
    """Return the page; ``style`` is that of the report of a simulation."""
    name = report.name or "sweep"
    lead = f"Compared with {report.against}, seed by seed. A bar is the 95 % interval of the mean difference."
    figures = "".join(_figure(one) for one in report.gaps)
    body = (
        f'<header><div class="top"><p class="brand">Railwise <span>sweep report</span></p></div>'
        f"<h1>{esc(name)}</h1>{element('p', esc(' '.join(report.told)), class_='lead')}</header><main>"
        f"{_result(report)}"
        f"{section('differences', 'What differs', figures, lead) if figures else ''}"
        f"{section('numbers', 'The numbers', _numbers(report))}"
        f"{_failed(report)}</main><footer><p>Railwise sweep report</p></footer>"
    )
    digest = b64encode(sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{esc(name)} – Railwise sweep report</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _result(report: SweepReport) -> str:
    lines = [_sentence(report, one) for one in report.gaps]
    if not lines:
        lines = ["One policy was run: there is nothing to compare it with."]
    first, rest = lines[0], lines[1:]
    more = f"<ul>{''.join(f'<li>{esc(line)}</li>' for line in rest)}</ul>" if rest else ""
    return (
        f'<section id="result" aria-label="Result"><div class="headline"><p class="sentence">{esc(first)}</p>{more}'
        "</div></section>"
    )


def _sentence(report: SweepReport, one: GapRow) -> str:
    """Return in a sentence where a policy is better and worse, whoever that speaks for."""
    found: dict[str, list[str]] = {"better": [], "worse": []}
    for key in shown_keys([one.gaps], wide=True):
        word = verdict(one.gaps[key].difference, BY_NAME[key[0]].better).text
        if word in found:
            found[word].append(title_of(key).replace(", ", " "))
    where = f" ({_labels(one)})" if one.labels else ""
    if not found["better"] and not found["worse"]:
        return f"Between {one.policy} and {report.against}{where} no difference is certain."
    parts = [f"{word} in {joined(names)}" for word, names in found.items() if names]
    return f"Than {report.against}, {one.policy} is{where} {'; '.join(parts)}."


def _labels(one: GapRow | MeanRow) -> str:
    return ", ".join(f"{axis} {label}" for axis, label in one.labels)


def _figure(one: GapRow) -> str:
    """Return the differences of one comparison as dots with intervals, in per cent of the other policy's mean."""
    shown = [(key, one.gaps[key]) for key in shown_keys([one.gaps], wide=True) if one.gaps[key].relative]
    if not shown:
        return ""
    title = f"{one.policy}{', ' + _labels(one) if one.labels else ''}"
    height = ROW * (len(shown) + 1) + 8
    lines = [
        f'<line class="axis" x1="{MIDDLE}" x2="{MIDDLE}" y1="4" y2="{height - ROW}"/>',
        *(
            f'<line class="grid" x1="{x}" x2="{x}" y1="4" y2="{height - ROW}"/>'
            f'<text class="tick" x="{x}" y="{height - 8}" text-anchor="middle">{text}</text>'
            for x, text in (
                (MIDDLE - REACH, "−100 %"),
                (MIDDLE - REACH // 2, "−50 %"),
                (MIDDLE + REACH // 2, "+50 %"),
                (MIDDLE + REACH, "+100 %"),
            )
        ),
    ]
    lines += [_bar(place, key, gap) for place, (key, gap) in enumerate(shown)]
    return (
        f'<figure><figcaption>{esc(title)}</figcaption><svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{esc(title)}: differences in per cent; the table below says the same">'
        f"{''.join(lines)}</svg></figure>"
    )


def _bar(place: int, key: Key, gap: Gap) -> str:
    measure = BY_NAME[key[0]]
    word = verdict(gap.difference, measure.better)
    relative = gap.relative or 0.0
    half = 0.0 if gap.difference.half is None or not gap.difference.mean else gap.difference.half
    around = abs(relative * half / gap.difference.mean) if gap.difference.mean else 0.0
    low, high, middle = (_x(value) for value in (relative - around, relative + around, relative))
    y = ROW * place + ROW // 2 + 4
    tone = word.tone or "dim"
    return (
        f'<text class="tick" x="{LEFT}" y="{y + 4}" text-anchor="end">{esc(title_of(key))}</text><g class="{tone}">'
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="currentColor" stroke-width="3"/>'
        f'<circle cx="{middle}" cy="{y}" r="4.5" fill="currentColor"/></g>'
        f'<text class="tick" x="{MIDDLE + REACH + 16}" y="{y + 4}">'
        f"{esc(mean_text(gap.difference, measure, signed=True))} {esc(word.text)}</text>"
    )


def _x(relative: float) -> int:
    """Return the place of a relative difference; beyond ±100 % it stays at the border."""
    return round(MIDDLE + REACH * max(-1.0, min(1.0, relative)))


def _numbers(report: SweepReport) -> str:
    means = table_html(means_table(report.axes, report.means), "Means, with half the width of their 95 % interval.")
    every = table_html(means_table(report.axes, report.means, wide=True), "More of them.")
    gaps = table_html(gaps_table(report.axes, report.gaps), f"Differences to {report.against}, seed by seed.")
    return means + f"<details><summary>More figures</summary>{every}</details>" + (gaps if report.gaps else "")


def _failed(report: SweepReport) -> str:
    if not report.failed:
        return ""
    more = len(report.failed) - MOST_FAILED
    lines = [*report.failed[:MOST_FAILED], *([f"and {more} more"] if more > 0 else [])]
    inner = f"<ul>{''.join(f'<li>{esc(line)}</li>' for line in lines)}</ul>"
    return section("failed", f"{counted(len(report.failed), 'run')} failed", inner, "Their figures are missing above.")
