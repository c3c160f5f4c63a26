"""As much of kustomize as ``deploy/`` uses, so that its files can be tested where there is no kubectl."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

KNOWN = {"apiVersion", "kind", "resources", "configMapGenerator"}


def built(folder: Path) -> list[dict[str, Any]]:
    """Return the objects of a folder with a ``kustomization.yaml``; every name in it must lead somewhere."""
    document = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert document.keys() <= KNOWN, f"{folder}: {sorted(document.keys() - KNOWN)} is not understood here"
    found: list[dict[str, Any]] = []
    for name in document["resources"]:
        path = folder / name
        assert path.exists(), f"{folder}/kustomization.yaml names {name}, which is not there"
        found += built(path) if path.is_dir() else [one for one in yaml.safe_load_all(path.read_text()) if one]
    for one in document.get("configMapGenerator", []):
        data = {name: (folder / name).read_text() for name in one["files"]}
        metadata = {"name": one["name"], "namespace": one["namespace"]}
        found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    return found


def names(objects: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return (kind, namespace, name) of each object, sorted; a generated ConfigMap without the digest in its name."""
    return sorted((one["kind"], one["metadata"].get("namespace", ""), _name(one)) for one in objects)


def _name(one: dict[str, Any]) -> str:
    name = str(one["metadata"]["name"])
    return re.sub(r"-[0-9a-z]{10}$", "", name) if one["kind"] == "ConfigMap" else name
