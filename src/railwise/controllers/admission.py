"""What puts the gate on new pods: an admission policy that the API server carries out by itself, or a webhook of ours.

The policy (``MutatingAdmissionPolicy``, served from Kubernetes 1.36 on) is the better of the two: it needs nobody to
answer, so pods get their gate also while Railwise is down, and then simply wait. Older servers ask the webhook.

Both look only into namespaces that carry the label ``railwise.dev/gate: enabled``. Whatever goes wrong with them, no
pod of another namespace is ever asked about. Inside those namespaces they fail closed: a pod that slipped past the gate
would take room that was promised to others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from railwise.formats.kubernetes.gate_marks import GATE, STOCK
from railwise.kubeapi.client import Client
from railwise.kubeapi.resources import Resource

GROUP = "admissionregistration.k8s.io"
VERSIONS = ("v1", "v1beta1")
"""Versions of the policy's API that are understood, the best first."""

NAME = "gate.railwise.dev"
"""The name of all objects of admission."""

ENABLED = "enabled"
"""The value of the label on namespaces whose pods pass the gate."""

PASSED = ("disabled", "released")
"""Values of the label on pods that need no gate: the owner's wish, or pods of a Job that was held as a whole."""

WEBHOOKS = Resource(GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", namespaced=False)

SPARED_SPACES = ("kube-system",)
"""Namespaces whose pods are never held, even if somebody labels them: without them nothing works."""


def policies(version: str) -> Resource:
    """Return the kind of admission policies in a version of the API."""
    return Resource(GROUP, version, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", namespaced=False)


def bindings(version: str) -> Resource:
    """Return the kind that puts policies into force."""
    plural = "mutatingadmissionpolicybindings"
    return Resource(GROUP, version, plural, "MutatingAdmissionPolicyBinding", namespaced=False)


def space_selector(spared: Sequence[str] = ()) -> dict[str, Any]:
    """Return which namespaces are looked into; ``spared`` are further ones that never are."""
    names = sorted({*SPARED_SPACES, *spared})
    return {
        "matchLabels": {GATE: ENABLED},
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": names}],
    }


POD_SELECTOR: Mapping[str, Any] = {"matchExpressions": [{"key": GATE, "operator": "NotIn", "values": list(PASSED)}]}
"""Which pods get the gate, by their labels."""

RULES: Mapping[str, Any] = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["pods"],
    "scope": "Namespaced",
}
"""What is asked about: pods that are being created."""

_SCHEDULERS = ", ".join(f"'{name}'" for name in STOCK)
CONDITIONS: Sequence[Mapping[str, str]] = (
    {
        "name": "default-scheduler",
        "expression": f"!has(object.spec.schedulerName) || object.spec.schedulerName in [{_SCHEDULERS}]",
    },
    {"name": "not-bound", "expression": "!has(object.spec.nodeName) || object.spec.nodeName == ''"},
    {
        "name": "no-agent",
        "expression": "!has(object.metadata.ownerReferences) || "
        "!object.metadata.ownerReferences.exists(o, o.kind in ['DaemonSet', 'Node'])",
    },
)
"""Which pods get the gate, by what they are: the stock scheduler's, and no agents, which belong to their node."""

MUTATION = f"Object{{spec: Object.spec{{schedulingGates: [Object.spec.schedulingGates{{name: '{GATE}'}}]}}}}"


def policy_objects(version: str = VERSIONS[0], spared: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the policy and what puts it into force, as they are applied."""
    policy = {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": NAME},
        "spec": {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": {
                "namespaceSelector": space_selector(spared),
                "objectSelector": dict(POD_SELECTOR),
                "resourceRules": [dict(RULES)],
            },
            "matchConditions": [dict(one) for one in CONDITIONS],
            "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": MUTATION}}],
        },
    }
    binding = {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": NAME},
        "spec": {"policyName": NAME},
    }
    return [policy, binding]


def webhook_object(client_config: Mapping[str, Any], spared: Sequence[str] = ()) -> dict[str, Any]:
    """Return the configuration of the webhook; ``client_config`` says where it answers and who vouches for it."""
    hook = {
        "name": NAME,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "reinvocationPolicy": "IfNeeded",
        "timeoutSeconds": 5,
        "namespaceSelector": space_selector(spared),
        "objectSelector": dict(POD_SELECTOR),
        "rules": [dict(RULES)],
        "matchConditions": [dict(one) for one in CONDITIONS],
        "clientConfig": dict(client_config),
    }
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": NAME},
        "webhooks": [hook],
    }


async def served_version(client: Client) -> str:
    """Return the version of the policy's API that the server has; empty: none.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    for version in VERSIONS:
        if await client.serves(policies(version)) and await client.serves(bindings(version)):
            return version
    return ""


async def put_policy(client: Client, version: str, spared: Sequence[str] = ()) -> None:
    """Put the policy into force, or bring it up to date, and take away a webhook of an earlier time.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    policy, binding = policy_objects(version, spared)
    await client.apply(policies(version), "", NAME, policy, force=True)
    await client.apply(bindings(version), "", NAME, binding, force=True)
    await client.delete(WEBHOOKS, "", NAME)


async def put_webhook(client: Client, client_config: Mapping[str, Any], spared: Sequence[str] = ()) -> None:
    """Put the webhook into force, or bring it up to date.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    await client.apply(WEBHOOKS, "", NAME, webhook_object(client_config, spared), force=True)


async def drop_policy(client: Client, version: str) -> None:
    """Take away a policy of an earlier time, where a webhook does its work.

    Raises:
        ApiError: the server cannot be reached or refuses.
    """
    for resource in (bindings(version), policies(version)):
        await client.delete(resource, "", NAME)
