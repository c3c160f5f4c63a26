"""A small checker for the part of JSON Schema that our schemas use; any other keyword is an error, never ignored."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def problems(value: object, schema: dict[str, Any], root: dict[str, Any] | None = None, path: str = "$") -> list[str]:
    """Return where a value does not obey a schema."""
    root = schema if root is None else root
    found: list[str] = []
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS or keyword in {"required", "patternProperties", "additionalProperties"}:
            continue
        if keyword == "$ref":
            found += problems(value, root["$defs"][rule.removeprefix("#/$defs/")], root, path)
        elif keyword == "anyOf":
            if all(problems(value, one, root, path) for one in rule):
                found.append(f"{path}: none of {len(rule)} forms")
        elif keyword == "type":
            if not isinstance(value, TYPES[rule]) or (isinstance(value, bool) and rule != "boolean"):
                found.append(f"{path}: no {rule}")
        elif keyword in {"const", "enum"}:
            if value not in (rule if keyword == "enum" else [rule]):
                found.append(f"{path}: not {rule}")
        else:
            found += _by_form(keyword, rule, value, root, path)
    if isinstance(value, dict):
        found += _of_object(value, schema, root, path)
    return found


def _by_form(keyword: str, rule: Any, value: Any, root: dict[str, Any], path: str) -> list[str]:
    if keyword == "properties":
        return []
    if keyword == "propertyNames":
        names = value if isinstance(value, dict) else ()
        return [problem for name in names for problem in problems(name, rule, root, f"{path}.{name}")]
    if keyword == "items":
        items = value if isinstance(value, list) else []
        return [
            problem for place, item in enumerate(items) for problem in problems(item, rule, root, f"{path}[{place}]")
        ]
    checks: dict[str, Callable[[], bool]] = {
        "pattern": lambda: not isinstance(value, str) or re.search(rule, value) is not None,
        "maxLength": lambda: not isinstance(value, str) or len(value) <= rule,
        "minimum": lambda: not isinstance(value, int | float) or value >= rule,
        "maximum": lambda: not isinstance(value, int | float) or value <= rule,
        "minItems": lambda: not isinstance(value, list) or len(value) >= rule,
    }
    return [] if checks[keyword]() else [f"{path}: {keyword} {rule}"]


def _of_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], path: str) -> list[str]:
    found = [f"{path}: {key} is missing" for key in schema.get("required", ()) if key not in value]
    patterns = schema.get("patternProperties", {})
    for key, item in value.items():
        rules = [schema["properties"][key]] if key in schema.get("properties", {}) else []
        rules += [rule for pattern, rule in patterns.items() if re.search(pattern, key)]
        rest = schema.get("additionalProperties", True)
        if not rules and rest is False:
            found.append(f"{path}.{key}: unknown")
        elif not rules and isinstance(rest, dict):
            rules = [rest]
        for rule in rules:
            found += problems(item, rule, root, f"{path}.{key}")
    return found
