"""Everything that an API server, or the way to it, can answer, as one tree.

::

    RailwiseError
    ├── KubeconfigError           a kubeconfig, a token file or a credential plugin cannot be used
    └── ApiError                  the API server said no, or nothing
        ├── UnreachableError      no answer; ``sent`` tells whether the request may have been carried out all the same
        ├── UnreadableError       an answer that is not what the API promises
        ├── DeposedError          a write that was not sent, because another may lead by now
        └── StatusError           an answer that is an error: code, reason, message
            ├── UnauthorizedError (401), ForbiddenError (403), NotFoundError (404), GoneError (410)
            ├── ConflictError (409), ThrottledError (429)
            └── ServerError (5xx)

Code that writes decides by class: a conflict is news, a throttle is a wait, a server error leaves the outcome open.
"""

from __future__ import annotations

from railwise.model.errors import RailwiseError

LONGEST = 600
"""Characters of a server's message that are repeated."""


class KubeconfigError(RailwiseError):
    """Credentials that cannot be used: in which file and where in it, what was expected, what helps."""

    def __init__(self, source: str, path: str, message: str, hint: str = "") -> None:
        """Make the message ``SOURCE: PATH: message``, without what is empty."""
        super().__init__(": ".join(part for part in (source, path, message) if part))
        self.hint = hint


class ApiError(RailwiseError):
    """The root of what a request may end with; ``hint`` says what may help."""

    hint = ""


class UnreachableError(ApiError):
    """There was no (whole) answer. ``sent``: the server may have done what it was asked."""

    def __init__(self, message: str, *, sent: bool, hint: str = "") -> None:
        """Keep whether the request had left."""
        super().__init__(message)
        self.sent = sent
        self.hint = hint


class UnreadableError(ApiError):
    """Bytes that cannot be what the API promises."""


class DeposedError(ApiError):
    """This process may no longer lead, so it does not write."""


class StatusError(ApiError):
    """An answer with an error code.

    ``reason`` is the API's own word (``AlreadyExists``); ``causes`` are the reasons of details; ``retry_after`` is
    seconds, None if the server named none.
    """

    def __init__(
        self,
        request: str,
        code: int,
        reason: str = "",
        message: str = "",
        causes: tuple[str, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        """Make the message ``REQUEST: CODE REASON: text``."""
        text = message if len(message) <= LONGEST else message[:LONGEST] + " …"
        super().__init__(f"{request}: {code}{' ' + reason if reason else ''}{': ' + text if text else ''}")
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = causes
        self.retry_after = retry_after


class UnauthorizedError(StatusError):
    """The server does not know who this is."""

    hint = "the token or client certificate is not accepted; `kubectl auth whoami` shows whether it works there"


class ForbiddenError(StatusError):
    """The server knows who this is and does not allow it."""

    hint = "a Role or ClusterRole has to allow this verb on this resource; `kubectl auth can-i` checks"


class NotFoundError(StatusError):
    """There is no such object, or no such kind."""


class ConflictError(StatusError):
    """The object is another one, has changed, or is there already."""


class GoneError(StatusError):
    """The server no longer keeps what happened since then: list again."""


class ThrottledError(StatusError):
    """Not now: too many requests, or a disruption budget that is used up."""


class ServerError(StatusError):
    """The server failed; whether it did what it was asked is open."""


_BY_CODE: dict[int, type[StatusError]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    429: ThrottledError,
}


def status_class(code: int) -> type[StatusError]:
    """Return the class for an HTTP code."""
    return ServerError if code >= 500 else _BY_CODE.get(code, StatusError)  # noqa: PLR2004 -- HTTP's own border
