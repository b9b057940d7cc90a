"""What the drain reports is written down."""

from __future__ import annotations

from uuid import UUID

import pytest

from shared.domain.audit import ArchiveReport, Disposition, OrganizationLabels, ReportedDocument
from shared.domain.callback import NO_DOCUMENT
from shared.domain.errors import InvalidInput, NotFound
from shared.services import audit_callback
from tests.domain.samples import KEY, NOW
from tests.fakes.clock import VirtualClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.signer import PlainSigner

REPORT = ArchiveReport(
    KEY,
    "Firma AS",
    Disposition.ARCHIVED,
    (ReportedDocument(UUID(int=1), NOW), ReportedDocument(UUID(int=2), NOW)),
    paperless_document_id=5,
    paperless_url="https://archive.example/documents/5/",
)


def test_every_document_of_a_report_gets_its_row_and_its_receipt() -> None:
    ledger = MemoryLedger()

    audit_callback.record(ledger, PlainSigner(), VirtualClock(), UUID(int=1), REPORT)

    assert [row.document_id.int for row in ledger.job(KEY)] == [1, 2]
    assert all(row.receipt and row.receipt["paperlessDocumentId"] == 5 for row in ledger.job(KEY))


def test_told_again_the_first_receipt_stays() -> None:
    ledger, clock = MemoryLedger(), VirtualClock()
    audit_callback.record(ledger, PlainSigner(), clock, UUID(int=1), REPORT)
    first = [row.receipt for row in ledger.job(KEY)]
    clock.sleep(60)

    audit_callback.record(ledger, PlainSigner(), clock, UUID(int=1), REPORT)

    assert [row.receipt for row in ledger.job(KEY)] == first


def test_the_document_of_the_path_must_be_among_those_of_the_body() -> None:
    with pytest.raises(InvalidInput):
        audit_callback.record(MemoryLedger(), PlainSigner(), VirtualClock(), UUID(int=9), REPORT)


def test_a_report_without_documents_concerns_every_row_of_its_key() -> None:
    ledger = MemoryLedger()
    queued = ArchiveReport(KEY, "Firma AS", Disposition.QUEUED, REPORT.documents)
    dead = ArchiveReport(KEY, "", Disposition.DEAD, (), reason="sidecar_broken")
    audit_callback.record(ledger, PlainSigner(), VirtualClock(), UUID(int=1), queued)

    audit_callback.record(ledger, PlainSigner(), VirtualClock(), NO_DOCUMENT, dead)

    assert {row.disposition for row in ledger.job(KEY)} == {Disposition.DEAD}


def test_labels_nobody_cached_are_not_found() -> None:
    ledger = MemoryLedger()
    with pytest.raises(NotFound):
        audit_callback.labels(ledger, UUID(int=7))

    ledger.save_labels(UUID(int=7), "Firma AS", OrganizationLabels(1, 2))

    assert audit_callback.labels(ledger, UUID(int=7)) == OrganizationLabels(1, 2)


def test_sealing_goes_on_until_nothing_is_left_unsealed() -> None:
    ledger = MemoryLedger()
    audit_callback.record(ledger, PlainSigner(), VirtualClock(), UUID(int=1), REPORT)

    assert audit_callback.seal(ledger) == len(ledger.events)
    assert audit_callback.seal(ledger) == 0
