"""What dashboard and alerts ask for: figures that the code has, by labels that they have."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from railwise.cli.operating import leading
from railwise.controllers.metrics import SchedulerMetrics
from railwise.discovery.hearing import Failed
from railwise.discovery.metrics import DiscoveryMetrics
from railwise.discovery.tables import Tables
from railwise.fabric.findings import Kind
from railwise.kubeapi.measured import Measured
from tests.conftest import ROOT
from tests.deploy.dashboard import dashboard, expressions

MONITORING = ROOT / "deploy" / "monitoring"
OF_PROMETHEUS = {"job", "instance"}
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def figures() -> dict[str, set[str]]:
    """Return the labels of each figure that any of the controllers serves, by the name Prometheus keeps it under."""
    registry = CollectorRegistry()
    leading(registry)
    SchedulerMetrics(registry)
    Measured(logging.getLogger("tests"), registry)
    tables = Tables({})
    tables.take(Failed("agent", "n1", "silent"), 0)
    DiscoveryMetrics(tables, lambda: 0, registry)
    found = {}
    for collector in list(registry._collector_to_names):  # noqa: SLF001 -- labels without a value are told nowhere else
        for family in collector.collect():
            names: Sequence[str] = getattr(collector, "_labelnames", ()) or getattr(family, "_labelnames", ())
            labels = {*names, *(label for sample in family.samples for label in sample.labels)}
            for suffix in SUFFIXES[family.type]:
                found[family.name + suffix] = labels | ({"le"} if suffix == "_bucket" else set())
    return found


def rules() -> list[dict[str, Any]]:
    document = yaml.safe_load((MONITORING / "alerts.yaml").read_text())
    return [rule for group in document["groups"] for rule in group["rules"]]


ALERTS = [rule["expr"] for rule in rules()]


@pytest.mark.parametrize("expression", [*expressions(), *ALERTS])
def test_every_figure_and_label_exists(expression: str) -> None:
    known = figures()
    names = set(re.findall(r"railwise_\w+", expression))
    assert names
    assert names <= known.keys()
    labels = {label for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(", ")}
    for name, matchers in re.findall(r"(railwise_\w+)\{([^}]*)\}", expression):
        asked = dict(re.findall(r"(\w+)=~?\"([^\"]*)\"", matchers))
        assert asked.keys() <= known[name], name
        if "kind" in asked:
            assert set(asked["kind"].split("|")) <= {kind.value for kind in Kind}
    for name in names:
        assert labels - OF_PROMETHEUS <= known[name], name


def test_parentheses_of_every_expression_are_closed() -> None:
    for expression in (*expressions(), *ALERTS):
        for opened, closed in ("()", "[]", "{}"):
            assert expression.count(opened) == expression.count(closed), expression


def test_what_a_legend_or_a_summary_fills_in_is_there() -> None:
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            filled = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert filled <= set(re.findall(r"\w+", target["expr"])), target
    for rule in rules():
        filled = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
        assert filled <= set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", rule["expr"])))), rule["alert"]


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    page = (ROOT / "docs" / "how-to" / "watch-railwise.md").read_text()
    for rule in rules():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"].keys() == {"summary", "action"}
        assert f"`{rule['alert']}`" in page, "docs/how-to/watch-railwise.md lists every alert"
