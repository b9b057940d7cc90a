"""What is true of the request being served: every log line carries it, and it is gone when the request is."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")
_CLOUD_TRACE = re.compile(r"(?!0{32})([0-9a-f]{32})(?:/(\d{1,20}))?(?:;o=\d)?", re.IGNORECASE)
_REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)


class Headers(Protocol):
    """The headers of a request, by name."""

    def get(self, name: str, default: str, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace as W3C and Google both name it: 32 hexadecimal digits, and 16 of the caller's span if it gave one."""

    trace_id: str
    span_id: str | None = None

    @classmethod
    def from_headers(cls, headers: Headers) -> Self:
        """The caller's trace, or a new one: a document's walk can be followed on any machine."""
        if found := _TRACEPARENT.fullmatch(headers.get("traceparent", "").strip()):
            return cls(found[1], found[2])
        if found := _CLOUD_TRACE.fullmatch(headers.get("X-Cloud-Trace-Context", "").strip()):
            return cls(found[1].lower(), _hexadecimal(found[2]))
        return cls(uuid4().hex)


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who asks what of which function."""

    function: str
    request_id: str
    trace: Trace
    organization_id: str | None = None
    user_id: str | None = None

    @classmethod
    def from_headers(cls, function: str, headers: Headers) -> Self:
        return cls(function, _request_id(headers), Trace.from_headers(headers))

    def fields(self) -> dict[str, object]:
        named = {"requestId": self.request_id, "organizationId": self.organization_id, "userId": self.user_id}
        return {name: value for name, value in named.items() if value is not None}


_request: ContextVar[RequestContext | None] = ContextVar("request", default=None)
_bound: ContextVar[Mapping[str, object]] = ContextVar("bound_fields")


def current() -> RequestContext | None:
    """The request this thread serves; None outside of any."""
    return _request.get()


def trace_id() -> str | None:
    """The trace that this request belongs to, to be handed on with the document."""
    request = _request.get()
    return request.trace.trace_id if request else None


def enter(request: RequestContext) -> None:
    """Make this the current request; the router runs each one in a copied context, so nothing has to be undone."""
    _request.set(request)


def identify(*, organization_id: str | None = None, user_id: str | None = None) -> None:
    """Add to the current request who it is for, once that is known."""
    if request := _request.get():
        organization, user = organization_id or request.organization_id, user_id or request.user_id
        _request.set(replace(request, organization_id=organization, user_id=user))


@contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Give every log line inside the block these fields."""
    token = _bound.set({**_bound.get({}), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def log_fields() -> dict[str, object]:
    """The fields a log line written here and now carries."""
    request = _request.get()
    return {**(request.fields() if request else {}), **_bound.get({})}


def _request_id(headers: Headers) -> str:
    given = headers.get("X-Request-Id", "") or headers.get("Function-Execution-Id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex


def _hexadecimal(span: str | None) -> str | None:
    number = int(span or 0)
    return f"{number:016x}" if 0 < number < 2**64 else None
