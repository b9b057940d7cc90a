"""Lost answers, lost tasks, processes that die or sleep: looked for before anything is sent again."""

from __future__ import annotations

import pytest

from shared.domain.audit import Disposition
from shared.domain.drain import Ending
from shared.domain.sidecar import State
from tests.flows.meddling import (
    POST,
    after,
    before,
    break_paperless,
    dead_letter,
    dies,
    file_name,
    hours,
    left_over,
    letters,
    row,
    send_all,
    uploads,
    waiting,
)
from tests.prove.effects import Killed
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")


def cut(site: Site) -> None:
    """A run that is killed."""
    with pytest.raises(Killed):
        site.drain()


def test_a_drain_that_dies_after_the_upload_finds_its_task_by_file_name() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.archive = site.archive, after(site.archive, "upload", dies)
    cut(site)
    assert waiting(site, LETTER).task_id is None
    site.archive = plain
    site.wait()

    site.drain()

    assert uploads(site) == [file_name(LETTER, 1)]
    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def test_a_drain_that_dies_after_the_upload_finds_its_document_even_if_the_task_is_forgotten() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.archive = site.archive, after(site.archive, "upload", dies)
    cut(site)
    site.wait()
    break_paperless(site, "tasks_lost")
    site.archive = plain

    site.drain()

    assert len(site.copies(LETTER.key)) == 1
    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def test_a_drain_that_dies_before_the_upload_sends_it_again_only_after_looking_twice() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.archive = site.archive, before(site.archive, "upload", dies)
    cut(site)
    site.archive = plain
    site.wait()

    first = site.drain()
    site.wait()
    second = site.drain()

    assert (first.endings[Ending.WAITING], second.endings[Ending.ARCHIVED]) == (1, 1)
    assert uploads(site) == [file_name(LETTER, 2)]


def test_a_lost_answer_to_an_upload_that_was_taken_makes_no_second_copy() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "lost_answer", path=POST)

    reports = site.drain_until_quiet()

    assert reports[0].endings[Ending.ARCHIVED] == 0
    assert len(uploads(site)) == 1
    assert len(site.copies(LETTER.key)) == 1


def test_a_lost_answer_to_an_upload_that_was_not_taken_is_sent_again() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "lost_answer", path=POST, after_effect=False)

    site.drain_until_quiet()

    assert len(site.copies(LETTER.key)) == 1
    assert row(site, LETTER).retry_count == 0


def test_not_there_counts_only_a_minute_after_the_upload() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "lost_answer", path=POST, after_effect=False)
    site.drain()
    site.wait(3.6)

    for _ in range(3):
        site.drain()

    assert uploads(site) == []


def test_a_task_stuck_in_started_is_given_up_after_two_hours_if_later_ones_are_done() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "stuck")
    site.drain()
    for number in range(26):
        site.send(Letter("Other AS", f"later {number}", f"later {number}"))
        site.drain()
        site.wait()

    site.drain_until_quiet()

    assert len(site.copies(LETTER.key)) == 1
    assert len([name for name in uploads(site) if name.startswith(LETTER.organization_id.hex)]) == 2


def test_a_task_stuck_in_started_is_left_alone_while_nothing_later_is_done() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "stuck")

    hours(site, 5)

    assert waiting(site, LETTER).state is State.SUBMITTED
    assert len(uploads(site)) == 1


def test_four_stuck_tasks_do_not_stall_the_others_for_more_than_ten_minutes() -> None:
    site, stuck = Site(), letters(4)
    send_all(site, stuck)
    break_paperless(site, "stuck", times=4)
    hours(site, 0.75)
    site.send(LETTER)

    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_a_killed_worker_loses_its_task_and_the_document_is_sent_again() -> None:
    site = Site(consume_seconds=30)
    site.send(LETTER)
    break_paperless(site, "worker_killed")
    for number in range(27):
        site.send(Letter("Other AS", f"later {number}", f"later {number}"))
        site.drain()
        site.wait()

    site.drain_until_quiet()

    assert len(site.copies(LETTER.key)) == 1
    assert row(site, LETTER).retry_count == 0


def test_a_queue_that_forgot_its_tasks_leaves_nothing_behind_for_ever() -> None:
    site = Site(consume_seconds=30)
    site.send(LETTER)
    break_paperless(site, "worker_down")
    site.drain()
    break_paperless(site, "queue_lost")
    site.paperless.clear_faults()
    for number in range(4):
        site.send(Letter("Other AS", f"later {number}", f"later {number}"))
        site.drain()
        site.wait()

    site.drain_until_quiet()

    assert len(site.copies(LETTER.key)) == 1


@pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])
@pytest.mark.parametrize("kind", ["database_locked", "worker_exited"])
def test_a_locked_database_or_a_worker_that_exited_is_sent_again_and_charged_to_nobody(kind: str, version: str) -> None:
    site = Site(version=version)  # type: ignore[arg-type]
    site.send(LETTER)
    break_paperless(site, kind)

    first = site.drain()
    site.drain_until_quiet()

    assert (first.endings[Ending.RETRY], first.charged) == (1, 0)
    assert row(site, LETTER).retry_count == 0
    assert len(site.copies(LETTER.key)) == 1


def test_after_ten_submissions_a_document_is_left_with_an_alert_and_never_a_dead_letter() -> None:
    site = Site()
    site.send(LETTER)
    break_paperless(site, "database_locked", times=50)

    hours(site, 2)

    assert len(uploads(site)) == 10
    assert waiting(site, LETTER).state is State.QUEUED
    assert not list(site.dead_letters.list(""))


def test_a_document_that_kills_the_drain_is_tried_alone_at_the_end_of_a_run() -> None:
    site, others = Site(), letters(3)
    site.send(LETTER)
    plain, site.archive = site.archive, before(site.archive, "upload", dies)
    cut(site)
    send_all(site, others)
    site.wait()
    site.archive = plain
    site.drain()
    site.wait()

    site.send(Letter("Firma AS", "invoice 2", "Another invoice"))
    site.drain()

    assert uploads(site)[-1] == file_name(LETTER, 2)


def test_a_document_that_killed_five_drains_is_a_dead_letter() -> None:
    site, deaths = Site(), 0
    site.send(LETTER)
    plain, site.archive = site.archive, before(site.archive, "upload", dies, times=99)
    for _ in range(14):
        try:
            site.drain()
        except Killed:
            deaths += 1
        site.wait()
    site.archive = plain

    assert deaths == 5
    assert dead_letter(site, LETTER).reason == "worker_crashed"
    assert row(site, LETTER).disposition is Disposition.DEAD


def test_what_another_drain_is_submitting_is_left_alone_until_its_lease_ends() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.archive = site.archive, before(site.archive, "upload", dies)
    cut(site)
    site.archive = plain

    at_once = site.drain()
    site.wait()
    later = site.drain()

    assert (at_once.endings[Ending.LEASED], later.endings[Ending.WAITING]) == (1, 1)


def test_no_upload_starts_that_the_lease_would_not_outlast_by_a_minute() -> None:
    site = Site()
    site.send(LETTER)
    plain = site.queue
    site.queue = before(plain, "stat", lambda: site.clock.sleep(95))

    site.drain()
    site.queue = plain

    assert uploads(site) == []
    assert waiting(site, LETTER).state is State.QUEUED
    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_no_delete_starts_that_the_lease_would_not_outlast_by_a_minute() -> None:
    site = Site()
    site.send(LETTER)
    site.audit = after(site.audit, "record", lambda: site.clock.sleep(95))

    report = site.drain()

    assert report.endings[Ending.LEFT] == 1
    assert site.queue.stat(LETTER.key.pdf) is not None
    site.wait()
    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_a_drain_that_slept_past_its_lease_reports_the_further_copy_it_made() -> None:
    site = Site()
    site.send(LETTER)
    plain = site.archive

    def others_go_on() -> None:
        site.archive = plain
        for _ in range(3):
            site.wait()
            site.drain()

    site.archive = before(plain, "upload", others_go_on)

    report = site.drain()
    site.wait()

    assert len(site.copies(LETTER.key)) == 2
    assert report.surplus == 1
    assert row(site, LETTER).paperless_document_id == min(site.copies(LETTER.key))
    assert not left_over(site)


def test_two_copies_in_the_archive_converge_on_the_lower_id_and_the_other_is_reported() -> None:
    site = Site()
    site.send(LETTER)
    plain, site.archive = site.archive, after(site.archive, "upload", dies)
    cut(site)
    site.wait()
    site.paperless.advance()
    (first,) = site.copies(LETTER.key)
    with site.paperless.world.archive.changing(site.paperless.world.archive.documents[first]):
        hidden = site.paperless.world.archive.documents[first].tags
        site.paperless.world.archive.documents[first].tags = []
    break_paperless(site, "tasks_lost")
    site.archive = plain
    site.drain()
    site.wait()
    site.archive = before(plain, "task", lambda: _restore_tags(site, first, hidden))

    report = site.drain()

    assert report.surplus == 1
    assert row(site, LETTER).paperless_document_id == first


def _restore_tags(site: Site, document_id: int, tags: list[int]) -> None:
    document = site.paperless.world.archive.documents[document_id]
    with site.paperless.world.archive.changing(document):
        document.tags = tags
