"""The one table that turns errors into responses."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from shared.domain.errors import (
    ArchivoltError,
    Conflict,
    Forbidden,
    Gone,
    InvalidInput,
    Locked,
    MethodNotAllowed,
    NotFound,
    PreconditionFailed,
    RequestError,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
)
from shared.http.responses import json_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Response

RETRY_AFTER = 30.0

STATUS: dict[type, int] = {
    RequestError: 400,
    InvalidInput: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    MethodNotAllowed: 405,
    Conflict: 409,
    Gone: 410,
    TooLarge: 413,
    UnsupportedMediaType: 415,
    Locked: 423,
    TooManyRequests: 429,
    PreconditionFailed: 503,
    Unavailable: 503,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as the caller may know it."""

    status: int
    code: str
    message: str
    field: str | None = None
    headers: Mapping[str, str] | None = None

    def response(self) -> Response:
        named = {"field": self.field} if self.field is not None else {}
        return json_response({"error": self.message, "code": self.code, **named}, self.status, self.headers)


UNEXPECTED = Problem(500, "INTERNAL_ERROR", "Something went wrong on our side.")


def problem(exc: Exception) -> Problem:
    """What the caller is told; `code` is the error's own name, so a subclass brings its code along."""
    if isinstance(exc, RequestEntityTooLarge):
        return problem(TooLarge())
    if isinstance(exc, HTTPException):
        return _from_werkzeug(exc)
    status = next((STATUS[kind] for kind in type(exc).__mro__ if kind in STATUS), 500)
    if not isinstance(exc, ArchivoltError) or status == 500:
        return UNEXPECTED
    named = exc.field if isinstance(exc, InvalidInput | TooLarge) else None
    return Problem(_status(exc, status), _code(type(exc)), _sentence(exc, status), named, _headers(exc, status))


def _from_werkzeug(exc: HTTPException) -> Problem:
    if exc.code is None or not 400 <= exc.code < 500:
        return UNEXPECTED
    return Problem(exc.code, _code(type(exc)), f"{exc.name}.")


def _status(exc: ArchivoltError, status: int) -> int:
    return 422 if isinstance(exc, InvalidInput) and exc.unprocessable else status


def _sentence(exc: ArchivoltError, status: int) -> str:
    # What an adapter says of a part that failed is for the log; the caller gets what its class says.
    return exc.message if status < 500 else (type(exc).__doc__ or UNEXPECTED.message).strip().splitlines()[0]


def _code(kind: type) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).upper()


def _headers(exc: ArchivoltError, status: int) -> dict[str, str]:
    if isinstance(exc, MethodNotAllowed):
        return {"Allow": ", ".join(exc.allowed)}
    if status == 401:
        return {"WWW-Authenticate": 'Bearer realm="archivolt"'}
    if status in {429, 503}:
        return {"Retry-After": str(max(1, math.ceil(getattr(exc, "retry_after", None) or RETRY_AFTER)))}
    return {}
