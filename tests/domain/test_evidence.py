"""Who is to blame, by what happened before and after."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.evidence import FAILURES_AT_MOST, Evidence
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.retry import ErrorClass
from tests.domain.samples import NOW

WEIGHED = (ErrorClass.DOWN, ErrorClass.EDGE, ErrorClass.AMBIGUOUS)

refusals = st.tuples(st.integers(0, 5), st.integers(0, 100), st.sampled_from(WEIGHED), st.booleans())
acceptances = st.integers(0, 100)


def key(number: int) -> ObjectKey:
    return ObjectKey(UUID(int=number), DocumentType.INVOICE, f"{number:064x}")


def at(second: float) -> datetime:
    return NOW + timedelta(seconds=second)


@given(st.lists(refusals | acceptances, max_size=30))
def test_nobody_is_charged_unless_an_upload_was_accepted_after_its_own_was_refused(
    story: list[tuple[int, int, ErrorClass, bool] | int],
) -> None:
    evidence, refused_at = Evidence(), dict[ObjectKey, list[int]]()
    for event in story:
        if isinstance(event, int):
            for guilty in evidence.accepted(at(event)):
                assert any(second < event for second in refused_at[guilty])
        else:
            number, second, error_class, uploading = event
            evidence.refused(key(number), error_class, "500", at(second), uploading=uploading)
            if uploading and error_class is not ErrorClass.AMBIGUOUS:
                refused_at.setdefault(key(number), []).append(second)


@given(st.lists(refusals, max_size=40))
def test_without_any_accepted_upload_nobody_is_ever_charged(story: list[tuple[int, int, ErrorClass, bool]]) -> None:
    evidence = Evidence()
    for number, second, error_class, uploading in story:
        evidence.refused(key(number), error_class, "500", at(second), uploading=uploading)

    assert evidence.accepted(at(-1)) == {}


def test_an_upload_accepted_before_the_refusal_proves_nothing_even_if_heard_of_later() -> None:
    evidence = Evidence()
    evidence.refused(key(1), ErrorClass.DOWN, "500", at(11), uploading=True)

    assert evidence.accepted(at(10)) == {}
    assert evidence.failures == 1
    assert evidence.accepted(at(12)) == {key(1): "500"}
    assert evidence.failures == 0


def test_a_document_is_found_guilty_once() -> None:
    evidence = Evidence()
    evidence.refused(key(1), ErrorClass.EDGE, "403", at(1), uploading=True)

    assert evidence.accepted(at(2)) == {key(1): "403"}
    assert evidence.accepted(at(3)) == {}


def test_a_lost_answer_is_never_held_against_a_document() -> None:
    evidence = Evidence()
    evidence.refused(key(1), ErrorClass.AMBIGUOUS, "504", at(1), uploading=True)

    assert evidence.accepted(at(2)) == {}


def test_a_run_stops_only_after_two_other_organisations_were_tried() -> None:
    evidence = Evidence()
    for second in range(4):
        evidence.refused(key(1), ErrorClass.DOWN, "500", at(second), uploading=True)

    assert evidence.stop is None

    evidence.refused(key(2), ErrorClass.DOWN, "500", at(5), uploading=True)
    evidence.refused(key(3), ErrorClass.DOWN, "500", at(6), uploading=True)

    assert evidence.stop is ErrorClass.DOWN


def test_where_there_are_no_other_organisations_it_stops_all_the_same() -> None:
    evidence = Evidence()
    for second in range(FAILURES_AT_MOST):
        evidence.refused(key(1), ErrorClass.EDGE, "403", at(second), uploading=True)

    assert evidence.stop is ErrorClass.EDGE


@pytest.mark.parametrize(("failures", "pause"), [(0, 0.0), (1, 2.0), (2, 4.0), (3, 8.0), (7, 8.0)])
def test_each_failure_in_a_row_makes_the_next_wait_longer(failures: int, pause: float) -> None:
    evidence = Evidence()
    for second in range(failures):
        evidence.refused(key(second), ErrorClass.DOWN, "500", at(second), uploading=True)

    assert evidence.pause == pause


def test_too_few_to_stop_for_but_nobody_got_through_is_known_at_the_end() -> None:
    evidence = Evidence()
    evidence.refused(key(1), ErrorClass.DOWN, "500", at(1), uploading=True)

    assert evidence.everybody is ErrorClass.DOWN

    evidence.accepted(at(2))
    evidence.refused(key(2), ErrorClass.DOWN, "500", at(3), uploading=True)

    assert evidence.everybody is None
