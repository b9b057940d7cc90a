"""One letter sent back: what comes along, who else may be at it, and what is left after a crash."""

from __future__ import annotations

import pytest

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.keys import KEPT_ROOT
from shared.domain.redrive import Sending
from shared.domain.sidecar import Priority, State
from tests.flows.meddling import after, before, dead_letter, failing, left_over, refuse, row, uploads, waiting
from tests.prove.effects import Killed
from tests.prove.site import Letter, Site
from tests.services.dead import JSON, LETTER, TWIN, bucket, buried, events, lay, lease, lying, pressed


def test_a_letter_is_queued_again_with_its_history_and_a_clean_slate() -> None:
    site = buried(LETTER, TWIN)
    old = lying(site)

    (item,) = pressed(site)

    queued = waiting(site, LETTER)
    assert item.outcome is Sending.REDRIVEN
    assert (queued.state, queued.retry_count, queued.submissions, queued.unresolved) == (State.QUEUED, 0, 0, 0)
    assert (queued.verdict, queued.reason, queued.lease) == (None, None, None)
    assert (queued.errors, queued.documents) == (old.errors, old.documents)
    assert bucket(site) == []


def test_once_its_cause_is_mended_it_is_archived_under_a_name_that_was_never_used_before() -> None:
    site = buried()
    pressed(site)

    site.drain_until_quiet()

    assert (row(site, LETTER).status, row(site, LETTER).redrives) == (ArchiveStatus.ARCHIVED, 1)
    assert [name.rsplit("-", 1)[1] for name in uploads(site)] == ["4.pdf"]
    assert len(site.copies(LETTER.key)) == 1


def test_dead_again_it_tells_of_both_its_lives() -> None:
    site = buried(mended=False)
    pressed(site)

    site.drain_until_quiet()

    letter = dead_letter(site, LETTER)
    assert (len(letter.errors), len(letter.redrives), letter.retry_count) == (6, 1, 3)
    assert (row(site, LETTER).disposition, row(site, LETTER).redrives) == (Disposition.DEAD, 1)


def test_who_asks_is_recorded_before_anything_is_done() -> None:
    site = buried()
    site.dead_letters = failing(site.dead_letters, "replace")

    (item,) = pressed(site)

    assert item.outcome is Sending.FAILED
    assert events(site) == [("dead_letter.redrive", "an operator")]
    assert left_over(site) == []


def test_if_the_same_bytes_are_queued_already_the_letter_joins_them() -> None:
    site = buried()
    old = lying(site)
    site.send(TWIN)

    (item,) = pressed(site)

    queued = waiting(site, LETTER)
    assert item.outcome is Sending.ALREADY_QUEUED
    assert {each.bilko_document_id for each in queued.documents} == {LETTER.document_id, TWIN.document_id}
    assert queued.errors == old.errors
    assert row(site, LETTER).disposition is Disposition.QUEUED
    assert bucket(site) == []


def test_a_document_that_was_sent_again_meanwhile_gets_its_history_back() -> None:
    site = buried()
    old = lying(site)
    site.send(LETTER)

    pressed(site)

    queued = waiting(site, LETTER)
    assert ([each.bilko_document_id for each in queued.documents], queued.errors) == ([LETTER.document_id], old.errors)


def test_a_queued_sidecar_that_lost_its_pdf_gets_the_letters() -> None:
    site = buried()
    site.send(TWIN)
    site.queue.delete(TWIN.key.pdf)

    pressed(site)
    site.drain_until_quiet()

    assert {row(site, each).disposition for each in (LETTER, TWIN)} == {Disposition.ARCHIVED}


def test_a_pdf_taken_along_by_what_was_just_finished_is_copied_again() -> None:
    site = buried()
    site.queue = after(site.queue, "create", lambda: site.queue.delete(LETTER.key.pdf))

    pressed(site)

    assert site.queue.stat(LETTER.key.pdf) is not None


def test_its_pdf_is_in_the_queue_before_the_sidecar_that_stands_for_it() -> None:
    site = buried()
    seen: list[bool] = []
    site.queue = before(site.queue, "create", lambda: seen.append(site.queue.stat(LETTER.key.pdf) is not None))

    pressed(site)

    assert seen == [True]


