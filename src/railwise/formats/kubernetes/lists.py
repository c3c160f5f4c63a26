"""Lists of objects, as ``kubectl get -o json`` prints them: ``List``, ``NodeList``, ``PodList``, however nested."""

from __future__ import annotations

from collections.abc import Iterator

from railwise.model.errors import Fault


def unfolded(where: str, value: object, faults: list[Fault]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the objects of a document: itself, or the items of a list (``List``, ``NodeList``, …), however nested."""
    if not isinstance(value, dict):
        faults.append(Fault(where, "expected a Kubernetes object", "a mapping with apiVersion, kind and metadata"))
        return
    kind = value.get("kind")
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in value:
        yield where, value
        return
    items = value["items"]
    if items is None:
        return
    if not isinstance(items, list):
        faults.append(Fault(f"{where}.items", "expected a list"))
        return
    for index, item in enumerate(items):
        named = item
        if isinstance(item, dict) and kind != "List":
            named = {"kind": kind.removesuffix("List"), "apiVersion": value.get("apiVersion", ""), **item}
        yield from unfolded(f"{where}.items[{index}]", named, faults)
