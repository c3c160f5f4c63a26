"""What can go wrong with a control plane on this machine; see ``model/errors.py`` for the whole tree."""

from __future__ import annotations

from railwise.model.errors import RailwiseError


class ControlPlaneError(RailwiseError):
    """A program is missing, cannot be built, does not start or does not stop; ``hint`` says what to do about it."""

    def __init__(self, subject: str, message: str, hint: str = "") -> None:
        """Make the message ``SUBJECT message``; the subject is a program, a folder or a variable."""
        super().__init__(f"{subject} {message}")
        self.hint = hint


class NoControlPlaneError(ControlPlaneError):
    """There are no programs and they are not to be, or cannot be, built here."""
