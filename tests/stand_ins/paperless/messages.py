"""A request and an answer, and the few shapes answers come in."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from http import HTTPStatus
from typing import Literal
from urllib.parse import parse_qsl

Breakage = Literal["", "refused", "lost", "hung"]


@dataclass(frozen=True)
class Request:
    """One request; header names are lower case."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @cached_property
    def parameters(self) -> dict[str, str]:
        """A repeated key keeps its last value, as Django does."""
        return dict(self.pairs)

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        return parse_qsl(self.query, keep_blank_values=True)

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Response:
    """One answer, or the way in which none comes."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    breakage: Breakage = ""
    seconds: float | None = None

    def with_headers(self, headers: Mapping[str, str]) -> Response:
        return replace(self, headers={**self.headers, **headers})


class Refusal(Exception):
    """Carries the answer that ends the work on a request."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"refused with {response.status}")
        self.response = response


def json_response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    written = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status, {"Content-Type": "application/json", **(headers or {})}, written)


def bare_text(text: str, status: int) -> Response:
    """Django's plain answers are declared as HTML and are not."""
    return Response(status, {"Content-Type": "text/html; charset=utf-8"}, text.encode())


def page(title: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    shown = html.escape(title)
    body = f"<!doctype html>\n<html lang=en><head><title>{shown}</title></head><body><h1>{shown}</h1></body></html>\n"
    return Response(status, {"Content-Type": "text/html; charset=utf-8", **(headers or {})}, body.encode())


def error_page(status: int) -> Response:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Web server is returning an unknown error"
    return page(f"{status} {phrase}", status)


def redirect(location: str) -> Response:
    return Response(302, {"Content-Type": "text/html; charset=utf-8", "Location": location})


def broken(breakage: Breakage, seconds: float | None = None) -> Response:
    return Response(0, breakage=breakage, seconds=seconds)


def detail(text: str, status: int, headers: Mapping[str, str] | None = None) -> Refusal:
    return Refusal(json_response({"detail": text}, status, headers))


def invalid(errors: object) -> Refusal:
    return Refusal(json_response(errors, 400))


def not_found(model: str | None = None) -> Refusal:
    return detail(f"No {model} matches the given query." if model else "Not found.", 404)


def denied(text: str = "You do not have permission to perform this action.") -> Refusal:
    return detail(text, 403)


def insufficient_permissions() -> Refusal:
    return Refusal(bare_text("Insufficient permissions", 403))


def crash() -> Refusal:
    """What an exception nobody caught looks like from outside."""
    return Refusal(page("Server Error (500)", 500))
