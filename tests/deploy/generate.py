"""Writes what ``deploy/`` takes from code (roles, policy, dashboard): ``python -m tests.deploy.generate``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import yaml

from railwise.controllers.admission import policy_objects
from railwise.controllers.permissions import GATE, SCHEDULER
from railwise.discovery.permissions import AGENT, ASCEND, DISCOVERY
from railwise.formats.kubernetes.dialects.crds import crds
from railwise.formats.kubernetes.rbac import PART_OF, Account, Permission, role_text
from tests.conftest import ROOT
from tests.deploy.dashboard import dashboard

NAMESPACE: Final = "railwise-system"
TABLES: Final[Mapping[str, Sequence[Permission]]] = {
    "scheduler": SCHEDULER,
    "gate": GATE,
    "discovery": DISCOVERY,
    "agent": AGENT,
}
DISCOVERER: Final = Account("railwise-discovery", NAMESPACE)
_HEAD: Final = "# Written by `python -m tests.deploy.generate` from permissions.py, with the reason above each rule.\n"
_HEAD_OF_KINDS: Final = "# Written by `python -m tests.deploy.generate`; the same as `railwise schema --crds` prints.\n"


def written() -> dict[str, str]:
    """Return the generated files by their path below ``deploy/``."""
    roles = {f"{name}/rbac.yaml": _HEAD + role_text(f"railwise-{name}", TABLES[name], NAMESPACE) for name in TABLES}
    board = json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"
    return {
        **roles,
        "ascend/rbac.yaml": _HEAD + role_text("railwise-discovery-ascend", ASCEND, "kube-system", DISCOVERER),
        "crds/queues-and-topologies.yaml": _HEAD_OF_KINDS + yaml.safe_dump_all(crds(), sort_keys=False, width=120),
        "gate/admission.yaml": _admission(),
        "monitoring/dashboard.json": board,
    }


def _admission() -> str:
    """Return the policy that puts the gate on pods of namespaces that asked for it."""
    head = "# Written by `python -m tests.deploy.generate` from controllers/admission.py.\n"
    objects = [
        {**one, "metadata": {**one["metadata"], "labels": PART_OF}} for one in policy_objects(spared=[NAMESPACE])
    ]
    return head + "---\n".join(yaml.dump(one, sort_keys=False, width=110, Dumper=_Plain) for one in objects)


class _Plain(yaml.SafeDumper):
    """Writes values that stand in two places twice."""

    def ignore_aliases(self, data: object) -> bool:
        """Return that nothing is an alias."""
        del data
        return True


if __name__ == "__main__":
    for path, text in written().items():
        (ROOT / "deploy" / path).write_text(text)
