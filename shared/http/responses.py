"""The responses our functions give: JSON, and nothing a proxy may keep."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from flask import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel


def model_response(model: BaseModel, status: int = 200) -> Response:
    """A message by its own names for its fields."""
    text = model.model_dump_json(by_alias=True)
    return Response(text, status, {"Cache-Control": "no-store"}, content_type="application/json")


def json_response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(text, status, {"Cache-Control": "no-store", **(headers or {})}, content_type="application/json")
