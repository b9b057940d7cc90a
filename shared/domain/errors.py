"""The few kinds of error the rest of the house speaks of.

ArchivoltError
├── ConfigError            the process cannot start like this
├── RequestError           the caller's fault, a 4xx
│   ├── InvalidInput       names the field
│   ├── Unauthenticated, Forbidden, NotFound, MethodNotAllowed, Conflict,
│   └── Gone, TooLarge, UnsupportedMediaType, Locked, TooManyRequests
├── PreconditionFailed     a conditional write lost to somebody else's
└── Unavailable            a part we need did not do its work; try again later
    ├── Throttled          it asked us to slow down; nothing was done
    ├── Ambiguous          the answer was lost; it may have been done
    └── ArchiveQueueFailure  the queue did not take a document: the one failure its sender sees
"""

from __future__ import annotations


class ArchivoltError(Exception):
    """Something went wrong in a way we know."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())

    @property
    def message(self) -> str:
        return str(self.args[0])


class ConfigError(ArchivoltError):
    """A setting is missing or malformed."""


class RequestError(ArchivoltError):
    """The request cannot be served as it is."""


class InvalidInput(RequestError):
    """A field of the request is wrong."""

    def __init__(self, field: str, message: str, *, unprocessable: bool = False) -> None:
        super().__init__(message)
        self.field = field
        self.unprocessable = unprocessable


class Unauthenticated(RequestError):
    """Credentials are missing or not valid."""


class Forbidden(RequestError):
    """These credentials do not allow this."""


class NotFound(RequestError):
    """There is nothing here by that name."""


class MethodNotAllowed(RequestError):
    """This path does not take that method."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        super().__init__()
        self.allowed = allowed


class Conflict(RequestError):
    """The request contradicts what is already there."""


class Gone(RequestError):
    """This was erased, and may not come back."""


class TooLarge(RequestError):
    """The body is larger than we take."""

    def __init__(self, message: str | None = None, *, field: str = "body") -> None:
        super().__init__(message)
        self.field = field


class UnsupportedMediaType(RequestError):
    """The body is not of a type we take."""


class Locked(RequestError):
    """A legal hold forbids this."""


class TooManyRequests(RequestError):
    """Too many requests; slow down."""

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PreconditionFailed(ArchivoltError):
    """The object is not in the state the write expected."""


class Unavailable(ArchivoltError):
    """A part we depend on is not available."""


class Throttled(Unavailable):
    """The other side asked us to slow down; nothing was done."""

    def __init__(self, retry_after: float | None = None, message: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ArchiveQueueFailure(Unavailable):
    """Document archived pending. Retry in 5 minutes."""

    retry_after = 300.0


class Ambiguous(Unavailable):
    """The answer was lost; the request may have been carried out."""
