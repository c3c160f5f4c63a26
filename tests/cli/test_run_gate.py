"""``railwise run gate`` given half of what it needs: said before anything is asked of a server."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Railwise

HERE = "--webhook-listen 0.0.0.0:9443"


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        (HERE, "a webhook needs where it listens", "--webhook-service railwise-system/railwise-gate:443"),
        ("--admission webhook", "a webhook needs where it listens", "--webhook-listen 0.0.0.0:9443"),
        (f"{HERE} --webhook-service a/b --webhook-url https://x", "either its Service or its URL", "--webhook-service"),
        ("--admission policy --webhook-url https://x", "there is no webhook with --admission policy", "leave it out"),
        (f"--admission none {HERE}", "--webhook-listen: there is no webhook with --admission none", "leave it out"),
        (f"{HERE} --webhook-url http://x", "--webhook-url http://x: is no https URL", "as in https://10.0.0.7:9443"),
        (f"{HERE} --webhook-service x", "--webhook-service x: is not NAMESPACE/NAME", "railwise-system/railwise-gate"),
        (
            f"{HERE} --webhook-service a/b:0",
            "--webhook-service a/b:0: '0' is no port",
            "as in railwise-system/gate:443",
        ),
        ("--lease x", "--lease x: is no lease", "as in kube-system/railwise-scheduler"),
        ("--levels a=b=c", "levels[0]: 'b=c' is no label key", "zone="),
        ("--webhook-listen x --webhook-service a/b", "'x' is no address", "HOST:PORT"),
        (f"{HERE} --webhook-service a/b --webhook-secret x", "--webhook-secret x: is not NAMESPACE/NAME", "as in"),
        ("--kubeconfig nothing", "nothing: cannot be read: No such file or directory", ""),
        ("--admission maybe", "'maybe' is not one of", "railwise run gate --help"),
    ],
)
def test_what_is_wrong_is_said(railwise: Railwise, line: str, error: str, hint: str) -> None:
    done = railwise("run", "gate", *line.split())
    assert done.code == 2
    assert done.out == ""
    assert error in done.err
    assert hint in done.err
    assert "Traceback" not in done.err
