"""How an attempt ends."""

from __future__ import annotations

from shared.domain.drain import Ending
from shared.domain.retry import ErrorClass
from shared.services.verdicts import bury, charge, lost
from tests.flows.meddling import dead_letter, failing, row, waiting
from tests.services.runs import LETTER, held, opened, sent


def test_a_first_and_a_second_charge_send_it_back_and_the_third_is_the_last() -> None:
    site = sent()
    run = opened(site)

    endings = [charge(run, held(run), "refused", f"reason {number}").ending for number in range(3)]

    assert endings == [Ending.RETRY, Ending.RETRY, Ending.DEAD]
    assert [error.message for error in dead_letter(site, LETTER).errors] == ["reason 0", "reason 1", "reason 2"]


def test_a_charge_counts_even_if_audit_callback_cannot_be_told() -> None:
    site = sent()
    site.audit = failing(site.audit, "record")
    run = opened(site)

    charge(run, held(run), "refused", "too large")

    assert waiting(site, LETTER).retry_count == 1


def test_what_paperless_lost_is_not_charged() -> None:
    site = sent()
    run = opened(site)

    outcome = lost(run, held(run), "database is locked")

    assert (outcome.ending, outcome.error_class) == (Ending.RETRY, ErrorClass.LOST)
    assert waiting(site, LETTER).retry_count == 0
    assert waiting(site, LETTER).last_error == "database is locked"


def test_a_very_long_reason_is_cut() -> None:
    site = sent()
    run = opened(site)

    lost(run, held(run), "x" * 5000)

    assert len(waiting(site, LETTER).last_error or "") == 500


def test_what_is_kept_lies_apart_from_what_expires() -> None:
    site = sent()
    run = opened(site)

    bury(run, held(run), "refused_twin", "a duplicate", kept=True)

    assert dead_letter(site, LETTER, "kept/").kept
    assert site.dead_letters.stat(LETTER.key.pdf) is None
    assert row(site, LETTER).reason == "refused_twin"
