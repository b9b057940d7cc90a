"""The bodies of audit-callback's routes for operators."""

from __future__ import annotations

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, JsonValue, StringConstraints

from shared.domain.audit import Event
from shared.domain.dead_letters import DeadRow, LetterFilter, Standing
from shared.domain.errors import InvalidInput
from shared.domain.holds import Hold
from shared.domain.keys import ObjectKey
from shared.domain.messages import Message, Words

ASKED_AT_ONCE = 500


class EventMessage(Message):
    """`POST /internal/v1/operator-events`."""

    organization_id: UUID
    action: Annotated[str, StringConstraints(pattern=r"^[a-z_]+\.[a-z_]+$", max_length=64)]
    actor: Words
    subject: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    details: dict[str, JsonValue] = Field(default_factory=dict, max_length=20)

    @classmethod
    def of(cls, event: Event) -> Self:
        return cls(
            organization_id=event.organization_id,
            action=event.action,
            actor=event.actor,
            subject=event.subject,
            details=event.details,
        )

    def event(self) -> Event:
        return Event(self.organization_id, self.action, self.actor, self.subject, dict(self.details))


class HoldsMessage(Message):
    """`GET /internal/v1/holds/{organizationId}`."""

    holds: tuple[Hold, ...]


class RowsQuery(LetterFilter):
    """`GET /internal/v1/dead-letters`, as query parameters."""

    after: Annotated[str, StringConstraints(max_length=500)] = ""
    limit: int = Field(100, ge=1, le=ASKED_AT_ONCE)


class RowsMessage(Message):
    """And its answer."""

    rows: tuple[DeadRow, ...]


class StandingsQuery(Message):
    """`POST /internal/v1/dead-letters/standings`: asks, and changes nothing; a query could not hold so many keys."""

    object_keys: tuple[str, ...] = Field(max_length=ASKED_AT_ONCE)

    def keys(self) -> list[ObjectKey]:
        parsed = [ObjectKey.parse(each) for each in self.object_keys]
        known = [key for key in parsed if key is not None]
        if len(known) < len(parsed):
            raise InvalidInput("objectKeys", "objectKeys: one of them is not the key of a PDF", unprocessable=True)
        return known


class StandingsMessage(Message):
    """And its answer."""

    standings: tuple[Standing, ...]
