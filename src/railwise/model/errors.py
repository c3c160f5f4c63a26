"""Everything that can go wrong, as one tree.

::

    RailwiseError
    ├── InputError          a document, a flag or a file cannot be used: one or more faults, each with path and hint
    ├── ApiError            an API server said no, or nothing: see kubeapi/errors.py
    ├── KubeconfigError     its address or our credentials cannot be used
    ├── ControlPlaneError   a control plane on this machine is missing or does not start
    └── MissingExtraError   an optional dependency is not installed: names the extra

A workload that cannot be placed is not an error but a ``Reason``.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """One fault of an input: where (``spec.nodes[3].in.rack``), what was expected, and how to mend it."""

    path: str
    message: str
    hint: str = ""

    def text(self) -> str:
        """Return ``path: message`` on one line, without the hint."""
        return f"{self.path}: {self.message}" if self.path else self.message


class RailwiseError(Exception):
    """The root of all errors that a user may see without a traceback."""


class InputError(RailwiseError):
    """An input cannot be used. ``source`` names the file; ``faults`` holds every fault found, in order."""

    def __init__(self, faults: list[Fault], source: str = "") -> None:
        """Keep the faults; the message lists them a line each."""
        self.faults = tuple(faults)
        self.source = source
        super().__init__("\n".join(fault.text() for fault in faults))


class MissingExtraError(RailwiseError):
    """An optional dependency is not installed; the message names the extra that brings it."""
