"""The store, the database and audit-callback away, and objects that are not as we left them."""

from __future__ import annotations

import json

import pytest

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.drain import Ending, Stop
from shared.domain.errors import Ambiguous, ArchiveQueueFailure, NotFound
from shared.domain.sidecar import State
from shared.services import archive_job
from tests.flows.meddling import (
    after,
    before,
    dead_letter,
    failing,
    hours,
    left_over,
    letters,
    row,
    send_all,
    uploads,
    waiting,
)
from tests.prove.checks import receipts_hold
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")


def test_with_audit_callback_down_the_document_waits_in_finishing_and_is_told_later() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.audit = site.audit, failing(site.audit, "record", "labels", "save_labels")
    hours(site, 3)
    assert waiting(site, LETTER).state is State.FINISHING
    assert site.queue.stat(LETTER.key.pdf) is not None
    site.audit = plain

    site.drain()

    assert row(site, LETTER).disposition is Disposition.ARCHIVED
    assert receipts_hold(site, LETTER.key)
    assert len(uploads(site)) == 1


def test_with_the_database_down_at_intake_the_document_is_queued_and_the_drain_makes_its_row() -> None:
    site = Site()
    plain, site.ledger = site.ledger, failing(site.ledger, "accept", "recall", "remember")

    accepted = site.send(LETTER)
    site.ledger = plain
    site.drain()

    assert accepted.audit == "deferred"
    assert row(site, LETTER).status is ArchiveStatus.ARCHIVED
    assert receipts_hold(site, LETTER.key)


@pytest.mark.parametrize("call", ["list", "put", "create"])
def test_with_the_store_down_the_sender_is_told_to_try_again_in_five_minutes(call: str) -> None:
    site = Site()
    site.queue = failing(site.queue, call)

    with pytest.raises(ArchiveQueueFailure, match="Retry in 5 minutes"):
        site.send(LETTER)


@pytest.mark.parametrize("call", ["put", "create"])
def test_a_document_the_store_did_not_take_has_a_row_that_says_failed(call: str) -> None:
    site = Site()
    plain, site.queue = site.queue, failing(site.queue, call)
    with pytest.raises(ArchiveQueueFailure):
        site.send(LETTER)

    assert (row(site, LETTER).status, row(site, LETTER).disposition) == (ArchiveStatus.FAILED, Disposition.REFUSED)

    site.queue = plain
    site.send(LETTER)

    assert row(site, LETTER).disposition is Disposition.QUEUED


def test_with_the_store_down_a_run_says_so_and_ends() -> None:
    site = Site()
    site.send(LETTER)
    site.queue = failing(site.queue, "list", "get")

    assert site.drain().stop is Stop.OURS_DOWN


def test_with_the_store_not_giving_out_pdfs_for_hours_nobody_is_charged_or_dies() -> None:
    site = Site()
    site.send(LETTER)
    plain = site.queue
    site.queue = failing(plain, "stat")
    hours(site, 8)
    assert not list(site.dead_letters.list(""))
    site.queue = plain

    assert site.drain().endings[Ending.ARCHIVED] == 1
    assert row(site, LETTER).retry_count == 0


def test_a_lost_answer_of_the_store_is_resolved_by_reading_again() -> None:
    site = Site()
    site.queue = after(site.queue, "create", _loses_the_answer)

    site.send(LETTER)
    site.queue = after(site.queue, "replace", _loses_the_answer, times=99)

    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_a_store_that_allows_one_write_per_second_and_key_is_waited_for() -> None:
    site, twin = Site(writes_per_second=1), Letter("Firma AS", "invoice 2", "An invoice")

    for letter in (LETTER, LETTER, twin):
        site.send(letter)
    report = site.drain()

    assert report.endings[Ending.ARCHIVED] == 1
    assert {row(site, letter).disposition for letter in (LETTER, twin)} == {Disposition.ARCHIVED}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "sidecar_broken"),
        (b"{}", "sidecar_broken"),
        (b"\xff\x00 not json", "sidecar_broken"),
        (b'{"schemaVersion": "2", "documents": {}}', "sidecar_newer"),
    ],
)
def test_a_sidecar_nobody_can_read_goes_to_the_dead_letters_as_it_is(raw: bytes, reason: str) -> None:
    site, others = Site(), letters(2)
    send_all(site, [LETTER, *others])
    site.queue.put(LETTER.key.sidecar, raw, "application/json")

    report = site.drain()

    found = site.dead_letters.get(LETTER.key.sidecar)
    assert (report.endings[Ending.DEAD], report.endings[Ending.ARCHIVED]) == (1, 2)
    assert found is not None
    assert found.body == raw
    assert site.dead_letters.stat(LETTER.key.pdf) is not None
    assert (row(site, LETTER).disposition, row(site, LETTER).reason) == (Disposition.DEAD, reason)
    assert not left_over(site)


