"""What a live controller is told beside the cluster: the policy, in the form of a scenario that has nothing else.

Nodes, workloads and queues of a live cluster come from its objects. So a file that names any is a mistake, and said to
be one; the same file can be given to ``plan`` beside ``--context``, so that both decide alike.
"""

from __future__ import annotations

from railwise.formats.document import load
from railwise.formats.faults import Faults, at_key, described, guess
from railwise.formats.scenario.policy import POLICY_RECORD, build_policy
from railwise.formats.scenario.reader import SPEC_RECORD, read_head
from railwise.model.errors import Fault, InputError
from railwise.model.policy import Policy

_POLICY = "policy"


def read_live_policy(data: bytes, source: str, default: Policy) -> Policy:
    """Return the policy of a file that holds one scenario with nothing but ``spec.policy``.

    What it does not say is as in ``default``. Raises InputError with all faults.
    """
    documents = load(data, source)
    if len(documents) != 1:
        raise InputError([Fault("", f"expected one document, not {len(documents)}")], source)
    faults = Faults()
    value, _ = read_head(documents[0].value, "Scenario", SPEC_RECORD.fields, source, faults)
    spec = {} if value.get("spec") is None else value["spec"]
    if not isinstance(spec, dict):
        faults.add("spec", f"expected a mapping with 'policy', not {described(spec)}")
        spec = {}
    for key in spec:
        if key == _POLICY:
            continue
        if key in SPEC_RECORD.fields:
            faults.add(at_key("spec", key), "comes from the cluster; only 'policy' counts here")
        else:
            faults.add(at_key("spec", key), f"unknown field{guess(key, [_POLICY])}")
    record = POLICY_RECORD.read(spec.get(_POLICY) or {}, at_key("spec", _POLICY), faults) or {}
    policy = build_policy(record, at_key("spec", _POLICY), faults, default)
    faults.raise_any(source)
    return policy
