"""Dead letters: how they are asked for, what the rows tell of them, and when they grow old."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import AwareDatetime, Field, StringConstraints

from shared.domain.audit import Disposition
from shared.domain.errors import InvalidInput
from shared.domain.keys import QUEUE_ROOT, DocumentType, ObjectKey
from shared.domain.messages import Message

ALERT_AFTER = (timedelta(days=1), timedelta(days=3), timedelta(days=6))
SETTLED_AFTER = timedelta(days=6)
"""From then on a letter is either kept or recorded as expired."""
KEPT_UNASKED_AFTER = timedelta(days=6, hours=12)
"""If nobody can say by then whether a letter may go, it stays."""
TAKEN_AFTER = timedelta(days=7)
"""When the bucket's lifecycle rule removes what lies under `org/`."""

PENDING = frozenset({Disposition.DEAD, Disposition.EXPIRED})
"""Where a document may stand whose only copy of ours is the letter."""


class Shape(StrEnum):
    """What of a letter lies in the bucket."""

    LETTER = "letter"
    PDF_ONLY = "pdf_only"
    SIDECAR_ONLY = "sidecar_only"


class LetterFilter(Message):
    """Which letters are meant; nothing given means all."""

    organization_id: UUID | None = None
    document_type: DocumentType | None = None
    reason: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,64}$")] | None = None
    min_age_hours: float | None = Field(None, ge=0, le=24 * 3650)

    @property
    def prefix(self) -> str:
        """What every key meant begins with."""
        if self.organization_id is None:
            return QUEUE_ROOT
        folder = f"{QUEUE_ROOT}{self.organization_id}/"
        return folder if self.document_type is None else f"{folder}{self.document_type}/"

    def admits(self, key: ObjectKey, dead_at: datetime, now: datetime) -> bool:
        """As far as the key and the age tell; the reason is written elsewhere."""
        if self.organization_id not in (None, key.organization_id):
            return False
        if self.document_type not in (None, key.document_type):
            return False
        return self.min_age_hours is None or now - dead_at >= timedelta(hours=self.min_age_hours)


class LetterQuery(LetterFilter):
    """`GET /v1/dead-letters`."""

    limit: int = Field(50, ge=1, le=100)
    cursor: str | None = None

    @property
    def wanted(self) -> LetterFilter:
        """The filter alone; a cursor belongs to that, however long the pages are."""
        return LetterFilter.model_validate(self.model_dump(include=set(LetterFilter.model_fields)))


class Cursor(Message):
    """How far a reader has come through one selection, and through no other."""

    scope: str
    after: str

    def text(self) -> str:
        return base64.urlsafe_b64encode(json.dumps([self.scope, self.after]).encode()).rstrip(b"=").decode()

    @classmethod
    def open(cls, text: str | None, scope: str) -> str:
        """Where to go on; the beginning without a cursor."""
        if text is None:
            return ""
        cursor = cls._parse(text)
        if cursor is None:
            raise InvalidInput("cursor", "cursor: it is none of ours.")
        if cursor.scope != scope:
            raise InvalidInput("cursor", "cursor: it belongs to another selection of letters.")
        return cursor.after

    @classmethod
    def _parse(cls, text: str) -> Self | None:
        try:
            scope, after = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
            return cls(scope=scope, after=after)
        except (binascii.Error, ValueError, TypeError):
            return None


def scope_of(selection: Message) -> str:
    return hashlib.sha256(selection.model_dump_json().encode()).hexdigest()[:16]


class _OfLetter(Message):
    """Something that is said of one letter, named by the key of its PDF."""

    object_key: str

    @property
    def key(self) -> ObjectKey:
        key = ObjectKey.parse(self.object_key)
        if key is None:
            raise InvalidInput("objectKey", "objectKey is not the key of a PDF", unprocessable=True)
        return key


class DeadRow(_OfLetter):
    """The rows of one letter that say dead, taken together."""

    reason: str | None
    last_error: str | None
    dead_at: AwareDatetime | None
    documents: int
    redrives: int


class Standing(_OfLetter):
    """Where the documents of a letter stand now, and whether they may be let go."""

    documents: dict[UUID, Disposition]
    reason: str | None = None
    redrives: int = 0
    source_confirmed: bool = False
    """The application has each of them as its own latest version, so it can hand it in again."""
    holds: tuple[UUID, ...] = ()

    @property
    def pending(self) -> bool:
        return not PENDING.isdisjoint(self.documents.values())

    @property
    def overall(self) -> Disposition | None:
        """The least settled of its documents speaks for all."""
        return next((each for each in _URGENCY if each in self.documents.values()), None)


class DeadSummary(Message):
    """All rows that say dead, by reason; and where those stand that were ever sent back."""

    by_reason: dict[str, int]
    redriven: dict[Disposition, int]


_URGENCY = (
    Disposition.DEAD,
    Disposition.QUEUED,
    Disposition.EXPIRED,
    Disposition.REFUSED,
    Disposition.DISCARDED,
    Disposition.ARCHIVED,
    Disposition.ERASED,
)
