"""One authenticated request on its way through an endpoint."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import parse_qsl

from tests.stand_ins.paperless import multipart
from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.messages import Request, detail, invalid
from tests.stand_ins.paperless.options import User
from tests.stand_ins.paperless.records import Json
from tests.stand_ins.paperless.world import World


@dataclass(frozen=True, slots=True)
class Call:
    """Who asks for what, in which version of the API."""

    world: World
    request: Request
    user: User
    version: int

    @property
    def archive(self) -> Archive:
        return self.world.archive

    @property
    def parameters(self) -> dict[str, str]:
        return self.request.parameters

    @property
    def wants_full_permissions(self) -> bool:
        return self.parameters.get("full_perms", "false").lower() in ("yes", "y", "1", "t", "true")

    def data(self) -> dict[str, Json]:
        """The body as an object, from JSON or a form."""
        body = self._body()
        if not isinstance(body, dict):
            found = type(body).__name__
            raise invalid({"non_field_errors": [f"Invalid data. Expected a dictionary, but got {found}."]})
        return body

    def _body(self) -> Json:
        media_type = self.request.media_type
        if media_type == "application/json" or (not media_type and not self.request.body):
            return self._json()
        if media_type == "application/x-www-form-urlencoded":
            return dict(parse_qsl(self.request.body.decode("utf-8", "replace"), keep_blank_values=True))
        if media_type == "multipart/form-data":
            return {part.name: part.content.decode("utf-8", "replace") for part in multipart.parse(self.request)}
        raise detail(f'Unsupported media type "{media_type}" in request.', 415)

    def _json(self) -> Json:
        if not self.request.body:
            return {}
        try:
            return json.loads(self.request.body)
        except ValueError as error:
            raise detail(f"JSON parse error - {error}", 400) from error
