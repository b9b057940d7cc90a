"""Reads a request into values, and names the field when it cannot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from shared.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Request

    from shared.http.router import Call

M = TypeVar("M", bound=BaseModel)

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


def json_body(request: Request, model: type[M]) -> M:
    """The JSON body as a model: 400 if it is not JSON, 422 if a field is wrong, unknown or holds control characters."""
    data = request.get_data(cache=False)
    try:
        tree = from_json(data, allow_inf_nan=False)
    except ValueError as exc:
        raise InvalidInput("body", "The body is not valid JSON.") from exc
    for path, text in _texts(tree, ()):
        plain_text(".".join(path) or "body", text)
    try:
        return model.model_validate_json(data, extra="forbid", by_alias=True, by_name=False)
    except ValidationError as exc:
        raise _invalid(exc, "body", unprocessable=True) from exc


def text_fields(fields: Mapping[str, str], model: type[M], *, unprocessable: bool = True) -> M:
    """Fields that came as text, of a form or a query, as a model."""
    for name, text in fields.items():
        plain_text(name, text)
    try:
        return model.model_validate_strings(fields, extra="forbid", by_alias=True, by_name=False)
    except ValidationError as exc:
        raise _invalid(exc, "body", unprocessable=unprocessable) from exc


def query(request: Request, model: type[M]) -> M:
    """The query parameters as a model; each may be given once."""
    given = request.args.to_dict(flat=False)
    if repeated := next((name for name, values in given.items() if len(values) > 1), None):
        raise InvalidInput(repeated, f"{repeated} is given more than once.")
    return text_fields({name: values[0] for name, values in given.items()}, model, unprocessable=False)


def uuid_parameter(call: Call, name: str) -> UUID:
    """A path parameter that must be a UUID."""
    if not _UUID.fullmatch(call.parameters[name]):
        raise InvalidInput(name, f"{name} is not a UUID.")
    return UUID(call.parameters[name])


def idempotency_key(request: Request) -> str | None:
    """The header Idempotency-Key: up to 255 visible ASCII characters, or None if it is absent."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise InvalidInput("Idempotency-Key", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
    return key


def plain_text(field: str, text: str) -> str:
    """The text, if it holds no control character."""
    if _CONTROL.search(text):
        raise InvalidInput(_CONTROL.sub("?", field), "Control characters are not allowed.", unprocessable=True)
    return text


def _texts(tree: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(tree, str):
        yield path, tree
    elif isinstance(tree, dict):
        for name, value in tree.items():
            yield (*path, name), name
            yield from _texts(value, (*path, name))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _texts(value, (*path, str(index)))


def _invalid(exc: ValidationError, whole: str, *, unprocessable: bool) -> InvalidInput:
    error = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in error["loc"]) or whole
    message = error["msg"].removeprefix("Value error, ")
    return InvalidInput(field, f"{field}: {message}", unprocessable=unprocessable)
