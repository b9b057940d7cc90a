"""Leases, and changes made on top of each other."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.domain import transitions
from shared.domain.errors import PreconditionFailed
from shared.services.drain_run import MARGIN, LeaseTooShort
from tests.domain.samples import document
from tests.flows.meddling import after, waiting
from tests.services.runs import LETTER, TWIN, held, opened, sent


def test_a_lease_to_submit_outlasts_the_upload_by_more_than_a_minute() -> None:
    run = opened(sent())

    lasts = (run.lease_to_submit().until - run.now()).total_seconds()

    assert lasts > run.options.upload_timeout + MARGIN


def test_a_lease_to_follow_ends_with_the_run_so_that_the_next_takes_over() -> None:
    run = opened(sent())

    assert run.lease_to_follow().until == run.deadline


def test_nothing_starts_without_a_lease_of_ones_own_that_lasts() -> None:
    site = sent()
    run, other = opened(site), opened(site, "another run")
    mine = transitions.start_submitting(held(run).sidecar, run.lease_to_submit(), run.now())

    run.insist(mine, 50)
    for owner, seconds in ((other, 50.0), (run, 500.0)):
        with pytest.raises(LeaseTooShort):
            owner.insist(mine, seconds)
    with pytest.raises(LeaseTooShort):
        run.insist(held(run).sidecar, 50)


def test_a_document_added_under_our_lease_is_kept_and_our_change_made_on_top() -> None:
    site = sent()
    run = opened(site)
    lease = run.lease_to_submit()
    mine = run.change(held(run), lambda sidecar: transitions.start_submitting(sidecar, lease, run.now()))
    site.send(TWIN)

    changed = run.change(mine, lambda sidecar: transitions.submitted(sidecar, "task", run.lease(60)))

    assert changed.sidecar.task_id == "task"
    assert [each.bilko_document_id for each in changed.sidecar.documents] == [LETTER.document_id, TWIN.document_id]
    assert waiting(site, LETTER) == changed.sidecar


def test_a_change_that_had_succeeded_is_recognised_under_a_document_added_since() -> None:
    site = sent()
    plain = site.queue
    site.queue = after(plain, "replace", lambda: _added_and_lost(site, plain))
    run = opened(site)
    lease = run.lease_to_submit()

    changed = run.change(held(run), lambda sidecar: transitions.start_submitting(sidecar, lease, run.now()))

    assert changed.sidecar.attempts == 1
    assert len(changed.sidecar.documents) == 2


def test_what_another_run_took_meanwhile_is_not_touched() -> None:
    site = sent()
    run, other = opened(site), opened(site, "another run")
    mine = held(run)
    lease = other.lease_to_submit()
    theirs = other.change(held(other), lambda sidecar: transitions.start_submitting(sidecar, lease, other.now()))

    with pytest.raises(PreconditionFailed):
        run.change(mine, lambda sidecar: transitions.add_document(sidecar, document(9), "nonce"))

    assert waiting(site, LETTER) == theirs.sidecar


def test_the_list_of_tasks_is_asked_for_once_in_a_run() -> None:
    site = sent()
    run = opened(site)
    site.paperless.reset_counters()

    for _ in range(3):
        assert run.task_named("nobody.pdf") is None

    assert sum(site.paperless.state()["requests"].values()) == 1


def test_time_is_that_of_the_clock_handed_in() -> None:
    site = sent()
    run = opened(site)
    before = run.now()

    site.clock.sleep(5)

    assert run.now() - before == timedelta(seconds=5)


def _added_and_lost(site: object, plain: object) -> None:
    site.queue = plain  # type: ignore[attr-defined]
    site.send(TWIN)  # type: ignore[attr-defined]
    raise PreconditionFailed