def test_two_drains_that_bury_the_same_unreadable_sidecar_do_not_trip_over_each_other() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.put(LETTER.key.sidecar, b"{}", "application/json")
    plain = site.dead_letters

    def the_other_is_quicker() -> None:
        site.dead_letters = plain
        site.drain()

    site.dead_letters = before(plain, "copy", the_other_is_quicker)

    assert site.drain().endings[Ending.DEAD] == 1
    assert site.dead_letters.stat(LETTER.key.pdf) is not None
    assert not left_over(site)


def test_a_sidecar_of_another_document_is_not_believed() -> None:
    site, other = Site(), Letter("Other AS", "invoice 2", "Another invoice")
    site.send(LETTER)
    site.send(other)
    strange = site.queue.get(other.key.sidecar)
    assert strange is not None
    site.queue.put(LETTER.key.sidecar, strange.body, "application/json")

    site.drain()

    assert row(site, LETTER).reason == "sidecar_mismatch"
    assert row(site, other).disposition is Disposition.ARCHIVED


def test_fields_of_a_later_version_survive_a_whole_delivery_attempt() -> None:
    site = Site()
    site.send(LETTER)
    found = site.queue.get(LETTER.key.sidecar)
    assert found is not None
    site.queue.put(LETTER.key.sidecar, json.dumps({**json.loads(found.body), "costCentre": 7}).encode(), "json")
    site.audit = failing(site.audit, "record")

    site.drain()

    assert waiting(site, LETTER).model_extra == {"costCentre": 7}


def test_a_sidecar_whose_pdf_is_gone_is_finished_if_the_archive_has_it() -> None:
    site, again = Site(), Letter("Firma AS", "invoice 2", "An invoice")
    site.send(LETTER)
    site.drain()
    site.send(again)
    site.queue.delete(again.key.pdf)

    assert site.drain().endings[Ending.ARCHIVED] == 1
    assert row(site, again).disposition is Disposition.ARCHIVED


@pytest.mark.parametrize("root", ["", "kept/"])
def test_a_sidecar_whose_pdf_is_among_the_dead_letters_is_left_for_an_operator(root: str) -> None:
    site = Site()
    site.send(LETTER)
    site.dead_letters.copy("queue", LETTER.key.pdf, root + LETTER.key.pdf)
    site.queue.delete(LETTER.key.pdf)

    assert site.drain().endings[Ending.LEFT] == 1
    assert waiting(site, LETTER).retry_count == 0


def test_a_sidecar_whose_pdf_nobody_has_is_dead_lettered_loudly() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.delete(LETTER.key.pdf)

    assert site.drain().endings[Ending.DEAD] == 1
    assert row(site, LETTER).reason == "pdf_missing"
    assert site.dead_letters.stat(LETTER.key.sidecar) is not None


def test_a_pdf_whose_bytes_changed_in_the_bucket_is_never_sent() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.put(LETTER.key.pdf, b"%PDF-1.4 something else %%EOF", "application/pdf")

    site.drain()

    assert uploads(site) == []
    assert row(site, LETTER).reason == "bytes_changed"


def test_a_young_pdf_without_a_sidecar_is_being_written_and_left_alone() -> None:
    site = Site()
    site.queue.put(LETTER.key.pdf, LETTER.content, "application/pdf")
    site.wait(55)

    site.drain()

    assert left_over(site) == [LETTER.key.pdf]


def test_an_old_pdf_without_a_sidecar_goes_to_the_dead_letters_and_is_never_just_deleted() -> None:
    site = Site()
    site.queue.put(LETTER.key.pdf, LETTER.content, "application/pdf")
    site.wait(65)

    site.drain()

    assert dead_letter(site, LETTER).reason == "orphan_pdf"
    assert not left_over(site)


def test_while_the_database_is_down_a_job_is_told_from_its_sidecar() -> None:
    site = Site()
    site.send(LETTER)

    job = archive_job.job(site.queue, failing(site.ledger, "job"), site.clock, LETTER.key.job_id)

    assert (job.status, job.queued) == (ArchiveStatus.PENDING, True)
    assert [document.bilko_document_id for document in job.documents] == [LETTER.document_id]


def test_a_job_nobody_knows_is_not_found() -> None:
    site = Site()

    for job_id in (LETTER.key.job_id, "nonsense", ""):
        with pytest.raises(NotFound):
            archive_job.job(site.queue, site.ledger, site.clock, job_id)


def _loses_the_answer() -> None:
    raise Ambiguous("the answer was lost")
