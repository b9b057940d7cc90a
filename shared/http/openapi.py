"""An OpenAPI 3.1 document made from the models that the handlers really use, so that it cannot drift from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

REFS = "#/components/schemas/{model}"
VISIBLE = r"^[!-~]{1,255}$"
SECURITY = {
    "internalApiKey": {"type": "apiKey", "in": "header", "name": "X-Internal-Api-Key"},
    "googleIdToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
}


class Problem(BaseModel):
    """What every refusal says."""

    error: str
    code: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path, as its callers may rely on it."""

    method: str
    path: str
    summary: str
    answers: Mapping[int, type[BaseModel] | None]
    refusals: Sequence[int]
    bodies: Mapping[str, type[BaseModel]] = field(default_factory=dict)
    file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    """What a parameter of the path looks like, as a pattern."""
    public: bool = False


def document(title: str, version: str, description: str, operations: Sequence[Operation]) -> dict[str, Any]:
    models: set[type[BaseModel]] = {Problem}
    for operation in operations:
        models |= {model for model in (*operation.bodies.values(), *operation.answers.values()) if model}
    chosen = sorted(models, key=lambda model: model.__name__)
    _, schemas = models_json_schema([(model, "validation") for model in chosen], by_alias=True, ref_template=REFS)
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas["$defs"])
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": description},
        "paths": paths,
        "components": {"schemas": schemas["$defs"], "securitySchemes": SECURITY},
        "security": [{name: []} for name in SECURITY],
    }


def _operation(operation: Operation, schemas: Mapping[str, Any]) -> dict[str, Any]:
    answers = {str(status): _answer(status, model) for status, model in operation.answers.items()}
    refusals = {str(status): _answer(status, Problem) for status in operation.refusals}
    described: dict[str, Any] = {"summary": operation.summary, "responses": {**answers, **refusals}}
    if parameters := _parameters(operation):
        described["parameters"] = parameters
    if operation.bodies:
        contents = {
            kind: {"schema": _body(operation, kind, model, schemas)} for kind, model in operation.bodies.items()
        }
        described["requestBody"] = {"required": True, "content": contents}
    return described | ({"security": []} if operation.public else {})


def _answer(status: int, model: type[BaseModel] | None) -> dict[str, Any]:
    schema = {"type": "object"} if model is None else {"$ref": REFS.format(model=model.__name__)}
    return {"description": _REASONS.get(status, "Refused"), "content": {"application/json": {"schema": schema}}}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": _text(operation.parameters.get(name))}
        for name in names
    ]
    in_headers = [
        {"name": name, "in": "header", "description": why, "schema": _text(VISIBLE)}
        for name, why in operation.headers.items()
    ]
    return in_path + in_headers


def _text(pattern: str | None) -> dict[str, str]:
    return {"type": "string"} if pattern is None else {"type": "string", "pattern": pattern}


def _body(operation: Operation, kind: str, model: type[BaseModel], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """A form has the model's fields and the file beside them."""
    if kind != "multipart/form-data" or operation.file is None:
        return {"$ref": REFS.format(model=model.__name__)}
    own = schemas[model.__name__]
    binary = {"type": "string", "contentMediaType": "application/pdf", "format": "binary"}
    return {
        "type": "object",
        "properties": {**own["properties"], operation.file: binary},
        "required": [*own["required"], operation.file],
        "additionalProperties": False,
    }


_REASONS = {
    200: "Done",
    201: "Made",
    202: "Accepted: the document is safe in the queue",
    400: "The request is malformed; `field` names where",
    401: "Credentials are missing or not valid",
    403: "These credentials do not allow this",
    404: "There is nothing by that name",
    409: "It contradicts what is already there",
    410: "This was erased, and may not come back",
    413: "The body is too large",
    415: "The body is not of a type we take",
    422: "A field is wrong; `field` names it",
    429: "Too many requests",
    503: "A part we need is not available; retry later",
}
