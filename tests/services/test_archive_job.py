"""Where a job stands."""

from __future__ import annotations

import pytest

from shared.domain.audit import ArchiveStatus
from shared.domain.errors import Unavailable
from shared.domain.submission import Job
from shared.services import archive_job
from tests.flows.meddling import Garbage, failing
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER, TWIN, sent


def look(site: Site, letter: Letter = LETTER) -> Job:
    return archive_job.job(site.queue, site.ledger, site.clock, letter.key.job_id)


def test_in_the_queue_it_is_pending() -> None:
    job = look(sent())

    assert (job.status, job.queued, job.documents[0].receipt) == (ArchiveStatus.PENDING, True, None)


def test_archived_each_document_has_its_link_and_its_own_receipt() -> None:
    site = sent()
    site.send(TWIN)
    site.drain()

    job = look(site)

    assert (job.status, job.queued) == (ArchiveStatus.ARCHIVED, False)
    receipts = [document.receipt for document in job.documents]
    assert {receipt["bilkoDocumentId"] for receipt in receipts if receipt} == {
        str(LETTER.document_id),
        str(TWIN.document_id),
    }


def test_one_document_still_waiting_makes_the_job_pending() -> None:
    site = sent()
    site.drain()
    site.send(TWIN)

    job = look(site)

    assert (job.status, job.queued) == (ArchiveStatus.PENDING, True)
    assert {document.status for document in job.documents} == {ArchiveStatus.PENDING, ArchiveStatus.ARCHIVED}


def test_a_failed_job_says_how_often_and_why() -> None:
    garbage = Garbage("Firma AS", "invoice 1", "Nothing that opens")
    site = sent(garbage)
    site.drain_until_quiet()

    (document,) = look(site, garbage).documents

    assert (document.status, document.retry_count, document.reason) == (ArchiveStatus.FAILED, 3, "not_accepted")


def test_a_sidecar_nobody_can_read_does_not_hide_the_rows() -> None:
    site = sent()
    site.queue.put(LETTER.key.sidecar, b"{}", "application/json")

    assert look(site).documents[0].bilko_document_id == LETTER.document_id


def test_with_neither_database_nor_sidecar_nothing_is_claimed() -> None:
    site = Site()

    with pytest.raises(Unavailable):
        archive_job.job(site.queue, failing(site.ledger, "job"), site.clock, LETTER.key.job_id)
