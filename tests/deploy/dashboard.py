"""The Grafana dashboard of ``deploy/monitoring``: what each panel asks, and the JSON that follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

WIDTH: Final = 24
HEIGHT: Final = 8


class Query(NamedTuple):
    """An expression of PromQL, and how its lines are called."""

    expression: str
    legend: str


class Panel(NamedTuple):
    """One picture; ``unit`` is Grafana's word for it."""

    title: str
    about: str
    unit: str
    queries: Sequence[Query]
    kind: str = "timeseries"


class Row(NamedTuple):
    """Panels side by side below a heading."""

    title: str
    panels: Sequence[Panel]


def quantiles(metric: str, by: str = "") -> list[Query]:
    """Return p50 and p99 of a histogram."""
    labels = f"le, {by}" if by else "le"
    name = f" {{{{{by}}}}}" if by else ""
    return [
        Query(f"histogram_quantile({q}, sum by ({labels}) (rate({metric}_bucket[$__rate_interval])))", f"p{text}{name}")
        for q, text in ((0.5, "50"), (0.99, "99"))
    ]


def rate(metric: str, by: str) -> list[Query]:
    """Return the rate of a counter by a label."""
    return [Query(f"sum by ({by}) (rate({metric}[$__rate_interval]))", f"{{{{{by}}}}}")]


ROWS: Final[Sequence[Row]] = (
    Row(
        "Who waits",
        (
            Panel(
                "Waiting pods by queue",
                "Pods that are wanted and do not run.",
                "short",
                [Query("max by (queue) (railwise_queue_waiting_pods)", "{{queue}}")],
            ),
            Panel(
                "Why they wait",
                "Decisions that ended in a refusal, by reason code; `railwise explain CODE` tells what it means.",
                "ops",
                rate("railwise_refusals_total", "code"),
            ),
            Panel(
                "Wait of a gang until it is placed",
                "From creation to the decision that places it.",
                "s",
                quantiles("railwise_gang_wait_seconds"),
            ),
        ),
    ),
    Row(
        "Deciding and binding",
        (
            Panel("Decision latency", "Seconds of a round.", "s", quantiles("railwise_decision_seconds")),
            Panel("Bind latency", "From a decision until its pod is bound.", "s", quantiles("railwise_bind_seconds")),
            Panel(
                "Success rate",
                "Placed over decided.",
                "percentunit",
                [
                    Query(
                        'sum(rate(railwise_decisions_total{result="placed"}[$__rate_interval]))'
                        " / sum(rate(railwise_decisions_total[$__rate_interval]))",
                        "placed",
                    )
                ],
            ),
            Panel(
                "Bound pods and failures",
                "A second.",
                "ops",
                [
                    Query("sum(rate(railwise_bound_pods_total[$__rate_interval]))", "bound"),
                    *rate("railwise_bind_failures_total", "outcome"),
                ],
            ),
        ),
    ),
    Row(
        "Quality",
        (
            Panel(
                "Communication ratio",
                "Predicted step time at the place given, over that at the best place. 1 is best.",
                "short",
                quantiles("railwise_communication_ratio"),
            ),
            Panel(
                "Slots left",
                "Gangs of so many whole free nodes that still fit inside one domain of a level.",
                "short",
                [Query("max by (level, nodes) (railwise_slots_left)", "{{level}}, {{nodes}} nodes")],
            ),
            Panel(
                "Evicted and moved",
                "Workloads a second, by the rule by which they had to go.",
                "ops",
                [
                    *rate("railwise_evicted_workloads_total", "rule"),
                    Query("sum(rate(railwise_moved_workloads_total[$__rate_interval]))", "moved"),
                ],
            ),
        ),
    ),
    Row(
        "Fabric",
        (
            Panel(
                "Findings",
                "What is wrong with the fabric; `railwise discover` names each.",
                "short",
                [Query("max by (kind) (railwise_fabric_findings) > 0", "{{kind}}")],
            ),
            Panel(
                "Oldest word of each source",
                "Seconds since the most silent device was last confirmed.",
                "s",
                [Query("max by (source) (railwise_discovery_oldest_seconds)", "{{source}}")],
            ),
            Panel(
                "Silent devices",
                "Devices of which a source tells nothing now.",
                "short",
                [Query("max by (source) (railwise_discovery_silent_devices)", "{{source}}")],
            ),
            Panel(
                "Label changes an hour",
                "Objects written, by place.",
                "short",
                [Query("sum by (place) (increase(railwise_published_changes_total[1h]))", "{{place}}")],
            ),
        ),
    ),
    Row(
        "The API server, as Railwise meets it",
        (
            Panel("Requests", "A second, by answer.", "ops", rate("railwise_api_requests_total", "code")),
            Panel("Latency", "Until an answer.", "s", quantiles("railwise_api_request_seconds", "verb")),
            Panel(
                "Watches opened anew",
                "closed is usual; gone, broken and refused are not.",
                "ops",
                rate("railwise_watch_restarts_total", "end"),
            ),
            Panel(
                "Leader",
                "1 for the replica that works.",
                "short",
                [Query("max by (job, instance) (railwise_leader)", "{{job}} {{instance}}")],
            ),
        ),
    ),
)


def expressions() -> list[str]:
    """Return everything that the dashboard asks."""
    return [query.expression for row in ROWS for panel in row.panels for query in panel.queries]


def dashboard() -> dict[str, Any]:
    """Return the dashboard as Grafana imports it."""
    source = {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus"}
    return {
        "title": "Railwise",
        "uid": "railwise",
        "tags": ["railwise", "scheduling"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [source]},
        "panels": list(_panels()),
    }


def _panels() -> Iterator[dict[str, Any]]:
    number = top = 0
    for row in ROWS:
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"x": 0, "y": top, "w": WIDTH, "h": 1},
            "panels": [],
        }
        width = WIDTH // len(row.panels)
        for place, panel in enumerate(row.panels):
            number += 1
            yield {
                "id": number,
                "type": panel.kind,
                "title": panel.title,
                "description": panel.about,
                "datasource": {"type": "prometheus", "uid": "${datasource}"},
                "gridPos": {"x": place * width, "y": top + 1, "w": width, "h": HEIGHT},
                "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
                "targets": [
                    {"refId": chr(ord("A") + index), "expr": query.expression, "legendFormat": query.legend}
                    for index, query in enumerate(panel.queries)
                ],
            }
        top += 1 + HEIGHT
