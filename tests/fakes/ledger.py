"""The ledger in memory: plain dictionaries, the same rules written a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from shared.domain.audit import (
    AcceptedDocument,
    ArchiveReport,
    ArchiveStatus,
    AuditRow,
    Disposition,
    Event,
    IdempotencyRecord,
    OrganizationLabels,
    ReportedDocument,
)
from shared.domain.errors import InvalidInput
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.receipt import Receipt, Signature, canonical, signed

FINAL = {Disposition.ARCHIVED: {Disposition.ERASED}, Disposition.ERASED: set()}
FAILED = (Disposition.DEAD, Disposition.EXPIRED, Disposition.DISCARDED, Disposition.REFUSED)
WITH_SOURCE = (DocumentType.INVOICE, DocumentType.CONTRACT)


@dataclass(slots=True)
class SourceRow:
    """The application's own row of a document."""

    organization_id: UUID
    archive_job_id: str | None = None
    archive_status: str | None = None
    paperless_doc_url: str | None = None
    archived_at: datetime | None = None


@dataclass
class MemoryLedger:
    """Everything it holds may be looked at, and prepared, by a test."""

    rows: dict[tuple[ObjectKey, UUID], AuditRow] = field(default_factory=dict)
    surplus: dict[tuple[ObjectKey, UUID], set[int]] = field(default_factory=dict)
    organizations: dict[UUID, str] = field(default_factory=dict)
    sources: dict[tuple[DocumentType, UUID], SourceRow] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    sealed: int = 0
    answers: dict[tuple[UUID, str], IdempotencyRecord] = field(default_factory=dict)
    cache: dict[UUID, OrganizationLabels] = field(default_factory=dict)

    def accept(self, document: AcceptedDocument) -> AuditRow:
        key = document.key
        self.organizations[key.organization_id] = document.organization_name
        row = self.rows.get((key, document.document_id)) or self._new(key, document)
        if row.disposition in FAILED:
            row = replace(
                row,
                status=ArchiveStatus.PENDING,
                disposition=Disposition.QUEUED,
                retry_count=0,
                last_error=None,
                reason=None,
            )
        self.rows[key, document.document_id] = row
        self._note("archive.accepted", row)
        if row.disposition is not Disposition.ERASED:
            self._show(row, claim=True)
        return row

    def refuse(self, document: AcceptedDocument, error: str) -> None:
        told = ReportedDocument(document.document_id, document.accepted_at, document.trace_id)
        self._apply(
            ArchiveReport(document.key, document.organization_name, Disposition.REFUSED, (told,), last_error=error),
            None,
        )

    def record(self, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]) -> int:
        if report.disposition is Disposition.ARCHIVED and None in (report.paperless_document_id, report.paperless_url):
            raise InvalidInput("paperlessDocumentId", "an archived document has an id and an address in Paperless")

        def complete(before: AuditRow, after: AuditRow) -> AuditRow:
            if before.disposition is after.disposition:
                return after
            if after.disposition is Disposition.ARCHIVED:
                return _with_receipt(after, report, now, sign)
            return replace(after, dead_at=now) if after.disposition is Disposition.DEAD else after

        return self._apply(report, complete)

    def _apply(self, report: ArchiveReport, complete: Callable[[AuditRow, AuditRow], AuditRow] | None) -> int:
        if report.documents:
            self.organizations[report.key.organization_id] = report.organization_name
        known = [] if report.documents else [document for key, document in self.rows if key == report.key]
        told = {document.document_id: document for document in report.documents}
        for document_id in sorted(told or known):
            self._tell(document_id, report, told.get(document_id), complete)
        return len(told or known)

    def _tell(
        self,
        document_id: UUID,
        report: ArchiveReport,
        told: ReportedDocument | None,
        complete: Callable[[AuditRow, AuditRow], AuditRow] | None,
    ) -> None:
        place = (report.key, document_id)
        before = self.rows.get(place)
        row = before or self._new(report.key, told)
        queued_again = report.unless_queued and before is not None and before.disposition is Disposition.QUEUED
        after = row if queued_again else _after(row, report)
        after = complete(row, after) if complete else after
        known = self.surplus.setdefault(place, set())
        surplus = set() if row.disposition is Disposition.ERASED else set(report.surplus)
        changed = after != before or not known >= surplus
        known.update(surplus)
        self.rows[place] = after
        if changed:
            self._note(f"archive.{after.disposition}", after)
        if changed and after.disposition is not Disposition.ERASED:
            self._show(after, claim=before is None and self._newest(after))

    def _new(self, key: ObjectKey, document: AcceptedDocument | ReportedDocument | None) -> AuditRow:
        if document is None:
            raise LookupError("a row is only made for a document that was named")
        return AuditRow(
            key=key,
            document_id=document.document_id,
            status=ArchiveStatus.PENDING,
            disposition=Disposition.QUEUED,
            created_at=document.accepted_at,
            retry_count=0,
            last_error=None,
            reason=None,
            paperless_document_id=None,
            paperless_url=None,
            archived_at=None,
            receipt=None,
        )

    def _newest(self, row: AuditRow) -> bool:
        return not any(
            other.created_at > row.created_at
            for other in self.rows.values()
            if other.document_id == row.document_id
            and other.key.organization_id == row.key.organization_id
            and other.key.document_type == row.key.document_type
        )

    def _show(self, row: AuditRow, *, claim: bool) -> None:
        source = self.sources.get((row.key.document_type, row.document_id))
        if source is None or source.organization_id != row.key.organization_id:
            return
        if claim or source.archive_job_id == row.key.job_id:
            source.archive_job_id, source.archive_status = row.key.job_id, row.status
            source.paperless_doc_url, source.archived_at = row.paperless_url, row.archived_at

    def _note(self, action: str, row: AuditRow) -> None:
        details = {"disposition": row.disposition, "documentType": row.key.document_type}
        self.events.append(Event(row.key.organization_id, action, "ledger", str(row.document_id), details))

    def job(self, key: ObjectKey) -> list[AuditRow]:
        found = [row for (at, _), row in self.rows.items() if at == key]
        return sorted(found, key=lambda row: (row.created_at, row.document_id))

    def reachable(self) -> None:
        """Memory always is."""

    def recall(self, organization_id: UUID, idempotency_key: str) -> IdempotencyRecord | None:
        return self.answers.get((organization_id, idempotency_key))

    def remember(self, organization_id: UUID, idempotency_key: str, record: IdempotencyRecord) -> IdempotencyRecord:
        return self.answers.setdefault((organization_id, idempotency_key), record)

    def labels(self, organization_id: UUID) -> OrganizationLabels | None:
        return self.cache.get(organization_id)

    def save_labels(self, organization_id: UUID, organization_name: str, labels: OrganizationLabels) -> None:
        self.organizations[organization_id] = organization_name
        self.cache[organization_id] = labels

    def seal(self, limit: int) -> int:
        count = min(limit, len(self.events) - self.sealed)
        self.sealed += count
        return count

    def count_by_disposition(self, organization_id: UUID) -> dict[str, int]:
        rows = self.rows.values()
        return dict(Counter(row.disposition.value for row in rows if row.key.organization_id == organization_id))


def _after(row: AuditRow, report: ArchiveReport) -> AuditRow:
    if row.disposition in FINAL and report.disposition not in FINAL[row.disposition]:
        return row
    status = {Disposition.QUEUED: ArchiveStatus.PENDING, Disposition.ARCHIVED: ArchiveStatus.ARCHIVED}
    return replace(
        row,
        status=status.get(report.disposition, ArchiveStatus.FAILED),
        disposition=report.disposition,
        retry_count=report.retry_count,
        last_error=_text(report.last_error),
        reason=_text(report.reason),
        redrives=max(row.redrives, report.redrives),
    )


def _with_receipt(row: AuditRow, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]) -> AuditRow:
    payload = Receipt(
        row.key.job_id,
        row.key.organization_id,
        row.document_id,
        row.key.document_type,
        row.key.sha256,
        report.paperless_document_id or 0,
        report.paperless_url or "",
        row.created_at,
        now,
    ).payload()
    return replace(
        row,
        paperless_document_id=report.paperless_document_id,
        paperless_url=report.paperless_url,
        archived_at=now,
        receipt=signed(payload, sign(canonical(payload))),
    )


def _text(value: str | None) -> str | None:
    return None if value is None else value.replace("\0", "\ufffd").encode(errors="replace").decode()
