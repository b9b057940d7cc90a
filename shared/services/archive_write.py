"""Take a document in: checked, recorded, staged, and committed by its sidecar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from shared.domain import transitions
from shared.domain.audit import AcceptedDocument, ArchiveStatus, AuditRow, Disposition
from shared.domain.errors import ArchiveQueueFailure, Gone, InvalidInput, PreconditionFailed, RequestError, Unavailable
from shared.domain.keys import ObjectKey
from shared.domain.pdf import PdfScan
from shared.domain.sidecar import Document, Priority, Sidecar, State, UnreadableSidecar
from shared.domain.submission import Accepted, Submission
from shared.observability import metrics
from shared.observability.logs import Log
from shared.ports import Clock, Ledger, ObjectStore
from shared.services.sidecars import Held, Sidecars, patiently

log = Log(__name__)

PDF, MARKER = "application/pdf", "application/octet-stream"
CHUNK = 1024 * 1024
PATIENCE = 2.0
STEP = 0.25


@dataclass(frozen=True, slots=True)
class WriteParts:
    """The real things, or their fakes."""

    queue: ObjectStore
    ledger: Ledger
    clock: Clock
    nonce: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Staged:
    """A document that passed every check, and how its bytes get under their key."""

    key: ObjectKey
    size: int
    md5: str
    stage: Callable[[], object]


def archive(parts: WriteParts, submission: Submission, body: BinaryIO, trace_id: str | None) -> Accepted:
    """A document sent with the request itself."""
    body.seek(0)
    key, scan = scanned(submission, chunks(body))

    def stage() -> str:
        body.seek(0)
        # A small one in one piece: for a stream the store is first asked whether it would take it.
        return parts.queue.put(key.pdf, body.read() if scan.size <= CHUNK else body, PDF)

    return commit(parts, submission, Staged(key, scan.size, scan.md5, stage), trace_id)


def scanned(submission: Submission, chunks: Iterator[bytes]) -> tuple[ObjectKey, PdfScan]:
    """Read to the end and checked: a whole PDF, and the one whose digest was announced."""
    scan = PdfScan()
    for chunk in chunks:
        scan.feed(chunk)
    scan.check(allow_encrypted=submission.allow_encrypted)
    if scan.sha256 != submission.sha256:
        raise InvalidInput("sha256", "the document has another SHA-256", unprocessable=True)
    return ObjectKey(submission.organization_id, submission.document_type, submission.sha256), scan


def commit(parts: WriteParts, submission: Submission, staged: Staged, trace_id: str | None) -> Accepted:
    """Record, stage, create the sidecar: from then on the document is accepted, and never lost."""
    now, key = parts.clock.now(), staged.key
    try:
        _refuse_erased(parts, key)
    except Unavailable as exc:
        raise ArchiveQueueFailure from exc
    document = AcceptedDocument(key, submission.bilko_document_id, submission.organization_name, now, trace_id)
    row = _record(parts, document)
    if row is not None and row.status is ArchiveStatus.ARCHIVED:
        return _already(row)
    try:
        _enqueue(parts, submission, staged, now, trace_id)
    except (Unavailable, PreconditionFailed, UnreadableSidecar) as exc:
        _refuse(parts, document, exc)
        raise ArchiveQueueFailure from exc
    except RequestError as exc:
        _take_back(parts, document, exc)
        raise
    log.event("archive.queued", r2Key=key.pdf, organizationId=str(key.organization_id), traceId=trace_id)
    audit = "deferred" if row is None else "recorded"
    return Accepted(job_id=key.job_id, sha256=key.sha256, status=ArchiveStatus.PENDING, audit=audit)


def _record(parts: WriteParts, document: AcceptedDocument) -> AuditRow | None:
    """A database that does not answer is not the caller's trouble: the drain's report creates the row."""
    try:
        row = parts.ledger.accept(document)
    except Unavailable as exc:
        metrics.count("archive_audit_deferred_total")
        log.warning("archive.audit_deferred", r2Key=document.key.pdf, error=str(exc))
        return None
    if row.disposition is Disposition.ERASED:
        raise Gone
    return row


def _enqueue(parts: WriteParts, submission: Submission, staged: Staged, now: datetime, trace_id: str | None) -> None:
    """The PDF before the sidecar, which is the commit mark; a key that is being finished is waited for."""
    deadline = parts.clock.now().timestamp() + PATIENCE
    while not _staged_and_committed(parts, submission, staged, now, trace_id):
        if parts.clock.now().timestamp() >= deadline:
            raise PreconditionFailed("the same bytes are just being finished")
        parts.clock.sleep(STEP)
    try:
        _refuse_erased(parts, staged.key)
    except Gone:
        # Erased while we wrote: the commit mark goes first, then what it stood for.
        parts.queue.delete(staged.key.sidecar)
        parts.queue.delete(staged.key.pdf)
        raise


def _staged_and_committed(
    parts: WriteParts, submission: Submission, staged: Staged, now: datetime, trace_id: str | None
) -> bool:
    patiently(parts.clock, staged.stage)
    if submission.priority is Priority.HIGH:
        patiently(parts.clock, lambda: parts.queue.put(staged.key.priority_marker, b"", MARKER))
    sidecars, fresh = Sidecars(parts.queue, parts.clock), _sidecar(submission, staged, now, trace_id, parts.nonce())
    try:
        sidecars.create(fresh)
    except PreconditionFailed:
        return _joined(parts, sidecars, fresh)
    return True


def _joined(parts: WriteParts, sidecars: Sidecars, fresh: Sidecar) -> bool:
    """There is a sidecar for these bytes already: be in it, unless it is frozen or has just gone."""
    held = sidecars.read(fresh.key)
    if held is None or held.sidecar.state is State.FINISHING:
        return False
    document = fresh.documents[0]
    if held.sidecar.holds(document.bilko_document_id):
        return True
    return _added(parts, sidecars, held, document)


def _added(parts: WriteParts, sidecars: Sidecars, held: Held, document: Document) -> bool:
    try:
        sidecars.replace(held, transitions.add_document(held.sidecar, document, parts.nonce()))
    except PreconditionFailed:
        return False
    return True


def _sidecar(submission: Submission, staged: Staged, now: datetime, trace_id: str | None, revision: str) -> Sidecar:
    document = Document(
        bilko_document_id=submission.bilko_document_id,
        invoice_number=submission.invoice_number,
        contract_id=submission.contract_id,
        trace_id=trace_id,
        timestamp=now,
    )
    return Sidecar(
        r2_uuid=staged.key.sha256,
        organization_id=submission.organization_id,
        organization_name=submission.organization_name,
        document_type=submission.document_type,
        bilko_document_id=submission.bilko_document_id,
        invoice_number=submission.invoice_number,
        contract_id=submission.contract_id,
        timestamp=now,
        sha256=staged.key.sha256,
        documents=(document,),
        size=staged.size,
        md5=staged.md5,
        priority=submission.priority,
        revision=revision,
    )


def _refuse_erased(parts: WriteParts, key: ObjectKey) -> None:
    """Both tombstones start alike, so one listing that is nearly always empty tells of either."""
    organization, document = key.tombstones
    for info in parts.queue.list(organization):
        if info.key in (organization, document):
            raise Gone
        if info.key > document:
            return


def _refuse(parts: WriteParts, document: AcceptedDocument, cause: Exception) -> None:
    log.error("archive.queue_failure", r2Key=document.key.pdf, error=cause)
    _take_back(parts, document, cause)


def _take_back(parts: WriteParts, document: AcceptedDocument, cause: Exception) -> None:
    """The row was written first; nobody may wait for what never came into the queue."""
    try:
        parts.ledger.refuse(document, str(cause))
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", r2Key=document.key.pdf, error=str(exc))


def _already(row: AuditRow) -> Accepted:
    return Accepted(
        job_id=row.key.job_id,
        sha256=row.key.sha256,
        status=row.status,
        paperless_url=row.paperless_url,
        archived_at=row.archived_at,
        receipt=row.receipt,
    )


def chunks(body: BinaryIO) -> Iterator[bytes]:
    while chunk := body.read(CHUNK):
        yield chunk
