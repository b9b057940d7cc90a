"""Routes over functions-framework: one function gets every method and path, and answers each by one handler."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass

from flask import Request, Response
from werkzeug.exceptions import HTTPException

from shared.domain.errors import (
    ArchivoltError,
    ConfigError,
    MethodNotAllowed,
    NotFound,
    Unauthenticated,
    UnsupportedMediaType,
)
from shared.http import bodies
from shared.http.access import Access, Principal
from shared.http.errors import UNEXPECTED, problem
from shared.http.paths import Pattern
from shared.observability import context, metrics
from shared.observability.logs import Log

log = Log(__name__)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True)
class Call:
    """One request on its way to its handler."""

    request: Request
    parameters: Mapping[str, str]
    caller: Principal | None

    @property
    def principal(self) -> Principal:
        """Who calls; a public route has nobody to name."""
        if self.caller is None:
            raise Unauthenticated
        return self.caller


Handler = Callable[[Call], Response]
Authenticate = Callable[[Request, Access], Principal]


@dataclass(frozen=True, slots=True)
class Route:
    """What one method of one path asks of its caller, and who answers."""

    handler: Handler
    access: Access
    accepts: tuple[str, ...]
    max_body: int


class Router:
    """The routes of one function."""

    def __init__(self, name: str, *, max_body: int, authenticate: Authenticate | None = None) -> None:
        self.name = name
        self._max_body = max_body
        self._authenticate = authenticate
        self._paths: list[tuple[Pattern, dict[str, Route]]] = []

    def add(
        self,
        method: str,
        path: str,
        handler: Handler,
        *,
        auth: Access = Access.SERVICE,
        accepts: tuple[str, ...] = (),
        max_body: int | None = None,
    ) -> None:
        """Answer `method` on `path` by `handler`; `accepts` lists the content types its body may have."""
        if auth and self._authenticate is None:
            raise ConfigError(f"{method} {path} needs callers to be authenticated, and the router cannot")
        routes = self._routes_of(Pattern.parse(path))
        if method in routes:
            raise ValueError(f"{method} {path} is routed twice")
        routes[method] = Route(handler, auth, accepts, self._max_body if max_body is None else max_body)

    def dispatch(self, request: Request) -> Response:
        """Answer a request; what it leaves in context variables ends with it, though its thread serves others."""
        return copy_context().run(self._serve, request)

    def _serve(self, request: Request) -> Response:
        started = time.perf_counter()
        entered = context.RequestContext.from_headers(self.name, request.headers)
        context.enter(entered)
        pattern, routes, parameters = self._find(request.path)
        response = self._respond(request, routes, parameters)
        bodies.release(request, response)
        response.headers["X-Request-Id"] = entered.request_id
        self._log_request(request.method, pattern, response.status_code, time.perf_counter() - started)
        return response

    def _respond(self, request: Request, routes: Mapping[str, Route], parameters: Mapping[str, str]) -> Response:
        try:
            return self._answer(request, routes, parameters)
        except (ArchivoltError, HTTPException) as exc:
            refused = problem(exc)
            if refused.status >= 500:
                log.exception("http.failed", error=exc)
            return refused.response()
        except Exception:
            log.exception("http.unexpected")
            return UNEXPECTED.response()

    def _answer(self, request: Request, routes: Mapping[str, Route], parameters: Mapping[str, str]) -> Response:
        route = _choose(routes, request.method)
        bodies.limit(request, route.max_body)
        caller = self._identify(request, route.access)
        if route.accepts and request.mimetype not in route.accepts:
            raise UnsupportedMediaType(f"The body must be {' or '.join(route.accepts)}.")
        return route.handler(Call(request, parameters, caller))

    def _identify(self, request: Request, access: Access) -> Principal | None:
        if not access or self._authenticate is None:
            return None
        caller = self._authenticate(request, access)
        organization = str(caller.organization_id) if caller.organization_id else None
        context.identify(organization_id=organization, user_id=caller.user_id)
        return caller

    def _find(self, path: str) -> tuple[str, Mapping[str, Route], Mapping[str, str]]:
        for pattern, routes in self._paths:
            if (parameters := pattern.match(path)) is not None:
                return pattern.text, routes, parameters
        return UNMATCHED, {}, {}

    def _routes_of(self, pattern: Pattern) -> dict[str, Route]:
        for known, routes in self._paths:
            if known.shape == pattern.shape:
                if known != pattern:
                    raise ValueError(f"{pattern.text} and {known.text} fit the same paths")
                return routes
        routes = {}
        self._paths.append((pattern, routes))
        self._paths.sort(key=lambda entry: entry[0].shape)
        return routes

    def _log_request(self, method: str, pattern: str, status: int, seconds: float) -> None:
        known = method if method in METHODS else "OTHER"
        labels = {"function": self.name, "method": known, "route": pattern, "status": str(status)}
        metric = metrics.fields("http_request_duration_seconds", "histogram", round(seconds, 6), labels)
        write = log.error if status >= 500 else log.event
        write("http.request", method=known, route=pattern, status=status, durationMs=round(seconds * 1000, 3), **metric)


def _choose(routes: Mapping[str, Route], method: str) -> Route:
    if not routes:
        raise NotFound
    answered = {**({"HEAD": routes["GET"]} if "GET" in routes else {}), **routes}
    if method not in answered:
        raise MethodNotAllowed(tuple(sorted(answered)))
    return answered[method]
