"""What every ledger must do."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID, uuid4

import pytest

from shared.domain.audit import (
    AcceptedDocument,
    ArchiveReport,
    ArchiveStatus,
    AuditRow,
    Disposition,
    OrganizationLabels,
    ReportedDocument,
)
from shared.domain.audit import IdempotencyRecord as Answer
from shared.domain.errors import InvalidInput
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.receipt import Signature, canonical
from shared.ports import Ledger
from tests.fakes.ledger import SourceRow
from tests.fakes.signer import PlainSigner

NOON = datetime(2026, 5, 8, 12, 0, 0, 123456, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
NAME = "Firma AS"
URL = "https://archive.example/documents/7/details"
sign = PlainSigner().sign


def key_of(organization_id: UUID, digit: str = "a", document_type: DocumentType = DocumentType.INVOICE) -> ObjectKey:
    return ObjectKey(organization_id, document_type, (digit * 64)[:64])


def handed_in(key: ObjectKey, document_id: UUID | None = None, at: datetime = NOON) -> AcceptedDocument:
    return AcceptedDocument(key, document_id or uuid4(), NAME, at, "trace-1")


def report(
    key: ObjectKey, disposition: Disposition, *documents: AcceptedDocument, error: str | None = None
) -> ArchiveReport:
    told = tuple(ReportedDocument(one.document_id, one.accepted_at, one.trace_id) for one in documents)
    return ArchiveReport(key, NAME, disposition, told, last_error=error)


def archived(key: ObjectKey, *documents: AcceptedDocument, paperless_id: int = 7) -> ArchiveReport:
    told = report(key, Disposition.ARCHIVED, *documents)
    return replace(told, paperless_document_id=paperless_id, paperless_url=URL)


def seal_all(ledger: Ledger, expected: int, limit: int = 100) -> list[int]:
    """Seals until so many are sealed: other transactions on the server, not ours, may hold some of them up."""
    batches: list[int] = []
    patience = time.monotonic() + 30
    while sum(batches) < expected and time.monotonic() < patience:
        if count := ledger.seal(limit):
            batches.append(count)
    assert sum(batches) == expected, batches
    return batches


class Sources(Protocol):
    """The application's own tables, behind the ledger's back."""

    def add(self, document_type: DocumentType, document_id: UUID, organization_id: UUID) -> None: ...

    def get(self, document_type: DocumentType, document_id: UUID) -> SourceRow: ...


class LedgerContract:
    """Subclasses give `ledger` and `sources`."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def sources(self, ledger: Ledger) -> Sources:
        raise NotImplementedError

    @pytest.fixture
    def organization(self) -> UUID:
        return uuid4()

    @pytest.fixture
    def key(self, organization: UUID) -> ObjectKey:
        return key_of(organization)

    def test_it_is_reachable(self, ledger: Ledger) -> None:
        ledger.reachable()

    def test_an_accepted_document_is_pending_and_queued(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)

        row = ledger.accept(document)

        assert row == AuditRow(
            key,
            document.document_id,
            ArchiveStatus.PENDING,
            Disposition.QUEUED,
            NOON,
            0,
            None,
            None,
            None,
            None,
            None,
            None,
        )
        assert ledger.job(key) == [row]

    def test_accepting_twice_keeps_one_row_and_its_first_time(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        first = ledger.accept(document)

        second = ledger.accept(replace(document, accepted_at=LATER))

        assert second == first
        assert ledger.job(key) == [first]

    def test_accepting_keeps_the_retries_of_a_queued_row(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(replace(report(key, Disposition.QUEUED, document, error="500"), retry_count=2), LATER, sign)

        row = ledger.accept(document)

        assert (row.retry_count, row.last_error) == (2, "500")

    def test_an_archived_row_is_left_as_it_is_when_the_document_comes_again(
        self, ledger: Ledger, key: ObjectKey
    ) -> None:
        document = handed_in(key)
        ledger.accept(document)
        ledger.record(archived(key, document), LATER, sign)

        row = ledger.accept(document)

        assert row.status is ArchiveStatus.ARCHIVED
        assert row.receipt is not None
        assert ledger.job(key) == [row]

    @pytest.mark.parametrize("end", [Disposition.DEAD, Disposition.EXPIRED, Disposition.DISCARDED, Disposition.REFUSED])
    def test_a_document_that_failed_is_queued_again_when_it_comes_again(
        self, ledger: Ledger, key: ObjectKey, end: Disposition
    ) -> None:
        document = handed_in(key)
        ledger.record(replace(report(key, end, document, error="bad"), retry_count=3, reason="why"), LATER, sign)

        row = ledger.accept(document)

        assert (row.status, row.disposition) == (ArchiveStatus.PENDING, Disposition.QUEUED)
        assert (row.retry_count, row.last_error, row.reason) == (0, None, None)

    def test_an_erased_document_stays_erased_when_it_comes_again(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(report(key, Disposition.ERASED, document), LATER, sign)

        row = ledger.accept(document)

        assert row.disposition is Disposition.ERASED

    def test_a_refused_document_is_failed_and_not_counted_as_queued(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.accept(document)

        ledger.refuse(document, "the bucket is away")

        (row,) = ledger.job(key)
        assert (row.status, row.disposition) == (ArchiveStatus.FAILED, Disposition.REFUSED)
        assert row.last_error == "the bucket is away"

    def test_a_document_whose_acceptance_was_never_written_can_be_refused(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)

        ledger.refuse(document, "the bucket is away")

        assert ledger.count_by_disposition(key.organization_id) == {"refused": 1}

    def test_an_archived_document_cannot_be_refused(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(archived(key, document), LATER, sign)

        ledger.refuse(document, "the bucket is away")

        assert ledger.count_by_disposition(key.organization_id) == {"archived": 1}

    def test_a_report_makes_the_rows_that_are_missing(self, ledger: Ledger, key: ObjectKey) -> None:
        documents = [handed_in(key), handed_in(key)]
        ledger.accept(documents[0])

        count = ledger.record(archived(key, *documents), LATER, sign)

        assert count == 2
        assert {row.document_id for row in ledger.job(key)} == {document.document_id for document in documents}
        assert all(row.status is ArchiveStatus.ARCHIVED for row in ledger.job(key))

    def test_a_report_names_a_document_twice_and_makes_one_row(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)

        count = ledger.record(archived(key, document, document), LATER, sign)

        assert count == 1
        assert len(ledger.job(key)) == 1

    def test_archiving_signs_a_receipt_of_what_the_row_says(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.accept(document)

        ledger.record(archived(key, document), LATER, sign)

        (row,) = ledger.job(key)
        receipt = dict(row.receipt or {})
        signature = receipt.pop("signature")
        assert receipt == {
            "version": 1,
            "jobId": key.job_id,
            "organizationId": str(key.organization_id),
            "bilkoDocumentId": str(document.document_id),
            "documentType": "invoice",
            "sha256": key.sha256,
            "paperlessDocumentId": 7,
            "paperlessUrl": URL,
            "acceptedAt": NOON.isoformat(),
            "archivedAt": LATER.isoformat(),
        }
        assert Signature(signature["keyId"], signature["value"]) == sign(canonical(receipt))
        assert (row.paperless_document_id, row.paperless_url, row.archived_at) == (7, URL, LATER)

    def test_the_first_receipt_stays(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(archived(key, document), LATER, sign)
        before = ledger.job(key)

        ledger.record(archived(key, document, paperless_id=99), LATER + timedelta(days=1), sign)

        assert ledger.job(key) == before

    @pytest.mark.parametrize("late", [Disposition.QUEUED, Disposition.DEAD, Disposition.EXPIRED, Disposition.DISCARDED])
    def test_a_late_report_never_un_archives(self, ledger: Ledger, key: ObjectKey, late: Disposition) -> None:
        document = handed_in(key)
        ledger.record(archived(key, document), LATER, sign)
        before = ledger.job(key)

        ledger.record(report(key, late, document, error="late"), LATER, sign)

        assert ledger.job(key) == before

    def test_erased_wins_over_archived_and_stays(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(archived(key, document), LATER, sign)

        ledger.record(report(key, Disposition.ERASED, document), LATER, sign)
        ledger.record(archived(key, document), LATER, sign)

        assert ledger.count_by_disposition(key.organization_id) == {"erased": 1}

    def test_a_dead_letter_can_be_queued_and_archived_later(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        ledger.record(replace(report(key, Disposition.DEAD, document, error="400"), retry_count=3), LATER, sign)

        ledger.record(report(key, Disposition.QUEUED, document), LATER, sign)
        ledger.record(archived(key, document), LATER, sign)

        (row,) = ledger.job(key)
        assert (row.status, row.retry_count, row.last_error) == (ArchiveStatus.ARCHIVED, 0, None)

    def test_a_report_without_documents_is_about_every_row_of_the_key(self, ledger: Ledger, key: ObjectKey) -> None:
        other = key_of(key.organization_id, "b")
        for document in (handed_in(key), handed_in(key), handed_in(other)):
            ledger.accept(document)

        count = ledger.record(replace(report(key, Disposition.EXPIRED), reason="seven days"), LATER, sign)

        assert count == 2
        assert {row.reason for row in ledger.job(key)} == {"seven days"}
        assert ledger.count_by_disposition(key.organization_id) == {"expired": 2, "queued": 1}

    def test_a_report_without_documents_about_an_unknown_key_is_about_nothing(
        self, ledger: Ledger, key: ObjectKey
    ) -> None:
        count = ledger.record(report(key, Disposition.DEAD), LATER, sign)

        assert count == 0
        assert ledger.job(key) == []

    def test_another_organisations_rows_of_equal_bytes_are_not_touched(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        foreign = handed_in(key_of(uuid4()), document.document_id)
        ledger.accept(document)
        ledger.accept(foreign)

        ledger.record(archived(key, document), LATER, sign)

        assert ledger.count_by_disposition(foreign.key.organization_id) == {"queued": 1}

    def test_archived_without_a_paperless_id_is_refused(self, ledger: Ledger, key: ObjectKey) -> None:
        with pytest.raises(InvalidInput):
            ledger.record(report(key, Disposition.ARCHIVED, handed_in(key)), LATER, sign)

        assert ledger.job(key) == []

    def test_an_error_with_characters_no_database_takes_is_kept_without_them(
        self, ledger: Ledger, key: ObjectKey
    ) -> None:
        ledger.record(report(key, Disposition.QUEUED, handed_in(key), error="a\0b\ud800c"), LATER, sign)

        assert ledger.job(key)[0].last_error == "a\ufffdb?c"

    def test_a_signer_that_fails_leaves_nothing_behind(self, ledger: Ledger, key: ObjectKey) -> None:
        document = handed_in(key)
        row = ledger.accept(document)

        with pytest.raises(ZeroDivisionError):
            ledger.record(archived(key, document), LATER, lambda _: Signature("", str(1 / 0)))

        assert ledger.job(key) == [row]

    def test_the_source_row_shows_the_job_and_then_the_link(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        document = handed_in(key)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, document.document_id, key.organization_id)

        ledger.accept(document)
        waiting = replace(sources.get(key.document_type, document.document_id))
        ledger.record(archived(key, document), LATER, sign)

        assert waiting == SourceRow(key.organization_id, key.job_id, "pending", None, None)
        assert sources.get(key.document_type, document.document_id) == SourceRow(
            key.organization_id, key.job_id, "archived", URL, LATER
        )

    def test_every_type_with_a_table_of_its_own_is_shown_there(
        self, ledger: Ledger, sources: Sources, organization: UUID
    ) -> None:
        document = handed_in(key_of(organization, document_type=DocumentType.CONTRACT))
        ledger.save_labels(organization, NAME, OrganizationLabels(1, 2))
        sources.add(DocumentType.CONTRACT, document.document_id, organization)

        ledger.accept(document)

        assert sources.get(DocumentType.CONTRACT, document.document_id).archive_job_id == document.key.job_id

    @pytest.mark.parametrize("document_type", list(DocumentType))
    def test_every_type_can_be_archived(self, ledger: Ledger, organization: UUID, document_type: DocumentType) -> None:
        document = handed_in(key_of(organization, document_type=document_type))
        ledger.accept(document)

        ledger.record(archived(document.key, document), LATER, sign)

        assert ledger.job(document.key)[0].status is ArchiveStatus.ARCHIVED

    def test_a_regenerated_invoice_is_never_pointed_at_its_older_version(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        older = handed_in(key)
        newer = handed_in(key_of(key.organization_id, "b"), older.document_id, at=LATER)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, older.document_id, key.organization_id)
        ledger.accept(older)
        ledger.accept(newer)

        ledger.record(archived(key, older), LATER, sign)

        shown = sources.get(key.document_type, older.document_id)
        assert (shown.archive_job_id, shown.archive_status) == (newer.key.job_id, "pending")

    def test_a_version_sent_again_after_it_was_archived_is_the_latest_with_its_link(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        older = handed_in(key)
        newer = handed_in(key_of(key.organization_id, "b"), older.document_id, at=LATER)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, older.document_id, key.organization_id)
        ledger.accept(older)
        ledger.record(archived(key, older), LATER, sign)
        ledger.accept(newer)

        ledger.accept(older)

        shown = sources.get(key.document_type, older.document_id)
        assert (shown.archive_job_id, shown.archive_status, shown.paperless_doc_url) == (key.job_id, "archived", URL)

    def test_a_row_that_comes_with_its_report_claims_its_source_row(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        document = handed_in(key)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, document.document_id, key.organization_id)

        ledger.record(archived(key, document), LATER, sign)

        shown = sources.get(key.document_type, document.document_id)
        assert (shown.archive_job_id, shown.archive_status) == (key.job_id, "archived")

    def test_a_row_that_comes_with_its_report_does_not_displace_a_later_version(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        older = handed_in(key)
        newer = handed_in(key_of(key.organization_id, "b"), older.document_id, at=LATER)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, older.document_id, key.organization_id)
        ledger.accept(newer)

        ledger.record(archived(key, older), LATER, sign)

        assert sources.get(key.document_type, older.document_id).archive_job_id == newer.key.job_id

    def test_a_source_row_of_another_organisation_is_not_touched(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        document, stranger = handed_in(key), uuid4()
        ledger.save_labels(stranger, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, document.document_id, stranger)

        ledger.accept(document)
        ledger.record(archived(key, document), LATER, sign)

        assert sources.get(key.document_type, document.document_id) == SourceRow(stranger)

    def test_a_refused_document_shows_as_failed_in_its_source_row(
        self, ledger: Ledger, sources: Sources, key: ObjectKey
    ) -> None:
        document = handed_in(key)
        ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, document.document_id, key.organization_id)
        ledger.accept(document)

        ledger.refuse(document, "the bucket is away")

        assert sources.get(key.document_type, document.document_id).archive_status == "failed"

    def test_an_unused_idempotency_key_recalls_nothing(self, ledger: Ledger, organization: UUID) -> None:
        assert ledger.recall(organization, "k") is None

    def test_the_first_answer_to_an_idempotency_key_is_kept(self, ledger: Ledger, organization: UUID) -> None:
        first, second = Answer("d1", 202, {"jobId": "x", "nested": {"a": [1]}}), Answer("d2", 202, {"jobId": "y"})

        answers = [ledger.remember(organization, "k", first), ledger.remember(organization, "k", second)]

        assert answers == [first, first]
        assert ledger.recall(organization, "k") == first

    def test_an_idempotency_key_belongs_to_its_organisation(self, ledger: Ledger, organization: UUID) -> None:
        ledger.remember(organization, "k", Answer("d1", 202, {}))

        assert ledger.recall(uuid4(), "k") is None

    def test_many_who_remember_one_key_at_once_all_learn_the_same(self, ledger: Ledger, organization: UUID) -> None:
        with ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(lambda n: ledger.remember(organization, "k", Answer(f"d{n}", 202, {"n": n})), range(8))
            )

        assert answers == [ledger.recall(organization, "k")] * 8

    def test_labels_are_remembered_and_replaced(self, ledger: Ledger, organization: UUID) -> None:
        nothing = ledger.labels(organization)

        ledger.save_labels(organization, NAME, OrganizationLabels(3, 4))
        ledger.save_labels(organization, NAME, OrganizationLabels(5, 6))

        assert nothing is None
        assert ledger.labels(organization) == OrganizationLabels(5, 6)

    def test_each_operation_leaves_one_event_per_row_and_a_repetition_none(
        self, ledger: Ledger, key: ObjectKey
    ) -> None:
        documents = [handed_in(key), handed_in(key)]
        for document in documents:
            ledger.accept(document)
        ledger.record(archived(key, *documents), LATER, sign)

        ledger.record(archived(key, *documents), LATER, sign)

        assert sum(seal_all(ledger, 4)) == 4
        assert ledger.seal(100) == 0

    def test_sealing_takes_no_more_than_it_is_told_to(self, ledger: Ledger, key: ObjectKey) -> None:
        for _ in range(5):
            ledger.accept(handed_in(key))

        assert max(seal_all(ledger, 5, limit=2)) <= 2
        assert ledger.seal(2) == 0

    def test_an_organisation_without_documents_counts_nothing(self, ledger: Ledger, organization: UUID) -> None:
        assert ledger.count_by_disposition(organization) == {}
