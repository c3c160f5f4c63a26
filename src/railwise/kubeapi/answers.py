"""What a server says when it says no: a Status where it keeps its own rules, plain text where a proxy answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from railwise.kubeapi.errors import ConflictError, StatusError, status_class

ERROR_FROM = 400
"""HTTP's own border."""

UID = "metadata.uid"

LONGEST_TEXT = 2000
"""Bytes of an answer without a Status that are looked at."""


class _Camel(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    """The form of the API's objects."""


class Cause(_Camel, frozen=True):
    """One detail of why, and the field it is about."""

    reason: str = ""
    field: str = ""
    message: str = ""


class Details(_Camel, frozen=True):
    """Whom it is about, and when to come again (seconds)."""

    causes: tuple[Cause, ...] = ()
    retry_after_seconds: Annotated[int, msgspec.Meta(ge=0)] = 0


class Status(_Camel, frozen=True):
    """The API's own form of a refusal; also sent in the middle of a watch."""

    kind: str = ""
    code: int = 0
    reason: str = ""
    message: str = ""
    details: Details | None = None


def read_status(body: bytes) -> Status | None:
    """Return the Status in a body, None if it is something else."""
    try:
        found = msgspec.json.decode(body, type=Status)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if found.kind == "Status" else None


def refusal(request: str, code: int, body: bytes, headers: Mapping[str, str] | None = None) -> StatusError:
    """Return the error that an answer amounts to.

    ``request`` is how messages name what was asked (``GET /api/v1/pods``); ``code`` is the HTTP code, or 200 inside of
    a watch, where the Status has its own.
    """
    found = read_status(body)
    asked = _seconds((headers or {}).get("Retry-After", ""))
    if found is None:
        text = body[:LONGEST_TEXT].decode(errors="replace").strip()
        return status_class(code)(request, code, "", " ".join(text.split()), (), asked)
    code = found.code if found.code >= ERROR_FROM else code
    kind = status_class(code)
    causes: tuple[str, ...] = ()
    if found.details is not None:
        causes = tuple(cause.reason for cause in found.details.causes if cause.reason)
        if any(cause.field == UID for cause in found.details.causes):
            kind = ConflictError  # what was meant is another object of that name; the server calls that invalid
        if asked is None and found.details.retry_after_seconds:
            asked = float(found.details.retry_after_seconds)
    return kind(request, code, found.reason, found.message, causes, asked)


def _seconds(text: str) -> float | None:
    """Return a Retry-After in seconds; the form with a date is never sent by an API server and not read."""
    return float(text) if text.isascii() and text.isdigit() and len(text) <= len("86400") else None
