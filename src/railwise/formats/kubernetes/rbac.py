"""What a controller may do, as a table beside its code, and the roles of Kubernetes that follow from it.

Roles that are written by hand drift: a verb is missing until somebody meets a 403, and one that is no longer needed
stays for ever. Here a permission is declared once, with its reason, next to the code that uses it; the manifests of
``deploy/`` are written from the table, and tests hold it against what an API server saw a controller do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

GROUP: Final = "rbac.authorization.k8s.io"
API_VERSION: Final = f"{GROUP}/v1"
PART_OF: Final = {"app.kubernetes.io/part-of": "railwise"}
LONGEST_LINE: Final = 110


class Permission(NamedTuple):
    """Some verbs on one kind, and what they are for.

    ``resource`` is the plural, with a sub-resource behind a slash (``pods/binding``); ``group`` is empty for the core.
    ``own``: only in the namespace that the controller runs in. ``names``: only objects of these names (Kubernetes
    cannot limit ``create`` and ``list`` so). ``seldom`` says why a run may never need it, empty if every run does;
    ``spare`` are the verbs that this is said of, none: all.
    """

    group: str
    resource: str
    verbs: tuple[str, ...]
    why: str
    own: bool = False
    names: tuple[str, ...] = ()
    seldom: str = ""
    spare: tuple[str, ...] = ()

    def expected(self) -> tuple[str, ...]:
        """Return the verbs that every run makes use of."""
        return tuple(verb for verb in self.verbs if not self.seldom or (self.spare and verb not in self.spare))


def followed(group: str, resource: str, why: str, seldom: str = "") -> Permission:
    """Return the permission to follow a kind: listed where the server cannot stream what there is, then watched."""
    unlisted = "" if seldom else "a server that streams lists is not asked for them"
    spare = () if seldom else ("list",)
    return Permission(group, resource, ("list", "watch"), why, seldom=seldom or unlisted, spare=spare)


def rule(one: Permission) -> dict[str, Any]:
    """Return a permission as a rule of a role."""
    found: dict[str, Any] = {"apiGroups": [one.group], "resources": [one.resource]}
    if one.names:
        found["resourceNames"] = list(one.names)
    return found | {"verbs": list(one.verbs)}


class Account(NamedTuple):
    """A service account that is there already."""

    name: str
    namespace: str


def role_documents(
    name: str, permissions: Iterable[Permission], namespace: str, account: Account | None = None
) -> list[dict[str, Any]]:
    """Return roles called ``name`` and what binds them to an account, as documents; empty roles are left out.

    Without an ``account``, one of the same name is among the documents.
    """
    table = list(permissions)
    found: list[dict[str, Any]] = []
    if account is None:
        account = Account(name, namespace)
        found.append({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _meta(name, namespace)})
    for own in (False, True):
        rules = [rule(one) for one in table if one.own is own]
        if not rules:
            continue
        kind, where = ("Role", namespace) if own else ("ClusterRole", "")
        found += [
            {"apiVersion": API_VERSION, "kind": kind, "metadata": _meta(name, where), "rules": rules},
            {
                "apiVersion": API_VERSION,
                "kind": f"{kind}Binding",
                "metadata": _meta(name, where),
                "roleRef": {"apiGroup": GROUP, "kind": kind, "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace}],
            },
        ]
    return found


def role_text(name: str, permissions: Sequence[Permission], namespace: str, account: Account | None = None) -> str:
    """Return the same documents as YAML, with the reason above each rule."""
    reasons = {
        kind: [one.why for one in permissions if one.own is own]
        for kind, own in (("ClusterRole", False), ("Role", True))
    }
    parts = []
    for document in role_documents(name, permissions, namespace, account):
        lines = [f"{key}: {document[key]}" for key in ("apiVersion", "kind")]
        lines.append(f"metadata: {_flow(document['metadata'])}")
        if "rules" in document:
            lines.append("rules:")
            for why, one in zip(reasons[document["kind"]], document["rules"], strict=True):
                lines += [f"# {part}" for part in _wrapped(why)]
                lines.append(f"- {_flow(one)}")
        if "roleRef" in document:
            lines += [f"roleRef: {_flow(document['roleRef'])}", "subjects:"]
            lines += [f"- {_flow(subject)}" for subject in document["subjects"]]
        parts.append("\n".join(lines) + "\n")
    return "---\n".join(parts)


def _meta(name: str, namespace: str) -> dict[str, Any]:
    return {"name": name, **({"namespace": namespace} if namespace else {}), "labels": dict(PART_OF)}


def _flow(value: object) -> str:
    """Return YAML of one line; texts here are names, which need quotes only where they are empty."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    return str(value) or '""'


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= LONGEST_LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