def test_a_document_that_joins_the_letter_just_before_it_is_frozen_comes_along() -> None:
    site = buried(LETTER, TWIN)
    both = lying(site)
    lay(site, both.model_copy(update={"documents": both.documents[:1], "revision": "before"}))
    site.dead_letters = before(site.dead_letters, "replace", lambda: lay(site, both))

    (item,) = pressed(site)

    assert (item.outcome, waiting(site, LETTER).documents) == (Sending.REDRIVEN, both.documents)


def test_what_is_just_being_finished_is_waited_for() -> None:
    site = buried()
    site.send(TWIN)
    frozen = waiting(site, TWIN).model_copy(update={"state": State.FINISHING})
    site.queue.put(TWIN.key.sidecar, frozen.to_json(), JSON)

    (item,) = pressed(site)

    assert (item.outcome, "just being finished" in item.detail) == (Sending.FAILED, True)
    assert lying(site).lease is None
    assert len(bucket(site)) == 2


def test_a_letter_that_somebody_else_is_moving_is_left_to_them_until_their_time_is_over() -> None:
    site = buried()
    lay(site, lying(site).model_copy(update={"lease": lease(site)}))

    first = pressed(site)[0]
    site.wait()
    second = pressed(site)[0]

    assert (first.outcome, "Somebody else" in first.detail) == (Sending.FAILED, True)
    assert second.outcome is Sending.REDRIVEN


def test_two_who_press_at_the_same_moment_send_it_back_once() -> None:
    site = buried()
    second: list[Sending] = []
    theirs = site.letter_parts()
    site.queue = before(site.queue, "copy", lambda: second.append(pressed(site, parts=theirs)[0].outcome))

    (first,) = pressed(site)

    assert (first.outcome, second) == (Sending.REDRIVEN, [Sending.FAILED])
    assert len(waiting(site, LETTER).redrives) == 1
    assert bucket(site) == []


def test_a_drain_that_buries_the_same_bytes_meanwhile_waits_and_loses_nothing() -> None:
    site = buried(mended=False)
    refuse(site, TWIN, "error", status=413)
    site.send(TWIN)
    site.drain()
    site.wait()
    site.drain()
    site.wait()
    # The third refusal, and with it the burial, comes between the letter's being joined and its being deleted.
    site.dead_letters = before(site.dead_letters, "delete", site.drain)

    (item,) = pressed(site)
    frozen = waiting(site, TWIN)
    site.wait()
    site.drain()

    assert (item.outcome, frozen.state) == (Sending.ALREADY_QUEUED, State.FINISHING)
    letter = dead_letter(site, LETTER)
    assert {each.bilko_document_id for each in letter.documents} == {LETTER.document_id, TWIN.document_id}
    assert {row(site, each).disposition for each in (LETTER, TWIN)} == {Disposition.DEAD}
    assert left_over(site) == []


def test_if_the_rows_cannot_be_told_the_letter_is_let_go_and_the_next_press_completes_it() -> None:
    site = buried()
    audit = site.audit
    site.audit = failing(audit, "record")
    first = pressed(site)[0]
    site.audit = audit

    second = pressed(site)[0]

    assert [first.outcome, second.outcome] == [Sending.FAILED, Sending.ALREADY_QUEUED]
    assert len(waiting(site, LETTER).redrives) == 1
    assert row(site, LETTER).disposition is Disposition.QUEUED
    assert bucket(site) == []


@pytest.mark.parametrize(("part", "call"), [("queue", "create"), ("audit", "record")])
def test_a_process_that_slept_past_its_lease_deletes_nothing(part: str, call: str) -> None:
    site = buried()
    setattr(site, part, after(getattr(site, part), call, lambda: site.clock.sleep(600)))

    (item,) = pressed(site)

    assert (item.outcome, "too long" in item.detail) == (Sending.FAILED, True)
    assert len(bucket(site)) == 2


def test_what_a_crash_left_of_a_letter_is_removed_once_its_document_is_archived() -> None:
    site = buried()
    plain = site.dead_letters
    site.dead_letters = after(plain, "delete", _die)
    with pytest.raises(Killed):
        pressed(site)
    site.dead_letters = plain
    site.wait()
    site.drain_until_quiet()

    (item,) = pressed(site)

    assert (item.outcome, "is archived" in item.detail) == (Sending.ALREADY_QUEUED, True)
    assert bucket(site) == []


def _die() -> None:
    raise Killed


