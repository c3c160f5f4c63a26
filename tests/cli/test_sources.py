"""Files beside a live cluster."""

from __future__ import annotations

from pathlib import Path

from railwise.cli.sources import load_scenario
from railwise.controllers.cache import LIVE_POLICY
from railwise.controllers.look import Look
from railwise.model.scenario import Scenario

HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\n"


def test_the_policy_is_that_of_the_files_if_they_have_one(tmp_path: Path) -> None:
    look = Look(Scenario(name="live", policy=LIVE_POLICY))
    settings, more = tmp_path / "settings.yaml", tmp_path / "more.yaml"
    settings.write_text(HEAD + "spec: {policy: {backfill: none}}\n")
    more.write_text(HEAD + "spec: {workloads: [{name: a, pods: 1}]}\n")
    found = load_scenario([str(settings), str(more)], look=look)
    assert (found.policy.backfill, found.policy.node_grace) == ("none", LIVE_POLICY.node_grace)
    assert [one.name for one in found.workloads] == ["a"]
    assert load_scenario([str(more)], look=look).policy == LIVE_POLICY
    settings.write_text(HEAD + "spec: {policy: {nodeGrace: 5s}}\n")
    assert load_scenario([str(settings)], look=look).policy.node_grace == 5_000_000
