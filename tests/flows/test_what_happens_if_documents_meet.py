"""Intake: the same document twice, equal bytes at every moment, tombstones, large uploads, repeated keys."""

from __future__ import annotations

from typing import Any

import pytest

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.drain import Ending
from shared.domain.errors import ArchiveQueueFailure, Conflict, Gone, InvalidInput
from shared.domain.keys import ObjectKey
from shared.domain.sidecar import State
from shared.domain.submission import Accepted, FinishedUpload
from shared.services import uploads as large
from shared.services.archive_write import WriteParts
from shared.services.idempotency import once
from tests.flows.meddling import after, before, break_paperless, failing, hours, left_over, row, uploads, waiting
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")
TWIN = Letter("Firma AS", "invoice 2", "An invoice")
UPLOAD = "5" * 32


def test_the_same_document_sent_twice_is_one_document_and_one_answer() -> None:
    site = Site()

    first, second = site.send(LETTER), site.send(LETTER)

    assert first == second
    assert len(waiting(site, LETTER).documents) == 1


def test_a_document_that_is_archived_already_gets_its_link_and_receipt() -> None:
    site = Site()
    site.send(LETTER)
    site.drain()

    again = site.send(LETTER)

    assert again.status is ArchiveStatus.ARCHIVED
    assert again.paperless_url == row(site, LETTER).paperless_url
    assert again.receipt == row(site, LETTER).receipt
    assert not left_over(site)


def test_equal_bytes_of_two_documents_are_delivered_once_and_recorded_for_both() -> None:
    site = Site()
    site.send(LETTER)
    site.send(TWIN)

    site.drain()

    assert len(uploads(site)) == 1
    assert {row(site, each).paperless_document_id for each in (LETTER, TWIN)} == {site.copies(LETTER.key)[0]}


@pytest.mark.parametrize("moment", ["upload", "task", "find"])
def test_equal_bytes_that_arrive_while_the_first_is_under_way_are_archived_with_it(moment: str) -> None:
    site = Site()
    site.send(LETTER)
    site.archive = after(site.archive, moment, lambda: site.send(TWIN))

    report = site.drain()
    site.wait()
    site.drain()

    assert report.surplus == 0
    assert {row(site, each).disposition for each in (LETTER, TWIN)} == {Disposition.ARCHIVED}
    assert len(uploads(site)) == 1


def test_equal_bytes_that_arrive_while_a_failing_document_is_under_way_stay_with_it() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "database_locked")
    site.archive = after(site.archive, "upload", lambda: site.send(TWIN))

    report = site.drain()

    assert report.endings[Ending.RETRY] == 1
    assert [each.bilko_document_id for each in waiting(site, LETTER).documents] == [
        LETTER.document_id,
        TWIN.document_id,
    ]


def test_equal_bytes_that_arrive_while_the_first_is_being_finished_are_told_to_try_again() -> None:
    site, refused = Site(), list[Exception]()
    site.send(LETTER)

    def send_twin() -> None:
        try:
            site.send(TWIN)
        except ArchiveQueueFailure as exc:
            refused.append(exc)

    site.audit = before(site.audit, "record", send_twin)
    site.drain()

    assert len(refused) == 1
    assert row(site, TWIN).disposition is Disposition.REFUSED
    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def test_equal_bytes_wait_for_the_end_of_a_finishing_that_ends_in_time() -> None:
    site = Site(writes_per_second=1)
    site.send(LETTER)
    audit, site.audit = site.audit, failing(site.audit, "record")
    site.drain()
    assert waiting(site, LETTER).state is State.FINISHING
    site.audit, clock = audit, site.clock
    site.wait()
    site.clock = before(clock, "sleep", lambda: _finish(site, clock))

    accepted = site.send(TWIN)
    site.clock = clock
    site.drain()

    assert accepted.status is ArchiveStatus.PENDING
    assert row(site, TWIN).disposition is Disposition.ARCHIVED
    assert len(uploads(site)) == 1


def test_equal_bytes_that_arrive_after_the_first_is_archived_are_recorded_without_a_second_copy() -> None:
    site = Site()
    site.send(LETTER)
    site.drain()
    site.send(TWIN)

    site.drain()

    assert len(uploads(site)) == 1
    assert row(site, TWIN).disposition is Disposition.ARCHIVED


