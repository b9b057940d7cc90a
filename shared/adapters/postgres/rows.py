"""Rows of `archive_audit_log` as the values the rest of the house knows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from shared.domain.audit import ArchiveStatus, AuditRow, Disposition
from shared.domain.keys import DocumentType, ObjectKey

if TYPE_CHECKING:
    from shared.adapters.postgres.session import Row


def audit_row(row: Row) -> AuditRow:
    return AuditRow(
        key=ObjectKey(row["organization_id"], DocumentType(row["document_type"]), row["sha256"]),
        document_id=row["bilko_document_id"],
        status=ArchiveStatus(row["archive_status"]),
        disposition=Disposition(row["disposition"]),
        created_at=_utc(row["created_at"]),
        retry_count=row["retry_count"],
        last_error=row["last_error"],
        reason=row["reason"],
        paperless_document_id=row["paperless_doc_id"],
        paperless_url=row["paperless_doc_url"],
        archived_at=None if row["archived_at"] is None else _utc(row["archived_at"]),
        receipt=row["receipt"],
        dead_at=None if row["dead_at"] is None else _utc(row["dead_at"]),
        redrives=row["redrives"],
    )


def change(row: AuditRow, surplus: list[int]) -> Row:
    """What `change_rows` takes for one row."""
    return {
        "bilko_document_id": str(row.document_id),
        "archive_status": row.status,
        "disposition": row.disposition,
        "retry_count": row.retry_count,
        "last_error": row.last_error,
        "reason": row.reason,
        "paperless_doc_id": row.paperless_document_id,
        "paperless_doc_url": row.paperless_url,
        "archived_at": None if row.archived_at is None else row.archived_at.isoformat(),
        "receipt": row.receipt,
        "surplus": surplus,
        "dead_at": None if row.dead_at is None else row.dead_at.isoformat(),
        "redrives": row.redrives,
    }


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
