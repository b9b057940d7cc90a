"""What the drain reports is written down, once, and signed for."""

from __future__ import annotations

from uuid import UUID

from shared.domain.audit import ArchiveReport, Disposition, Event, OrganizationLabels
from shared.domain.callback import NO_DOCUMENT
from shared.domain.errors import InvalidInput, NotFound
from shared.observability.logs import Log
from shared.ports import Clock, Ledger, OperatorLedger, Signer

log = Log(__name__)

SEALED_AT_ONCE = 1000


def record(ledger: Ledger, signer: Signer, clock: Clock, document_id: UUID, report: ArchiveReport) -> int:
    """Idempotent; returns how many documents became archived by it."""
    known = {document.document_id for document in report.documents} or {NO_DOCUMENT}
    if document_id not in known:
        raise InvalidInput("documents", "the document of the path is not among the documents", unprocessable=True)
    archived = ledger.record(report, clock.now(), signer.sign)
    log.event(
        "audit.recorded",
        r2Key=report.key.pdf,
        organizationId=str(report.key.organization_id),
        documentId=str(document_id),
        disposition=report.disposition,
        archived=archived,
        traceIds=[each.trace_id for each in report.documents if each.trace_id],
    )
    if report.disposition is Disposition.ARCHIVED and report.surplus:
        log.warning("audit.surplus", r2Key=report.key.pdf, surplus=list(report.surplus))
    return archived


def record_operator(ledger: OperatorLedger, event: Event) -> None:
    """Before the act: whoever reads the journal knows who was about to do it."""
    ledger.operator_event(event)
    log.event("audit.operator_event", operation=event.action, organizationId=str(event.organization_id))


def labels(ledger: Ledger, organization_id: UUID) -> OrganizationLabels:
    found = ledger.labels(organization_id)
    if found is None:
        raise NotFound("nothing is cached for this organisation")
    return found


def seal(ledger: Ledger) -> int:
    """Chain what the journal has gained since the last time."""
    sealed = 0
    while batch := ledger.seal(SEALED_AT_ONCE):
        sealed += batch
    log.event("audit.sealed", events=sealed)
    return sealed
