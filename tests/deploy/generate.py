"""Writes what ``deploy/`` takes from the code: the roles. ``python -m tests.deploy.generate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from railwise.controllers.permissions import SCHEDULER
from railwise.discovery.permissions import AGENT, DISCOVERY
from railwise.formats.kubernetes.rbac import Permission, role_text
from tests.conftest import ROOT

NAMESPACE: Final = "railwise-system"
TABLES: Final[Mapping[str, Sequence[Permission]]] = {"scheduler": SCHEDULER, "discovery": DISCOVERY, "agent": AGENT}
_HEAD: Final = "# Written by `python -m tests.deploy.generate` from permissions.py, with the reason above each rule.\n"


def written() -> dict[str, str]:
    """Return the generated files by their path below ``deploy/``."""
    return {f"{name}/rbac.yaml": _HEAD + role_text(f"railwise-{name}", TABLES[name], NAMESPACE) for name in TABLES}


if __name__ == "__main__":
    for path, text in written().items():
        (ROOT / "deploy" / path).write_text(text)
