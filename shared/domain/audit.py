"""What is written down about each document, and what the parts tell each other about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from shared.domain.keys import ObjectKey


class ArchiveStatus(StrEnum):
    """`archive_status` of a row: how its preservation stands."""

    PENDING = "pending"
    ARCHIVED = "archived"
    FAILED = "failed"


class Disposition(StrEnum):
    """Where an accepted document is; the law of conservation counts these."""

    QUEUED = "queued"
    ARCHIVED = "archived"
    DEAD = "dead"
    EXPIRED = "expired"
    DISCARDED = "discarded"
    ERASED = "erased"
    REFUSED = "refused"
    """The queue did not take it: it was never accepted."""


@dataclass(frozen=True, slots=True)
class AcceptedDocument:
    """One document handed to archive-write."""

    key: ObjectKey
    document_id: UUID
    organization_name: str
    accepted_at: datetime
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReportedDocument:
    """One entry of a sidecar's `documents[]`, as the drain reports it."""

    document_id: UUID
    accepted_at: datetime
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What the drain tells about one object; without documents it concerns every row of the key."""

    key: ObjectKey
    organization_name: str
    disposition: Disposition
    documents: tuple[ReportedDocument, ...]
    retry_count: int = 0
    last_error: str | None = None
    reason: str | None = None
    paperless_document_id: int | None = None
    paperless_url: str | None = None
    surplus: tuple[int, ...] = ()
    redrives: int = 0
    """How often operators have sent it back so far."""
    unless_queued: bool = False
    """Said of a letter: a row that was queued again meanwhile is left as it is."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A row of `archive_audit_log`."""

    key: ObjectKey
    document_id: UUID
    status: ArchiveStatus
    disposition: Disposition
    created_at: datetime
    retry_count: int
    last_error: str | None
    reason: str | None
    paperless_document_id: int | None
    paperless_url: str | None
    archived_at: datetime | None
    receipt: dict[str, Any] | None
    dead_at: datetime | None = None
    """When it last became a dead letter."""
    redrives: int = 0


@dataclass(frozen=True, slots=True)
class OrganizationLabels:
    """The ids that the cache remembers for an organisation."""

    correspondent_id: int
    tag_id: int


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of the append-only journal, before its identifiers are hidden."""

    organization_id: UUID
    action: str
    actor: str
    subject: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """What was answered to a request that carried this key."""

    request_digest: str
    status: int
    response: dict[str, Any]
