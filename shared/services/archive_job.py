"""Where a job stands: what the rows say, and what lies in the queue right now."""

from __future__ import annotations

from shared.domain.audit import ArchiveStatus, AuditRow
from shared.domain.errors import NotFound, Unavailable
from shared.domain.keys import ObjectKey
from shared.domain.sidecar import Sidecar, UnreadableSidecar
from shared.domain.submission import Job, JobDocument
from shared.ports import Clock, Ledger, ObjectStore
from shared.services.sidecars import Sidecars


def job(queue: ObjectStore, ledger: Ledger, clock: Clock, job_id: str) -> Job:
    """The rows lead; while the database does not answer, or has no row yet, the sidecar tells what is known."""
    key = ObjectKey.from_job_id(job_id)
    if key is None:
        raise NotFound("no job has this id")
    sidecar = _sidecar(queue, clock, key)
    rows = _rows(ledger, key, required=sidecar is None)
    documents = [_from_row(row) for row in rows]
    known = {document.bilko_document_id for document in documents}
    if sidecar is not None:
        documents += [
            JobDocument(bilko_document_id=each.bilko_document_id, status=ArchiveStatus.PENDING)
            for each in sidecar.documents
            if each.bilko_document_id not in known
        ]
    if not documents:
        raise NotFound("no job has this id")
    return Job(
        job_id=job_id,
        sha256=key.sha256,
        organization_id=key.organization_id,
        document_type=key.document_type,
        status=_overall(documents),
        queued=sidecar is not None,
        documents=documents,
    )


def _sidecar(queue: ObjectStore, clock: Clock, key: ObjectKey) -> Sidecar | None:
    try:
        held = Sidecars(queue, clock).read(key)
    except UnreadableSidecar:
        return None
    return held.sidecar if held else None


def _rows(ledger: Ledger, key: ObjectKey, *, required: bool) -> list[AuditRow]:
    try:
        return ledger.job(key)
    except Unavailable:
        if required:
            raise
        return []


def _from_row(row: AuditRow) -> JobDocument:
    return JobDocument(
        bilko_document_id=row.document_id,
        status=row.status,
        paperless_url=row.paperless_url,
        archived_at=row.archived_at,
        retry_count=row.retry_count,
        reason=_for_tenants(row.reason),
        receipt=row.receipt,
    )


def _for_tenants(reason: str | None) -> str | None:
    """That another organisation has the same bytes is nobody's business."""
    return "not_accepted" if reason == "refused_twin" else reason


def _overall(documents: list[JobDocument]) -> ArchiveStatus:
    statuses = {document.status for document in documents}
    for status in (ArchiveStatus.FAILED, ArchiveStatus.PENDING):
        if status in statuses:
            return status
    return ArchiveStatus.ARCHIVED
