"""What operators are shown of dead letters: a page of them, and one in full."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, JsonValue

from shared.domain.audit import Disposition
from shared.domain.dead_letters import Shape
from shared.domain.keys import DocumentType
from shared.domain.messages import Message
from shared.domain.pauses import Pause
from shared.domain.sidecar import Failure, Redrive


class ListedLetter(Message):
    """A line of the list; what its source cannot tell is null."""

    id: str
    organization_id: UUID
    document_type: DocumentType
    sha256: str
    reason: str | None = None
    meaning: str | None = None
    last_error: str | None = None
    dead_at: AwareDatetime
    age_seconds: int
    documents: int | None = None
    redrives: int | None = None
    kept: bool | None = None
    shape: Shape | None = None


class Summary(Message):
    """The whole, as the last watch saw it."""

    depth: int | None = None
    oldest_age_seconds: int | None = None
    watched_at: AwareDatetime | None = None


class LetterPage(Message):
    """`GET /v1/dead-letters`."""

    source: Literal["rows", "listing"]
    letters: tuple[ListedLetter, ...]
    strays: tuple[ListedLetter, ...] = ()
    ignored: tuple[str, ...] = ()
    more: bool
    cursor: str | None
    summary: Summary
    pauses: tuple[Pause, ...]


class LyingLetter(Message):
    """What lies in the bucket."""

    kept: bool
    readable: bool
    problem: str | None
    being_moved: bool
    dead_at: AwareDatetime
    age_seconds: int
    expires_at: AwareDatetime | None
    has_pdf: bool
    raw: JsonValue


class LetterDocument(Message):
    """One document of the letter, and where it stands."""

    bilko_document_id: UUID
    invoice_number: str | None = None
    contract_id: str | None = None
    trace_id: str | None = None
    timestamp: AwareDatetime | None = None
    disposition: Disposition | None = None


class Twin(Message):
    """The document in Paperless that has the same bytes."""

    paperless_document_id: int


class Download(Message):
    """The PDF, for a few minutes."""

    url: str
    expires_at: AwareDatetime


class Inspection(Message):
    """`GET /v1/dead-letters/{id}`."""

    id: str
    organization_id: UUID
    document_type: DocumentType
    sha256: str
    object_key: str
    standing: Disposition | Literal["unknown"]
    letter: LyingLetter | None
    reason: str | None
    meaning: str
    moves: tuple[str, ...]
    twin: Twin | None = None
    last_error: str | None = None
    retry_count: int | None = None
    size: int | None = None
    documents: tuple[LetterDocument, ...] = ()
    errors: tuple[Failure, ...] = ()
    redrives: tuple[Redrive, ...] = ()
    holds: tuple[UUID, ...] | None = None
    source_confirmed: bool | None = None
    download: Download | None = None


class WatchAnswer(Message):
    """`POST /`."""

    depth: int
    oldest_age_seconds: int | None
    newly_dead: int
    by_organization: dict[str, int]
    by_reason: dict[str, int] | None
    redriven: dict[Disposition, int] | None
    kept: int
    expired: int
    postponed: int
    alerts: tuple[str, ...]
    pauses: tuple[Pause, ...]
