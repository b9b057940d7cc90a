"""From an accepted upload to a verdict."""

from __future__ import annotations

from datetime import timedelta

from shared.domain import transitions
from shared.domain.drain import Ending
from shared.domain.retry import ErrorClass
from shared.domain.sidecar import State
from shared.services.delivery import deliver
from shared.services.following import not_seen, settled
from tests.flows.meddling import break_paperless, uploads, waiting
from tests.prove.site import Site
from tests.services.runs import LETTER, candidate, held, opened, sent


def submitted(site: Site) -> None:
    """An upload that Paperless took and works on."""
    break_paperless(site, "worker_down")
    site.drain()
    assert waiting(site, LETTER).state is State.SUBMITTED


def test_a_task_is_polled_until_it_is_final() -> None:
    site = sent(consume_seconds=30.0)
    run = opened(site)

    outcome = deliver(run, candidate(site))

    assert outcome.ending is Ending.ARCHIVED
    assert outcome.task_row is not None


def test_a_task_keeps_its_slot_no_longer_than_the_run() -> None:
    site = sent()
    break_paperless(site, "worker_down")
    run, started = opened(site), site.clock.now()

    outcome = deliver(run, candidate(site))

    assert outcome.ending is Ending.WAITING
    assert site.clock.now() - started < timedelta(seconds=245)


def test_a_slot_is_free_again_after_ten_minutes() -> None:
    site = sent()
    submitted(site)
    site.wait(10)
    run, started = opened(site), site.clock.now()

    outcome = deliver(run, candidate(site))

    assert (outcome.ending, outcome.detail) == (Ending.WAITING, "the task is PENDING")
    assert site.clock.now() == started


def test_a_pending_task_is_lost_only_if_a_later_one_of_ours_is_final() -> None:
    site = sent()
    submitted(site)
    site.wait(10)
    run = opened(site)
    run.latest_final = site.clock.now()

    outcome = deliver(run, candidate(site))

    assert (outcome.ending, outcome.error_class) == (Ending.RETRY, ErrorClass.LOST)


def test_an_earlier_task_that_is_final_says_nothing_about_a_pending_one() -> None:
    site = sent()
    submitted(site)
    submitted_at = waiting(site, LETTER).last_attempt_at
    site.wait(10)
    run = opened(site)
    run.latest_final = submitted_at

    assert deliver(run, candidate(site)).ending is Ending.WAITING


def test_a_task_nobody_knows_any_more_is_looked_for_twice() -> None:
    site = sent()
    submitted(site)
    break_paperless(site, "tasks_lost")
    site.wait()

    first = deliver(opened(site), candidate(site))
    early = deliver(opened(site), candidate(site))
    site.wait()
    second = deliver(opened(site), candidate(site))

    assert (first.ending, early.ending, second.ending) == (Ending.WAITING, Ending.WAITING, Ending.RETRY)
    assert len(uploads(site)) == 0


def test_not_there_may_count_a_minute_after_the_upload_and_a_minute_after_the_first_look() -> None:
    site = sent()
    run = opened(site)
    lease, now = run.lease_to_submit(), run.now()
    tried = run.change(held(run), lambda sidecar: transitions.start_submitting(sidecar, lease, now))

    assert not settled(run, tried.sidecar)
    site.clock.sleep(60)
    assert settled(run, tried.sidecar)
    assert not_seen(run, tried) is not None
    assert not settled(run, held(run).sidecar)
    site.clock.sleep(60)
    assert not_seen(run, held(run)) is None


def test_a_failure_of_paperless_while_polling_leaves_the_document_submitted() -> None:
    site = sent()
    break_paperless(site, "error", status=500, path="/api/tasks/")

    site.drain()

    assert waiting(site, LETTER).state is State.SUBMITTED
    site.paperless.clear_faults()
    site.wait()
    assert site.drain().endings[Ending.ARCHIVED] == 1
