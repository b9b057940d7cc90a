"""What operators ask of audit-callback: events, holds, and the rows of dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

import httpx
from pydantic import BaseModel, ValidationError

from shared.adapters.audit_api.client import HttpAuditApi
from shared.domain.audit import Event
from shared.domain.dead_letters import DeadRow, DeadSummary, LetterFilter, Standing
from shared.domain.errors import Unavailable
from shared.domain.holds import Hold
from shared.domain.keys import ObjectKey
from shared.domain.operator_callback import (
    ASKED_AT_ONCE,
    EventMessage,
    HoldsMessage,
    RowsMessage,
    StandingsMessage,
    StandingsQuery,
)

M = TypeVar("M", bound=BaseModel)


class HttpOperatorAudit(HttpAuditApi):
    """An event may be written twice if an answer was lost; everything else here only asks."""

    def operator_event(self, event: Event) -> None:
        self._send("POST", "/internal/v1/operator-events", EventMessage.of(event))

    def holds(self, organization_id: UUID) -> list[Hold]:
        return list(_read(self._send("GET", f"/internal/v1/holds/{organization_id}"), HoldsMessage).holds)

    def dead_letters(self, wanted: LetterFilter, after: str, limit: int) -> list[DeadRow]:
        asked = wanted.model_dump(mode="json", by_alias=True, exclude_none=True)
        params = {name: str(value) for name, value in {**asked, "after": after, "limit": limit}.items()}
        return list(_read(self._send("GET", "/internal/v1/dead-letters", params=params), RowsMessage).rows)

    def dead_summary(self) -> DeadSummary:
        return _read(self._send("GET", "/internal/v1/dead-letters/summary"), DeadSummary)

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]:
        found: list[Standing] = []
        for start in range(0, len(keys), ASKED_AT_ONCE):
            asked = StandingsQuery(object_keys=tuple(key.pdf for key in keys[start : start + ASKED_AT_ONCE]))
            answer = self._send("POST", "/internal/v1/dead-letters/standings", asked)
            found += _read(answer, StandingsMessage).standings
        return found


def _read(response: httpx.Response, model: type[M]) -> M:
    try:
        return model.model_validate_json(response.content)
    except ValidationError as exc:
        raise Unavailable(f"audit-callback answered something else than {model.__name__}") from exc
