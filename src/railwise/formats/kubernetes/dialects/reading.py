"""What all readers of dialects do alike: a spec as a structure, faults as findings on the object they stand in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from railwise.formats.kubernetes.dialects.sources import ERROR, Finding, Source
from railwise.formats.kubernetes.schema import Quantity, converted
from railwise.model.errors import Fault
from railwise.model.quantity import parse_thousandths

T = TypeVar("T")


def spec_of(source: Source, kind: type[T], findings: list[Finding]) -> T | None:
    """Return the object's spec as a structure; None, and a finding, where it has another form."""
    faults: list[Fault] = []
    spec = source.object.spec
    found = converted(kind, {} if spec is None else spec, ".spec", faults)
    note(source, faults, findings)
    return found


def note(source: Source, faults: Iterable[Fault], findings: list[Finding]) -> bool:
    """Note faults, whose paths begin at the object, as findings; return whether there were none."""
    before = len(findings)
    findings.extend(Finding(source, ERROR, fault.path, fault.message, fault.hint) for fault in faults)
    return len(findings) == before


def weight_of(value: Quantity, path: str, faults: list[Fault]) -> int:
    """Return a weight in thousandths; what cannot be read is a fault and counts as 1."""
    try:
        return parse_thousandths(value.strip() if isinstance(value, str) else repr(value))
    except ValueError as error:
        faults.append(Fault(path, f"{error}, not '{value}'"))
        return 1000
