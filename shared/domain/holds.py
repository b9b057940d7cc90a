"""Legal holds: what may be neither discarded nor left to expire."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from pydantic import AwareDatetime

from shared.domain.messages import Message, Words


class Hold(Message):
    """On one document, or on all of an organisation's, until it is lifted."""

    id: UUID
    organization_id: UUID
    document_id: UUID | None = None
    reason: Words
    actor: Words
    placed_at: AwareDatetime

    def covers(self, documents: Collection[UUID]) -> bool:
        return self.document_id is None or self.document_id in documents
