"""The table of errors: total, and never unkind to a document for somebody else's fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.retry import (
    BACKOFF,
    DECISIONS,
    LONGEST_BACKOFF,
    ErrorClass,
    Fault,
    PaperlessError,
    Stage,
    backoff,
    classify,
    classify_task,
    misconfigured,
)

faults = st.builds(
    Fault,
    st.sampled_from(Stage),
    uploading=st.booleans(),
    status=st.integers(100, 599),
    is_json=st.booleans(),
    body=st.text(max_size=100),
    retry_after=st.none() | st.floats(0, 1e6),
)


@given(faults)
def test_every_fault_has_a_class_and_every_class_a_decision(fault: Fault) -> None:
    assert classify(fault) in DECISIONS


@given(faults)
def test_only_an_answered_upload_can_be_the_documents_fault(fault: Fault) -> None:
    if classify(fault) is ErrorClass.DOCUMENT:
        assert fault.stage is Stage.ANSWERED
        assert fault.uploading
        assert fault.status in (400, 413, 415)


@given(st.text(max_size=200))
def test_every_task_text_has_a_class_and_a_decision(result: str) -> None:
    assert classify_task(result) in DECISIONS


def test_nothing_but_the_document_is_ever_charged() -> None:
    assert [kind for kind, decision in DECISIONS.items() if decision.charged] == [ErrorClass.DOCUMENT]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(Stage.UNSENT, uploading=True), ErrorClass.DOWN),
        (Fault(Stage.SENT, uploading=True), ErrorClass.AMBIGUOUS),
        (Fault(Stage.SENT, uploading=False), ErrorClass.DOWN),
        (Fault(Stage.ANSWERED, uploading=False, status=500), ErrorClass.DOWN),
        (Fault(Stage.ANSWERED, uploading=True, status=500), ErrorClass.DOWN),
        (Fault(Stage.ANSWERED, uploading=True, status=502), ErrorClass.AMBIGUOUS),
        (Fault(Stage.ANSWERED, uploading=True, status=504), ErrorClass.AMBIGUOUS),
        (Fault(Stage.ANSWERED, uploading=True, status=524), ErrorClass.AMBIGUOUS),
        (Fault(Stage.ANSWERED, uploading=False, status=502), ErrorClass.DOWN),
        (Fault(Stage.ANSWERED, uploading=False, status=401, is_json=True), ErrorClass.AUTH),
        (Fault(Stage.ANSWERED, uploading=False, status=302), ErrorClass.EDGE),
        (Fault(Stage.ANSWERED, uploading=False, status=200, body="<html>"), ErrorClass.EDGE),
        (Fault(Stage.ANSWERED, uploading=True, status=403, body="<html>"), ErrorClass.EDGE),
        (Fault(Stage.ANSWERED, uploading=True, status=403, body="Insufficient permissions"), ErrorClass.CONFIG),
        (Fault(Stage.ANSWERED, uploading=True, status=403, is_json=True, body="{}"), ErrorClass.CONFIG),
        (Fault(Stage.ANSWERED, uploading=True, status=429), ErrorClass.THROTTLED),
        (Fault(Stage.ANSWERED, uploading=True, status=400, body='{"document":["empty"]}'), ErrorClass.DOCUMENT),
        (Fault(Stage.ANSWERED, uploading=True, status=413), ErrorClass.DOCUMENT),
        (
            Fault(Stage.ANSWERED, uploading=True, status=400, body='{"tags":["object does not exist."]}'),
            ErrorClass.CONFIG,
        ),
        (Fault(Stage.ANSWERED, uploading=False, status=406), ErrorClass.CONFIG),
    ],
)
def test_an_answer_means(fault: Fault, expected: ErrorClass) -> None:
    assert classify(fault) is expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("t.pdf: Not consuming t.pdf: It is a duplicate of dup1 (#42).", ErrorClass.DUPLICATE),
        ("UNIQUE constraint failed: documents_document.checksum", ErrorClass.DUPLICATE),
        ("t.pdf: The following error occurred while storing document: database is locked", ErrorClass.LOST),
        ("Worker exited prematurely: signal 9 (SIGKILL) Job: 4.", ErrorClass.LOST),
        ("<traceback object at 0x7fb41a73bb00>", ErrorClass.LOST),
        ("Tag matching query does not exist.", ErrorClass.CONFIG),
        ("x.pdf: Unsupported mime type application/octet-stream", ErrorClass.DOCUMENT),
        ("x.pdf: Error occurred while consuming document x.pdf: InputFileError: ", ErrorClass.DOCUMENT),
    ],
)
def test_a_failed_task_means(result: str, expected: ErrorClass) -> None:
    assert classify_task(result) is expected


def test_a_mistake_in_our_setup_stops_the_run_and_charges_nobody() -> None:
    error = misconfigured("a tag is not what it was")

    assert isinstance(error, PaperlessError)
    assert error.error_class is ErrorClass.CONFIG


def test_pauses_double_and_then_there_are_none() -> None:
    assert [backoff(attempt) for attempt in range(4)] == [2.0, 4.0, 8.0, None]


@given(st.integers(0, len(BACKOFF) - 1), st.floats(0, 1e9))
def test_a_server_may_ask_for_longer_but_not_for_ever(attempt: int, retry_after: float) -> None:
    assert backoff(attempt, retry_after) == min(max(BACKOFF[attempt], retry_after), LONGEST_BACKOFF)
