"""Which node an agent is on: as its token says, or as it is told where no token says it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from railwise.cli.run_agent import sources_there
from railwise.discovery.local.nvml import VARIABLE
from railwise.discovery.node_identity import NodeIdentity, node_of_headers
from railwise.kubeapi.credentials import basic, bearer
from railwise.model.errors import InputError
from tests.discovery.machines import sysfs_with_nics


def token(claims: object) -> str:
    """Return a token with these claims; who reads it here does not look at its signature."""
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256"}, claims)]
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "signature"])


BOUND = token({"sub": "x", "kubernetes.io": {"namespace": "s", "node": {"name": "n1", "uid": "u-1"}, "pod": {}}})


def test_a_token_that_is_bound_names_the_node() -> None:
    assert node_of_headers(bearer(BOUND)) == NodeIdentity("n1", "u-1")
    assert node_of_headers(bearer(BOUND), "n1") == NodeIdentity("n1", "u-1")


def test_another_node_cannot_be_named() -> None:
    with pytest.raises(InputError, match="token is that of a pod on n1, so nothing can be written about n2"):
        node_of_headers(bearer(BOUND), "n2")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        basic("me", "secret"),
        bearer("opaque"),
        bearer("a.b.c"),
        bearer(f"a.{base64.urlsafe_b64encode(b'[1]').decode()}.c"),
        bearer(token({"sub": "x"})),
        bearer(token({"kubernetes.io": {"node": {"name": ""}}})),
        bearer(token({"kubernetes.io": {"node": 3}})),
        bearer("é.é.é"),
    ],
    ids=["none", "password", "opaque", "no base64", "no claims", "unbound", "empty", "malformed", "not ascii"],
)
def test_where_no_token_says_it_somebody_must(headers: dict[str, str]) -> None:
    assert node_of_headers(headers, "n1") == NodeIdentity("n1")
    with pytest.raises(InputError, match="which node is this") as refused:
        node_of_headers(headers)
    assert "--node NAME" in refused.value.faults[0].hint


def test_an_agent_asks_what_its_node_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "libnvidia-ml-of-nobody.so.1")
    root = sysfs_with_nics(tmp_path / "sys", 1)
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    nothing = str(tmp_path / "nothing")
    assert sources_there(nothing, nothing, nothing) == []
    assert sources_there(str(root), nothing, nothing) == ["affinity"]
    (root / "class" / "kfd" / "kfd" / "topology" / "nodes").mkdir(parents=True)
    assert sources_there(str(root), str(program), str(program)) == ["lldpd", "nvidia-smi", "kfd", "affinity"]
