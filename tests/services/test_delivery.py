"""One document: look, record the intent, submit once."""

from __future__ import annotations

import pytest

from shared.domain.drain import Ending
from shared.domain.keys import DocumentType
from shared.domain.retry import ErrorClass
from shared.domain.sidecar import State
from shared.services.delivery import charge_suspect, deliver
from tests.flows.meddling import POST, after, api, before, break_paperless, failing, file_name, uploads, waiting
from tests.prove.site import Letter
from tests.services.runs import LETTER, candidate, opened, sent


def test_a_delivery_makes_three_sidecar_writes() -> None:
    site, writes = sent(), list[int]()
    site.queue = after(site.queue, "replace", lambda: writes.append(1), times=9)

    outcome = deliver(opened(site), candidate(site))

    assert (outcome.ending, len(writes)) == (Ending.ARCHIVED, 3)


def test_the_intent_is_recorded_before_anything_is_sent() -> None:
    site, seen = sent(), list[str]()

    def look() -> None:
        sidecar = waiting(site, LETTER)
        seen.append(sidecar.submitting.file_name if sidecar.submitting else "")

    site.archive = before(site.archive, "upload", look)
    deliver(opened(site), candidate(site))

    assert seen == [file_name(LETTER, 1)]


def test_what_is_sent_is_what_the_specification_asks_for() -> None:
    letter = Letter("Firma AS", "plan", "A plan", DocumentType.CARE_PLAN)
    site = sent(letter)

    deliver(opened(site), candidate(site, letter))

    (number,) = site.copies(letter.key)
    shown = api(site).get(f"/api/documents/{number}/").json()
    assert shown["title"] == "Care plan — Firma AS 2026-01-01"
    assert shown["created"].startswith("2026-01-01")
    assert {each["value"] for each in shown["custom_fields"]} == {
        letter.key.sha256,
        str(letter.organization_id),
        str(letter.document_id),
    }


def test_a_refused_upload_says_it_was_one_and_when() -> None:
    site = sent()
    break_paperless(site, "error", status=500, path=POST)

    outcome = deliver(opened(site), candidate(site))

    assert (outcome.ending, outcome.error_class, outcome.uploading) == (Ending.RETRY, ErrorClass.DOWN, True)
    assert outcome.answered_at == site.clock.now()
    assert waiting(site, LETTER).state is State.QUEUED


def test_a_lost_answer_leaves_the_document_submitting_and_is_no_crash() -> None:
    site = sent()
    break_paperless(site, "lost_answer", path=POST)

    outcome = deliver(opened(site), candidate(site))

    assert outcome.error_class is ErrorClass.AMBIGUOUS
    assert (waiting(site, LETTER).state, waiting(site, LETTER).crashes) == (State.SUBMITTING, 0)


@pytest.mark.parametrize("call", ["get", "stat"])
def test_a_store_that_fails_before_the_upload_is_no_crash(call: str) -> None:
    site = sent()
    run = opened(site)
    reads = site.queue
    run.parts.queue.stat(LETTER.key.pdf)
    site.queue = failing(reads, call)
    broken = opened(site)

    outcome = deliver(broken, candidate(site))
    site.queue = reads

    assert outcome.error_class is ErrorClass.OURS_DOWN
    assert waiting(site, LETTER).crashes == 0
    assert uploads(site) == []


def test_a_suspect_is_charged_for_what_it_was_suspected_of() -> None:
    site = sent()
    break_paperless(site, "error", status=500, path=POST)
    run = opened(site)
    why = deliver(run, candidate(site)).detail

    assert charge_suspect(run, LETTER.key, why).ending is Ending.RETRY
    assert waiting(site, LETTER).retry_count == 1


def test_a_suspect_that_moved_on_meanwhile_is_not_charged() -> None:
    site = sent()

    outcome = charge_suspect(opened(site), LETTER.key, "500 something")

    assert outcome.ending is Ending.LEASED
    assert waiting(site, LETTER).retry_count == 0


def test_a_document_that_is_gone_by_now_is_gone() -> None:
    site = sent()
    site.drain()

    assert deliver(opened(site), candidate(site)).ending is Ending.GONE
