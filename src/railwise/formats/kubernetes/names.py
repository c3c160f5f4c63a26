"""Names of workloads that come from many namespaces and kinds, each as short as it can be and never ambiguous.

In a plan a workload is its name. ``llama`` is what people call their job; ``ml.llama`` is needed only where another
namespace has a ``llama`` too, and ``ml.job.llama`` only where the namespace has a pod of that name as well. The
longer form goes to all who would clash, so that which of them came first does not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from railwise.formats.kubernetes.schema import Meta
from railwise.model.errors import Fault

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def check_names(meta: Meta, what: str, where: str, faults: list[Fault]) -> bool:
    """Return whether name and namespace are such as the API accepts; what is wrong with them is a fault."""
    before = len(faults)
    if not meta.name:
        faults.append(Fault(f"{where}.metadata.name", f"a {what} needs a name"))
    elif not _NAME.fullmatch(meta.name):
        expected = "expected small letters, digits, '-' and '.'"
        faults.append(Fault(f"{where}.metadata.name", f"{expected}, not {meta.name[:80]!r}"))
    if meta.namespace and not _NAMESPACE.fullmatch(meta.namespace):
        expected = "expected small letters, digits and '-'"
        faults.append(Fault(f"{where}.metadata.namespace", f"{expected}, not {meta.namespace[:80]!r}"))
    return len(faults) == before


class ObjectName(NamedTuple):
    """What tells an object apart in a cluster; ``kind`` in lower case."""

    namespace: str
    kind: str
    name: str

    def forms(self) -> tuple[str, ...]:
        """Return the names to try, shortest first."""
        return (self.name, f"{self.namespace}.{self.name}", f"{self.namespace}.{self.kind}.{self.name}")


def short_names(objects: Sequence[ObjectName]) -> dict[ObjectName, str]:
    """Return a name for each object: the shortest form that no other object takes.

    A name that even the longest form leaves ambiguous (two documents with the same object) gets no second meaning:
    equal objects share it, and the caller must refuse them.
    """
    unique = sorted(set(objects))
    form = dict.fromkeys(unique, 0)
    clashing = unique
    while clashing:
        count = Counter(name.forms()[form[name]] for name in unique)
        last = len(ObjectName._fields) - 1
        clashing = [name for name in unique if form[name] < last and count[name.forms()[form[name]]] > 1]
        for name in clashing:
            form[name] += 1
    return {name: name.forms()[form[name]] for name in unique}
