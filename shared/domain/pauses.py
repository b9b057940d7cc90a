"""Pauses of the drain: of everybody, or of one organisation."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from pydantic import AwareDatetime, Field

from shared.domain.messages import Message, Words

ALERT_EVERY = timedelta(days=1)


class Pause(Message):
    """Since when, and as far as it is known why and by whom; people may also have written the object by hand."""

    organization_id: UUID | None
    reason: str | None
    actor: str | None
    since: AwareDatetime
    age_seconds: int

    def alerts(self, watched_at: datetime, now: datetime) -> bool:
        """Whether a further whole day has passed since the last watch."""
        return (now - self.since) // ALERT_EVERY > max((watched_at - self.since) // ALERT_EVERY, 0)


class PauseRequest(Message):
    """`POST /v1/pauses`."""

    organization_id: UUID | None = None
    reason: Words
    actor: Words


class ResumeRequest(Message):
    """`DELETE /v1/pauses`, as query parameters."""

    organization_id: UUID | None = None
    actor: Words


class RunRequest(Message):
    """`POST /v1/runs`."""

    actor: Words
    budget_seconds: float = Field(60.0, ge=1, le=240)
