"""The still pictures of the page: bars of the figures that matter, lines of waits and of the cluster over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railwise.report.html.markup import esc
from railwise.report.measures import BY_NAME, LESS
from railwise.report.run_data import Comparison, Key, LinkLevel, RunData
from railwise.report.summary import Summary, difference_text, figure_text, title_of, verdict
from railwise.report.svg_chart import (
    LINES,
    Axis,
    Line,
    chart,
    cumulative,
    legend,
    number_axis,
    share_axis,
    steps,
    time_axis,
)

_BAR = 200


def tiles(summary: Summary, narrowest: str) -> str:
    """Return a card for each figure that is read first: a bar a policy, all on one scale."""
    keys: list[Key] = [("completion", ""), ("wait_mean", ""), ("used", "")]
    keys += [("close", narrowest)] if narrowest else [("held", "")]
    found = [key for key in keys if any(summary.figure(policy, key) for policy in summary.policies)]
    return f'<div class="tiles">{"".join(_tile(summary, key) for key in found)}</div>'


def _tile(summary: Summary, key: Key) -> str:
    measure = BY_NAME[key[0]]
    means = {policy: figure.mean for policy in summary.policies if (figure := summary.figure(policy, key))}
    top = 1000.0 if measure.unit == "thousandths" else max([*means.values(), 1.0])
    rows: list[str] = []
    for index, policy in enumerate(summary.policies):
        text = figure_text(measure, summary.figure(policy, key)) or "–"
        width = round(_BAR * means.get(policy, 0.0) / top)
        gap = summary.differences.get((policy, key))
        side = verdict(measure, gap)
        word = {1: "better", -1: "worse"}.get(side, "same")
        note = f'<span class="gap {word}">{esc(difference_text(measure, gap))}</span>' if gap else ""
        rows.append(
            f'<div class="bar"><span class="who">{esc(policy)}</span><span class="val">{esc(text)}{note}</span>'
            f'<svg viewBox="0 0 {_BAR} 6" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="track" width="{_BAR}" height="6" rx="3"/>'
            f'<rect class="fill f{index % LINES}" width="{max(width, 2)}" height="6" rx="3"/></svg></div>'
        )
    better = "less is better" if measure.better == LESS else "more is better"
    head = f'<h3>{esc(_sentence(title_of(key)))}</h3><p class="hint">{better}</p>'
    return f'<div class="tile">{head}{"".join(rows)}</div>'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def waits(comparison: Comparison) -> str:
    """Return how long workloads waited: the share that had started after so long."""
    scenario = comparison.scenario
    submits = [workload.submit for workload in scenario.workloads]
    lines: list[Line] = []
    longest = 0
    for policy in comparison.policies():
        run = comparison.first(policy)
        found = [
            max(job.start - submit, 0)
            for job, submit in zip(run.jobs, submits, strict=True)
            if job.start != -1 or job.end >= 0
        ]
        longest = max([longest, *found])
        lines.append(Line(policy, cumulative(found, len(submits))))
    whole = [_extended(line, float(max(longest, 1))) for line in lines]
    return _figure(
        "Share of all workloads that had started after waiting so long",
        whole,
        chart("Cumulative share of workloads by wait", whole, time_axis(max(longest, 1), "wait"), share_axis()),
    )


def _extended(line: Line, end: float) -> Line:
    points = list(line.points)
    return Line(line.name, [*points, (end, points[-1][1])] if points else points)


def over_time(comparison: Comparison, narrowest: str) -> str:
    """Return the cluster over time: cards in use, workloads that wait, fragmentation of the narrowest level."""
    runs = [comparison.first(policy) for policy in comparison.policies()]
    end = max((run.end for run in runs), default=1) or 1
    cards = sum(node.card_count() for node in comparison.scenario.nodes)
    held = [_line(run, [one.held / 1000 / cards if cards else 0.0 for one in run.samples]) for run in runs]
    waiting = [_line(run, [one.waiting / 1000 for one in run.samples]) for run in runs]
    x = time_axis(end, "time")
    parts = [
        _figure("GPUs held", held, chart("Share of GPUs held over time", held, x, share_axis())),
        _figure(
            "Workloads that wait",
            waiting,
            chart("Workloads that wait over time", waiting, x, number_axis(_top(waiting))),
        ),
    ]
    size = _telling_size(runs, narrowest)
    if size:
        slots = [_line(run, [float(one.slots[_slot(run, narrowest, size)]) for one in run.samples]) for run in runs]
        title = f"Slots left: gangs of {size} whole nodes that would fit inside one {narrowest}"
        parts.append(_figure(title, slots, chart(title, slots, x, number_axis(_top(slots)))))
    return "".join((*parts, *_uplinks(runs, x)))


def _uplinks(runs: Sequence[RunData], x: Axis) -> Iterable[str]:
    """Yield the load of the fullest uplink over time, a chart a level at which there was any."""
    for name in dict.fromkeys(link.level for run in runs for link in run.links):
        lines = [
            Line(run.policy, steps(_link_points(link, run.end)))
            for run in runs
            for link in run.links
            if link.level == name
        ]
        if _top(lines):
            title = f"Load of the fullest uplink of a {name}, modelled"
            yield _figure(title, lines, chart(title, lines, x, share_axis()))


def _link_points(link: LinkLevel, end: int) -> list[tuple[float, float]]:
    points = [(0.0, 0.0), *((float(sample.at), sample.peak / 1000) for sample in link.samples)]
    return [*points, (float(end), points[-1][1])]


def _telling_size(runs: Sequence[RunData], level: str) -> int:
    """Return the gang size in nodes for which slots left tell most: the largest that some domain of the level holds."""
    found = [
        size
        for run in runs
        for index, (name, size) in enumerate(run.slot_keys)
        if name == level and size > 1 and any(sample.slots[index] for sample in run.samples)
    ]
    return max(found, default=0)


def _slot(run: RunData, level: str, size: int) -> int:
    return run.slot_keys.index((level, size))


def _line(run: RunData, values: Sequence[float]) -> Line:
    points = [(float(sample.at), value) for sample, value in zip(run.samples, values, strict=True)]
    if points:
        points.append((float(run.end), points[-1][1]))
    return Line(run.policy, steps(points))


def _top(lines: Sequence[Line]) -> float:
    return max((height for line in lines for _, height in line.points), default=0.0)


def _figure(caption: str, lines: Sequence[Line], drawing: str) -> str:
    names = legend([line.name for line in lines]) if len(lines) > 1 else ""
    return f"<figure><figcaption>{esc(caption)}</figcaption>{names}{drawing}</figure>"