def test_a_letter_whose_pdf_is_gone_says_so_and_stays() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.pdf)

    (item,) = pressed(site)

    assert (item.outcome, "PDF is gone" in item.detail) == (Sending.FAILED, True)
    assert bucket(site) == [LETTER.key.sidecar]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{not json", "sidecar_broken"),
        (b'{"schemaVersion": "2"}', "sidecar_newer"),
        (b"", "sidecar_broken"),
    ],
)
def test_a_letter_that_cannot_be_read_is_said_to_be_so_and_stays(raw: bytes, reason: str) -> None:
    site = buried()
    site.dead_letters.put(LETTER.key.sidecar, raw, JSON)

    (item,) = pressed(site)

    assert (item.outcome, reason in item.detail) == (Sending.UNREADABLE, True)
    stored = site.dead_letters.get(LETTER.key.sidecar)
    assert stored is not None
    assert stored.body == raw
    assert left_over(site) == []


def test_a_letter_of_another_document_than_its_key_says_is_unreadable() -> None:
    site = buried()
    other = Letter("Firma AS", "invoice 1", "Another invoice")
    site.dead_letters.put(other.key.sidecar, lying(site).to_json(), JSON)

    (item,) = pressed(site, other)

    assert (item.outcome, "sidecar_mismatch" in item.detail) == (Sending.UNREADABLE, True)


def test_a_pdf_without_a_sidecar_cannot_be_sent_back_because_nobody_knows_its_document() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.sidecar)

    (item,) = pressed(site)

    assert (item.outcome, "nobody knows" in item.detail) == (Sending.FAILED, True)
    assert bucket(site) == [LETTER.key.pdf]


def test_the_letter_of_an_orphan_pdf_cannot_be_sent_back_either() -> None:
    site = Site()
    site.queue.put(LETTER.key.pdf, LETTER.content, "application/pdf")
    site.clock.sleep(7200)
    site.drain()

    (item,) = pressed(site)

    assert (item.outcome, "nobody knows" in item.detail) == (Sending.FAILED, True)
    assert len(bucket(site)) == 2


def test_something_unreadable_in_the_queue_is_left_to_the_drain() -> None:
    site = buried()
    site.queue.put(LETTER.key.sidecar, b"{}", JSON)

    (item,) = pressed(site)

    assert (item.outcome, "cannot be read" in item.detail) == (Sending.FAILED, True)
    assert len(bucket(site)) == 2


def test_bytes_that_changed_are_not_sent_back() -> None:
    site = buried()
    lay(site, lying(site).model_copy(update={"reason": "bytes_changed"}), pdf=b"something else")

    (item,) = pressed(site)

    assert (item.outcome, "not the one that was handed in" in item.detail) == (Sending.FAILED, True)
    assert left_over(site) == []


def test_bytes_that_were_put_right_by_hand_are_sent_back() -> None:
    site = buried()
    lay(site, lying(site).model_copy(update={"reason": "bytes_changed"}))

    assert pressed(site)[0].outcome is Sending.REDRIVEN


def test_an_erased_document_may_not_come_back() -> None:
    site = buried()
    site.queue.put(LETTER.key.tombstones[1], b"", JSON)

    (item,) = pressed(site)

    assert (item.outcome, "erased" in item.detail) == (Sending.FAILED, True)
    assert len(bucket(site)) == 2


def test_a_kept_letter_is_sent_back_like_any_other() -> None:
    site = buried()
    lay(site, lying(site), KEPT_ROOT, LETTER.content)
    for name in (LETTER.key.pdf, LETTER.key.sidecar):
        site.dead_letters.delete(name)

    (item,) = pressed(site)

    assert item.outcome is Sending.REDRIVEN
    assert bucket(site) == []


def test_a_letter_that_lies_twice_is_sent_back_once_with_the_documents_of_both() -> None:
    site = buried(LETTER, TWIN)
    both = lying(site)
    lay(site, both.model_copy(update={"documents": both.documents[:1]}))
    lay(site, both.model_copy(update={"documents": both.documents[1:]}), KEPT_ROOT, LETTER.content)

    (item,) = pressed(site)

    assert item.outcome is Sending.REDRIVEN
    assert waiting(site, LETTER).documents == both.documents
    assert bucket(site) == []


def test_an_urgent_one_is_urgent_again() -> None:
    urgent = Letter("Firma AS", "invoice 1", "An invoice", priority=Priority.HIGH)
    site = buried(urgent)

    pressed(site, urgent)

    assert site.queue.stat(urgent.key.priority_marker) is not None
