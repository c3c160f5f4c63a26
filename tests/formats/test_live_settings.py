"""What a live controller is told: a policy, and nothing that comes from its cluster."""

from __future__ import annotations

import pytest

from railwise.formats.scenario.live_settings import read_live_policy
from railwise.model.errors import InputError
from railwise.model.policy import Policy

DEFAULT = Policy(node_grace=60_000_000)
HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\n"


def _read(text: str) -> Policy:
    return read_live_policy((HEAD + text).encode(), "settings.yaml", DEFAULT)


def test_what_it_does_not_say_is_as_before() -> None:
    assert _read("") == DEFAULT
    assert _read("spec: {}") == DEFAULT
    found = _read("spec: {policy: {backfill: none, victimWait: 5m}}")
    assert (found.backfill, found.victim_wait, found.node_grace) == ("none", 300_000_000, 60_000_000)


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("spec: {nodes: []}", "spec.nodes", "comes from the cluster"),
        ("spec: {polcy: {}}", "spec.polcy", "did you mean 'policy'?"),
        ("spec: {policy: {backfil: easy}}", "spec.policy.backfil", "did you mean 'backfill'?"),
        ("spec: []", "spec", "expected a mapping"),
        ("policy: {}", "policy", "unknown field"),
        ("---\n" + HEAD, "", "expected one document, not 2"),
    ],
)
def test_mistakes_are_named(text: str, path: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        _read(text)
    [fault] = caught.value.faults
    assert fault.path == path
    assert words in fault.text()


def test_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="Scenario"):
        read_live_policy(b"apiVersion: railwise.dev/v1alpha1\nkind: Fabric\n", "x", DEFAULT)
    with pytest.raises(InputError, match="expected a mapping"):
        read_live_policy(b"[]", "x", DEFAULT)
