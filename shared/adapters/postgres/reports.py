"""What a report makes of a row: later news replace earlier, but nothing leaves the archive, and erased is for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.errors import InvalidInput
from shared.domain.receipt import Receipt, canonical, signed

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from shared.domain.audit import ArchiveReport, AuditRow
    from shared.domain.receipt import Signature

STATUS = {Disposition.QUEUED: ArchiveStatus.PENDING, Disposition.ARCHIVED: ArchiveStatus.ARCHIVED}


def check(report: ArchiveReport) -> None:
    if report.disposition is Disposition.ARCHIVED:
        if report.paperless_document_id is None:
            raise InvalidInput("paperlessDocumentId", "an archived document has an id in Paperless")
        if report.paperless_url is None:
            raise InvalidInput("paperlessUrl", "an archived document has an address in Paperless")


def allowed(current: Disposition, reported: Disposition) -> bool:
    """Whether a row may go from here to there."""
    if current is Disposition.ERASED:
        return False
    return reported is Disposition.ERASED or current is not Disposition.ARCHIVED


def told(row: AuditRow, report: ArchiveReport) -> AuditRow:
    """The row after the report; the same row if it has nothing to say to it."""
    if not allowed(row.disposition, report.disposition):
        return row
    return replace(
        row,
        status=STATUS.get(report.disposition, ArchiveStatus.FAILED),
        disposition=report.disposition,
        retry_count=report.retry_count,
        last_error=_storable(report.last_error),
        reason=_storable(report.reason),
        redrives=max(row.redrives, report.redrives),
    )


def told_and_signed(
    row: AuditRow, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]
) -> AuditRow:
    """The same, with a receipt for a row that this report makes archived."""
    after = _dated(row, told(row, report), now)
    becomes_archived = after.status is ArchiveStatus.ARCHIVED and row.status is not ArchiveStatus.ARCHIVED
    return _archived(after, report, now, sign) if becomes_archived else after


def _dated(before: AuditRow, after: AuditRow, now: datetime) -> AuditRow:
    dies = after.disposition is Disposition.DEAD and before.disposition is not Disposition.DEAD
    return replace(after, dead_at=now) if dies else after


def _archived(row: AuditRow, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]) -> AuditRow:
    receipt = Receipt(
        job_id=row.key.job_id,
        organization_id=row.key.organization_id,
        bilko_document_id=row.document_id,
        document_type=row.key.document_type,
        sha256=row.key.sha256,
        paperless_document_id=report.paperless_document_id or 0,
        paperless_url=report.paperless_url or "",
        accepted_at=row.created_at,
        archived_at=now,
    ).payload()
    return replace(
        row,
        paperless_document_id=report.paperless_document_id,
        paperless_url=report.paperless_url,
        archived_at=now,
        receipt=signed(receipt, sign(canonical(receipt))),
    )


def _storable(text: str | None) -> str | None:
    """An answer of Paperless, quoted in an error, may hold what PostgreSQL does not take as text."""
    return None if text is None else text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
