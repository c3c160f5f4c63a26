"""One condition on labels, as node selectors and label selectors state it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """One expression of a selector: ``In``, ``NotIn``, ``Exists``, ``DoesNotExist``, ``Gt`` or ``Lt``.

    ``of_field`` marks a matchFields expression (only ``metadata.name``). ``Gt`` and ``Lt`` are for nodes only.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()
    of_field: bool = False