@pytest.mark.parametrize("which", [0, 1], ids=["organisation", "document"])
def test_what_was_erased_is_not_taken_in_again(which: int) -> None:
    site = Site()
    _bury(site, LETTER.key, which)

    with pytest.raises(Gone):
        site.send(LETTER)

    assert not _documents(site)
    assert site.ledger.job(LETTER.key) == []


def test_another_organisations_tombstone_concerns_nobody_else() -> None:
    site = Site()
    _bury(site, Letter("Other AS", "invoice 1", "An invoice").key, 0)

    assert site.send(LETTER).status is ArchiveStatus.PENDING


@pytest.mark.parametrize("step", ["put", "create"])
def test_a_tombstone_that_appears_between_the_steps_of_intake_undoes_them(step: str) -> None:
    site = Site()
    plain = site.queue
    site.queue = after(plain, step, lambda: plain.put(LETTER.key.tombstones[0], b"", "text/plain"))

    with pytest.raises(Gone):
        site.send(LETTER)

    assert not _documents(site)
    assert row(site, LETTER).disposition is Disposition.REFUSED


def test_a_drain_that_sees_a_tombstone_before_its_upload_sends_nothing_and_buries_nothing() -> None:
    site = Site()
    site.send(LETTER)
    _bury(site, LETTER.key, 1)

    assert site.drain().endings[Ending.ERASED] == 1
    hours(site, 3)

    assert uploads(site) == []
    assert not list(site.dead_letters.list(""))


def test_a_presigned_upload_is_taken_in_and_delivered() -> None:
    site = Site()
    _uploaded(site, LETTER.content)

    accepted = _finalise(site)
    site.drain()

    assert accepted.job_id == LETTER.key.job_id
    assert row(site, LETTER).disposition is Disposition.ARCHIVED
    assert not left_over(site)


def test_a_presigned_upload_changed_while_it_is_taken_in_is_refused_and_nothing_is_queued() -> None:
    site = Site()
    _uploaded(site, LETTER.content)
    plain = site.queue
    site.queue = before(plain, "copy", lambda: _uploaded(site, b"%PDF-1.4 other %%EOF", plain))

    with pytest.raises(InvalidInput) as refused:
        _finalise(site)

    assert refused.value.field == "uploadId"
    assert not _documents(site)
    assert row(site, LETTER).disposition is Disposition.REFUSED


def test_a_presigned_upload_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInput) as refused:
        _finalise(Site())

    assert refused.value.field == "uploadId"


def test_a_presigned_upload_of_other_bytes_than_announced_is_a_422() -> None:
    site = Site()
    _uploaded(site, TWIN.content.replace(b"invoice", b"Invoice"))

    with pytest.raises(InvalidInput) as refused:
        _finalise(site)

    assert (refused.value.field, refused.value.unprocessable) == ("sha256", True)


def test_an_idempotency_key_gives_the_same_answer_and_carries_out_once() -> None:
    site, carried = Site(), list[Accepted]()

    def carry_out() -> Accepted:
        carried.append(site.send(LETTER))
        return carried[-1]

    answers = [once(site.ledger, "key-1", LETTER.submission, carry_out) for _ in range(2)]

    assert answers[0] == answers[1]
    assert len(carried) == 1


def test_an_idempotency_key_used_for_another_body_is_a_conflict_and_nothing_is_queued() -> None:
    site, other = Site(), Letter("Firma AS", "invoice 3", "Another invoice")
    once(site.ledger, "key-1", LETTER.submission, lambda: site.send(LETTER))

    with pytest.raises(Conflict):
        once(site.ledger, "key-1", other.submission, lambda: site.send(other))

    assert site.queue.stat(other.key.sidecar) is None


def _parts(site: Site) -> WriteParts:
    return WriteParts(site.queue, site.ledger, site.clock, site.nonce)


def _uploaded(site: Site, content: bytes, store: Any = None) -> None:
    (store or site.queue).put(large.upload_key(LETTER.organization_id, UPLOAD), content, "application/pdf")


def _finalise(site: Site) -> Accepted:
    upload = FinishedUpload(**LETTER.submission.model_dump(), upload_id=UPLOAD)
    return large.archive_upload(_parts(site), upload, 1_000_000, trace_id=None)


def _bury(site: Site, key: ObjectKey, which: int) -> None:
    site.queue.put(key.tombstones[which], b"", "text/plain")


def _documents(site: Site) -> list[str]:
    return [key for key in left_over(site) if key.startswith("org/")]


def _finish(site: Site, clock: Any) -> None:
    meddled, site.clock = site.clock, clock
    site.drain()
    site.clock = meddled
