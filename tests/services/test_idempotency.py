"""A request sent twice with one key."""

from __future__ import annotations

from uuid import uuid4

import pytest

from shared.domain.errors import ArchiveQueueFailure, Conflict
from shared.domain.submission import Accepted
from shared.services.idempotency import once
from tests.fakes.ledger import MemoryLedger
from tests.flows.meddling import failing
from tests.prove.site import Site
from tests.services.runs import LETTER, TWIN


def test_without_a_key_everything_is_carried_out() -> None:
    site = Site()

    answers = [once(site.ledger, None, LETTER.submission, lambda: site.send(LETTER)) for _ in range(2)]

    assert answers[0] == answers[1]


def test_a_key_belongs_to_its_organisation() -> None:
    site, elsewhere = Site(), LETTER.submission.model_copy(update={"organization_id": uuid4()})
    once(site.ledger, "key", LETTER.submission, lambda: site.send(LETTER))

    assert once(site.ledger, "key", elsewhere, lambda: site.send(LETTER)).job_id == LETTER.key.job_id


def test_while_the_database_is_down_the_work_is_done_all_the_same() -> None:
    site = Site()
    ledger = failing(site.ledger, "recall", "remember")

    assert once(ledger, "key", LETTER.submission, lambda: site.send(LETTER)).job_id == LETTER.key.job_id


def test_a_failure_is_not_remembered() -> None:
    site = Site()

    def fail() -> Accepted:
        raise ArchiveQueueFailure

    with pytest.raises(ArchiveQueueFailure):
        once(site.ledger, "key", LETTER.submission, fail)

    assert once(site.ledger, "key", LETTER.submission, lambda: site.send(LETTER)).job_id == LETTER.key.job_id


def test_two_requests_at_once_with_one_key_and_two_bodies_are_not_both_answered() -> None:
    site, ledger = Site(), MemoryLedger()

    def meanwhile() -> Accepted:
        once(ledger, "key", TWIN.submission, lambda: site.send(TWIN))
        return site.send(LETTER)

    with pytest.raises(Conflict):
        once(ledger, "key", LETTER.submission, meanwhile)
