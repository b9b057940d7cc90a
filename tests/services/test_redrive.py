"""Letters sent back: which, in what pace, and with what answer for each."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from shared.domain.audit import Disposition
from shared.domain.dead_letters import LetterFilter
from shared.domain.errors import InvalidInput
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.redrive import RedriveRequest, Sending
from shared.services.redrive import BUDGET, redrive
from tests.flows.meddling import failing, left_over, row, waiting
from tests.prove.site import Letter, Site
from tests.services.dead import LETTER, bucket, buried, events, lay, lease, lying, pressed

OTHERS = [Letter(f"Org {number % 2}", f"document {number}", f"text {number}") for number in range(5)]


def filtered(site: Site, **wanted: object) -> dict[str, Sending]:
    request = RedriveRequest(filter=LetterFilter.model_validate(wanted), actor="an operator")
    return {item.id: item.outcome for item in redrive(site.letter_parts(), request).items}


def test_an_id_that_never_was_gets_an_answer_of_its_own() -> None:
    site, stranger = buried(), ObjectKey(uuid4(), DocumentType.INVOICE, "a" * 64)
    request = RedriveRequest(ids=("no id at all", stranger.job_id, LETTER.key.job_id), actor="an operator")

    answer = redrive(site.letter_parts(), request)

    assert [item.outcome for item in answer.items] == [Sending.UNKNOWN, Sending.UNKNOWN, Sending.REDRIVEN]
    assert answer.counts[Sending.UNKNOWN] == 2
    assert (answer.more, answer.cursor) == (False, None)


def test_a_letter_sent_back_already_is_said_to_be_queued_and_once_archived_to_be_unknown() -> None:
    site = buried()

    outcomes = [pressed(site)[0].outcome for _ in range(3)]
    site.drain_until_quiet()

    assert outcomes == [Sending.REDRIVEN, Sending.ALREADY_QUEUED, Sending.ALREADY_QUEUED]
    assert pressed(site)[0].outcome is Sending.UNKNOWN


def test_all_letters_are_sent_back_a_part_at_a_time() -> None:
    site = buried(*OTHERS)
    request = RedriveRequest(all=True, actor="an operator", limit=2)
    sent: list[str] = []

    for _ in range(3):
        answer = redrive(site.letter_parts(), request)
        sent += [item.id for item in answer.items]
        request = request.model_copy(update={"cursor": answer.cursor})

    assert sent == [letter.key.job_id for letter in sorted(OTHERS, key=lambda each: each.key.pdf)]
    assert not answer.more
    assert bucket(site) == []


def test_many_ids_go_on_where_the_limit_stopped_them() -> None:
    site = buried(*OTHERS)
    ids = tuple(letter.key.job_id for letter in OTHERS)
    first = redrive(site.letter_parts(), RedriveRequest(ids=ids, actor="an operator", limit=3))

    second = redrive(site.letter_parts(), RedriveRequest(ids=ids, actor="an operator", limit=3, cursor=first.cursor))

    assert [item.id for item in (*first.items, *second.items)] == list(ids)
    assert (first.more, second.more) == (True, False)


def test_a_cursor_of_another_selection_is_refused() -> None:
    site = buried(*OTHERS)
    cursor = redrive(site.letter_parts(), RedriveRequest(all=True, actor="an operator", limit=1)).cursor

    with pytest.raises(InvalidInput, match="another selection"):
        redrive(
            site.letter_parts(),
            RedriveRequest(filter=LetterFilter(reason="refused"), actor="an operator", cursor=cursor),
        )


def test_a_filter_sends_back_what_it_means_and_nothing_else() -> None:
    site = buried(*OTHERS)
    organization = OTHERS[0].organization_id

    sent = filtered(site, organization_id=organization)

    assert set(sent) == {letter.key.job_id for letter in OTHERS if letter.organization_id == organization}
    assert len(bucket(site)) == 4


def test_a_filter_by_reason_reads_each_letter_and_passes_over_the_others() -> None:
    site = buried(*OTHERS)
    lay(site, lying(site, OTHERS[1]).model_copy(update={"reason": "not_accepted"}))

    sent = filtered(site, reason="not_accepted")

    assert sent == {OTHERS[1].key.job_id: Sending.REDRIVEN}


def test_a_filter_by_age_leaves_the_young() -> None:
    site = buried(OTHERS[0])
    site.clock.sleep(timedelta(hours=5).total_seconds())
    site.send(OTHERS[1])
    site.queue.delete(OTHERS[1].key.sidecar)
    site.dead_letters.copy("queue", OTHERS[1].key.pdf, OTHERS[1].key.pdf)

    assert set(filtered(site, min_age_hours=4)) == {OTHERS[0].key.job_id}


def test_letters_are_sent_back_at_the_pace_that_was_set() -> None:
    site = buried(*OTHERS)
    before = site.clock.now()

    redrive(site.letter_parts(), RedriveRequest(all=True, actor="an operator"), per_second=2)

    assert site.clock.now() - before == timedelta(seconds=2.5)


def test_a_redrive_ends_before_the_function_is_ended_and_says_where_to_go_on() -> None:
    site = buried(*OTHERS)
    slow = 2 / BUDGET.total_seconds()

    answer = redrive(site.letter_parts(), RedriveRequest(all=True, actor="an operator"), per_second=slow)

    assert (len(answer.items), answer.more) == (2, True)


def test_what_fails_for_one_letter_does_not_stop_the_others() -> None:
    site = buried(*OTHERS[:2])
    lay(site, lying(site, OTHERS[0]).model_copy(update={"lease": lease(site)}))

    outcomes = {item.id: item.outcome for item in pressed(site, *OTHERS[:2])}

    assert outcomes == {OTHERS[0].key.job_id: Sending.FAILED, OTHERS[1].key.job_id: Sending.REDRIVEN}


def test_while_audit_callback_is_away_nothing_is_moved() -> None:
    site = buried()
    site.audit = failing(site.audit, "operator_event")

    (item,) = pressed(site)

    assert item.outcome is Sending.FAILED
    assert (left_over(site), len(bucket(site))) == ([], 2)


def test_what_was_sent_back_is_recorded_with_who_asked_and_counted_in_its_row() -> None:
    site = buried()

    pressed(site, actor="Kari")

    assert events(site) == [("dead_letter.redrive", "Kari")]
    assert [each.actor for each in waiting(site, LETTER).redrives] == ["Kari"]
    assert (row(site, LETTER).disposition, row(site, LETTER).redrives) == (Disposition.QUEUED, 1)
