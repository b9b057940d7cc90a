"""Taking a document in."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace

import pytest

from shared.domain.audit import ArchiveReport, ArchiveStatus, Disposition
from shared.domain.errors import ArchiveQueueFailure, Gone, InvalidInput
from shared.domain.keys import DocumentType
from shared.domain.sidecar import Priority
from shared.services.archive_write import WriteParts, archive
from tests.fakes.ledger import SourceRow
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.flows.meddling import failing, left_over, row, waiting
from tests.prove.parts import DirectAudit
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER
from tests.stand_ins.papers import locked_letter


def take_in(site: Site, content: bytes, **changes: object) -> object:
    parts = WriteParts(site.queue, site.ledger, site.clock, site.nonce)
    return archive(parts, LETTER.submission.model_copy(update=changes), io.BytesIO(content), trace_id="trace")


def test_the_answer_names_the_job_and_the_digest() -> None:
    accepted = Site().send(LETTER)

    assert (accepted.job_id, accepted.sha256) == (LETTER.key.job_id, LETTER.key.sha256)
    assert (accepted.status, accepted.audit) == (ArchiveStatus.PENDING, "recorded")


def test_the_pdf_and_its_sidecar_lie_under_their_key() -> None:
    site = Site()
    site.send(LETTER)

    pdf = site.queue.get(LETTER.key.pdf)
    assert pdf is not None
    assert pdf.body == LETTER.content
    assert waiting(site, LETTER).size == len(LETTER.content)


def test_the_trace_goes_into_the_sidecar() -> None:
    site = Site()
    take_in(site, LETTER.content)

    assert waiting(site, LETTER).documents[0].trace_id == "trace"


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b"", "document"),
        (b"<html>", "document"),
        (LETTER.content[:-20], "document"),
        (locked_letter("Pay slip"), "document"),
        (LETTER.content + b"\n", "sha256"),
    ],
)
def test_what_is_refused_leaves_no_trace(content: bytes, field: str) -> None:
    site = Site()

    with pytest.raises(InvalidInput) as refused:
        take_in(site, content)

    assert refused.value.field == field
    assert not left_over(site)
    assert site.ledger.job(LETTER.key) == []


def test_an_encrypted_document_is_taken_if_that_is_allowed() -> None:
    content = locked_letter("Pay slip")

    accepted = take_in(Site(), content, sha256=hashlib.sha256(content).hexdigest(), allow_encrypted=True)

    assert accepted is not None


def test_an_urgent_document_has_its_marker_before_its_sidecar() -> None:
    site = Site()
    site.queue = failing(site.queue, "create")

    with pytest.raises(ArchiveQueueFailure):
        site.send(replace(LETTER, priority=Priority.HIGH))

    assert LETTER.key.priority_marker in left_over(site)


def test_the_source_row_follows_the_latest_job() -> None:
    site, newer, ledger = Site(), Letter("Firma AS", "invoice 1", "An invoice, regenerated"), MemoryOperatorLedger()
    source = SourceRow(LETTER.organization_id)
    ledger.sources[DocumentType.INVOICE, LETTER.document_id] = source
    site.ledger, site.audit = ledger, DirectAudit(ledger, site.signer, site.clock)
    site.send(LETTER)
    site.send(newer)

    site.drain()

    assert source.archive_job_id == newer.key.job_id
    assert source.paperless_doc_url == row(site, newer).paperless_url


def test_a_row_that_was_erased_is_gone_even_without_a_tombstone() -> None:
    site = Site()
    site.send(LETTER)
    erased = ArchiveReport(LETTER.key, LETTER.organization, Disposition.ERASED, documents=())
    site.ledger.record(erased, site.clock.now(), site.signer.sign)

    with pytest.raises(Gone):
        site.send(LETTER)


def test_a_dead_document_may_be_sent_again() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.delete(LETTER.key.pdf)
    site.drain()
    assert row(site, LETTER).disposition is Disposition.DEAD

    site.send(LETTER)
    site.drain()

    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def test_the_same_bytes_of_two_types_are_two_jobs() -> None:
    site, contract = Site(), replace(LETTER, document_type=DocumentType.CONTRACT)

    assert site.send(LETTER).job_id != site.send(contract).job_id
